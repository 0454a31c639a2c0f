// A world that runs in a process of its own: watched, steered, lost and found again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decided, startBrowser, startProcess } from './browser.mjs';

let process;
let browser;
let page;

before(async () => {
  process = await startProcess(0, 'not-a-secret');
  browser = await startBrowser();
  page = await browser.open(process.address);
});

after(async () => {
  await browser?.stop();
  process?.stop();
});

test('a process is watched and steered', async () => {
  await page.getByText(/Watching tickseed, process \d+/).waitFor();
  await decided(page, 'patrol');
  await page.locator('[data-test=drain]').click();
  await decided(page, 'recharge');
  await page.locator('[data-test=run]').click();
  await page.getByText('Paused', { exact: true }).waitFor();
  const tick = () => page.locator('[data-test=tick]').textContent();
  const at = Number(await tick());
  await page.locator('[data-test=back]').click();
  await page.getByText('1 tick behind').waitFor();
  assert.equal(Number(await tick()), at - 1);
  await page.locator('[data-test=live]').click();
  await page.locator('[data-test=run]').click();
  await page.getByText('Live', { exact: true }).waitFor();
});

test('a process that is killed is missed within two seconds and found again', async () => {
  const gone = page.getByText('The process is gone', { exact: true });
  const { port } = new URL(process.address);
  const killed = Date.now();
  process.kill();
  await gone.waitFor({ timeout: 2000 });
  assert.ok(Date.now() - killed < 2000);
  process = await startProcess(port, 'not-a-secret');
  const back = Date.now();
  await page.getByText(/Watching tickseed/).waitFor({ timeout: 5000 });
  await decided(page, 'patrol', 5000);
  assert.ok(Date.now() - back < 4000, 'rejoined by itself');
});

test('a wrong token does not get in', async () => {
  const stranger = await browser.open(process.address.replace('not-a-secret', 'guess'));
  await stranger.waitForTimeout(800);
  assert.equal(await stranger.locator('[data-test=process]').textContent(), 'The process is gone');
  assert.equal(await stranger.locator('[data-node]').count(), 0);
  await stranger.close();
});
