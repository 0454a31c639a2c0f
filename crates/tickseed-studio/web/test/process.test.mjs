// A world that runs in a process of its own: watched, steered, lost and found again.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
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

test('a process takes another tree, and one with a mistake it does not', async () => {
  await page.getByRole('tab', { name: 'Source' }).click();
  await page.locator('.cm-content').waitFor();
  const edit = (text) => page.evaluate((t) => (window.tickseed.draft = t), text);
  const state = (text) => page.locator('[data-test=source-state]', { hasText: text }).waitFor();
  const own = await page.evaluate(() => window.tickseed.source);
  await edit('tree Robot { patrl }\n');
  await page.locator('[data-test=mistakes]', { hasText: 'Did you mean `patrol`?' }).waitFor();
  await page.locator('[data-test=apply]').click();
  await state('1 mistake');
  assert.equal(await page.locator('[data-node]').count(), 8);
  await edit('tree Robot { running "wait" }\n');
  await state('Edited');
  await page.locator('[data-test=apply]').click();
  await decided(page, 'wait');
  // The page's own engine follows: the machine is that of the new tree.
  await page.waitForFunction(() => document.querySelector('[data-test=machine]')?.dataset.states === '1');
  await edit(own);
  await state('Edited');
  await page.locator('[data-test=apply]').click();
  await decided(page, 'patrol');
});

test('a process that is killed is missed within two seconds and found again', async () => {
  const gone = page.getByText('The process is gone', { exact: true });
  const { port } = new URL(process.address);
  const killed = Date.now();
  process.kill();
  await gone.waitFor({ timeout: 2000 });
  assert.ok(Date.now() - killed < 2000);
  assert.equal(await page.locator('[data-test=mode]').textContent(), 'Not connected');
  process = await startProcess(port, 'not-a-secret');
  const back = Date.now();
  await page.getByText(/Watching tickseed/).waitFor({ timeout: 5000 });
  await decided(page, 'patrol', 5000);
  assert.ok(Date.now() - back < 4000, 'rejoined by itself');
});

test('a process that hangs is missed within two seconds, and told what was missed when it goes on', async () => {
  const session = await page.evaluate(() => window.tickseed.hello.session);
  const before = await page.evaluate(() => window.tickseed.history.latest);
  const hung = Date.now();
  process.signal('SIGSTOP');
  try {
    await page.getByText('The process is gone', { exact: true }).waitFor({ timeout: 2000 });
    assert.ok(Date.now() - hung < 2000, `${Date.now() - hung} ms`);
  } finally {
    process.signal('SIGCONT');
  }
  await page.getByText(/Watching tickseed/).waitFor({ timeout: 5000 });
  await page.waitForFunction((n) => window.tickseed.history.latest > n + 20, before, { timeout: 5000 });
  const [same, whole] = await page.evaluate((n) => {
    const { hello, history } = window.tickseed;
    const ticks = Array.from({ length: history.latest - n }, (_, i) => history.get(n + 1 + i));
    return [hello.session, ticks.every((t) => t?.nodes?.length > 0)];
  }, before);
  assert.equal(same, session);
  assert.ok(whole, 'no tick is missing');
});

test('a page of another origin can neither read nor steer it, even if it knows the token', async () => {
  const other = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end('<title>elsewhere</title>');
  });
  await new Promise((done) => other.listen(0, '127.0.0.1', done));
  const stranger = await browser.open(`http://127.0.0.1:${other.address().port}/`);
  const { host, searchParams } = new URL(process.address);
  const tries = await stranger.evaluate(
    async ({ host, token }) => {
      const read = await fetch(`http://${host}/`).then(
        (r) => r.text(),
        () => 'refused',
      );
      const watched = await new Promise((done) => {
        const socket = new WebSocket(`ws://${host}/live?token=${token}`);
        socket.onopen = () => done('let in');
        socket.onerror = () => done('refused');
      });
      return { read, watched };
    },
    { host, token: searchParams.get('token') },
  );
  assert.deepEqual(tries, { read: 'refused', watched: 'refused' });
  await stranger.close();
  other.close();
  // The browser says so in its console, which is no failure of ours.
  browser.errors.length = 0;
});

test('a wrong token does not get in', async () => {
  const stranger = await browser.open(process.address.replace('not-a-secret', 'guess'));
  await stranger.waitForTimeout(800);
  assert.equal(await stranger.locator('[data-test=process]').textContent(), 'The process is gone');
  assert.equal(await stranger.locator('[data-node]').count(), 0);
  await stranger.close();
});
