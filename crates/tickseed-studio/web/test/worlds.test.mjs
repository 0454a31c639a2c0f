// The other worlds, the crowd, the page from disk, and what it all weighs.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decided, startBrowser, startStudio } from './browser.mjs';

const dist = new URL('../../ui/dist/', import.meta.url);
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

test('every world runs', async () => {
  for (const world of ['guard', 'villager', 'monster', 'boss']) {
    await page.getByRole('navigation', { name: 'Worlds' }).getByRole('button', { name: world }).click();
    await page.locator(`[role=tree][aria-label="The tree of ${world}"]`).waitFor();
    await page.waitForFunction(() => Number(document.querySelector('[data-test=tick]').textContent) > 10);
    assert.ok((await page.locator('[data-node][data-fresh=true]').count()) > 0, world);
  }
});

test('a crowd of 5,000 can be sorted, filtered and seen on the tree', async () => {
  await page.getByRole('tab', { name: 'Crowd' }).click();
  await page.locator('[data-test=crowd-size]').selectOption('5000');
  const table = page.locator('[data-test=crowd]');
  await page.waitForFunction(() => document.querySelector('[data-test=crowd]')?.getAttribute('aria-rowcount') === '5000');
  await page.waitForFunction(() => Number(document.querySelector('[data-test=tick]').textContent) > 60);
  assert.ok((await table.locator('[data-agent]').count()) < 60, 'only what is in view has elements');
  await page.locator('[data-sort=age]').click();
  const ages = (await table.locator('.row .age').allTextContents()).map(parseFloat);
  assert.deepEqual(ages, [...ages].sort((a, b) => b - a));
  await page.locator('[data-test=crowd-filter]').fill('wind-up');
  await page.waitForFunction(() => {
    const n = Number(document.querySelector('[data-test=crowd]').getAttribute('aria-rowcount'));
    return n > 0 && n < 5000;
  });
  const leaves = await table.locator('.row .leaf').allTextContents();
  assert.ok(leaves.every((l) => l.startsWith('wind-up')), leaves.join());
  assert.ok(Number(await page.locator('[data-node="0"] [data-heat]').getAttribute('data-heat')) > 4000);
  await table.locator('[data-agent]').first().click();
  await page.waitForFunction(() => document.querySelector('[data-test=crowd] .row.on'));
});

test('the page works when opened from disk', async () => {
  const file = await browser.open(new URL('tickseed.html', dist).href);
  await decided(file, 'patrol');
  await file.locator('[data-test=drain]').click();
  await decided(file, 'recharge');
  await file.close();
});

test('the page weighs at most 150 kB and the engine at most 600 kB, gzipped', () => {
  const size = (path) => gzipSync(readFileSync(new URL(path, dist)), { level: 9 }).length;
  const assets = readdirSync(new URL('assets/', dist)).filter((f) => f.startsWith('index'));
  const page = ['index.html', ...assets.map((f) => `assets/${f}`)].reduce((n, f) => n + size(f), 0);
  const engine = size('tickseed.wasm');
  console.log(`page ${page} bytes, engine ${engine} bytes, gzipped`);
  assert.ok(page <= 150_000, `${page}`);
  assert.ok(engine <= 600_000, `${engine}`);
});

test('no script has failed', () => assert.deepEqual(browser.errors, []));
