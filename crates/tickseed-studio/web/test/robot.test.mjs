// The story of document 001 in a real browser: patrol, click, approach, drain, preempt,
// charge, resume; then back in time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { clickScene, decided, startBrowser, startStudio } from './browser.mjs';

let studio;
let browser;
let page;

before(async () => {
  studio = await startStudio();
  browser = await startBrowser();
  page = await browser.open(studio.address);
});

after(async () => {
  await browser?.stop();
  studio?.stop();
});

const status = (label) => page.locator(`[data-label="${label}"]`).getAttribute('data-status');
const fresh = (label) => page.locator(`[data-label="${label}"]`).getAttribute('data-fresh');
const tick = async () => Number(await page.locator('[data-test=tick]').textContent());

test('the robot patrols, is sent, runs low, charges and resumes', async () => {
  await decided(page, 'patrol');
  assert.equal(await status('patrol'), 'running');
  assert.equal(await status('battery low'), 'failure');

  await clickScene(page, 20, 3);
  await decided(page, 'approach');
  assert.equal(await status('target visible'), 'success');
  assert.equal(await fresh('patrol'), 'false', 'patrol is no longer ticked');
  assert.equal(await status('patrol'), 'running', 'but its last answer can be seen');

  await page.locator('[data-test=drain]').click();
  await decided(page, 'recharge');
  assert.equal(await status('battery low'), 'success');
  const battery = page.getByRole('meter', { name: 'battery' });
  assert.ok(Number(await battery.getAttribute('aria-valuenow')) <= 15);

  await page.locator('[data-test=speed]').selectOption('16');
  await decided(page, 'approach');
  assert.ok(Number(await battery.getAttribute('aria-valuenow')) >= 90, 'charged');
  await decided(page, 'patrol');
  await page.locator('[data-test=speed]').selectOption('1');
});

test('a paused run steps on, steps back and goes live', async () => {
  await page.locator('[data-test=run]').click();
  await page.getByText('Paused', { exact: true }).waitFor();
  const at = await tick();
  await page.locator('[data-test=back]').click();
  await page.locator('[data-test=mode]', { hasText: '1 tick behind' }).waitFor();
  assert.equal(await tick(), at - 1);
  await page.locator('[data-test=step]').click();
  await page.getByText('Paused', { exact: true }).waitFor();
  assert.equal(await tick(), at);
  await page.locator('[data-test=step]').click();
  await page.waitForFunction((n) => document.querySelector('[data-test=tick]').textContent === String(n), at + 1);
});

test('no script has failed', () => assert.deepEqual(browser.errors, []));
