// A world that runs in a process of its own: watched, steered, lost and found again.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { decided, happened, pause, run, shows, startBrowser, startProcess, tick } from './browser.mjs';

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
  const before = await tick(page);
  await page.locator('[data-test=drain]').click();
  await happened(page, 'recharge', before);
  await pause(page);
  const at = await tick(page);
  await page.locator('[data-test=back]').click();
  await page.getByText('1 tick behind').waitFor();
  await shows(page, at - 1);
  await page.locator('[data-test=live]').click();
  await shows(page, at);
  await run(page);
  await page.getByText('Live', { exact: true }).waitFor();
});

test('a process takes another tree, and one with a mistake it does not', async () => {
  await page.getByRole('tab', { name: 'Source' }).click();
  await page.locator('.cm-content').waitFor();
  const edit = (text) => page.evaluate((t) => (window.tickseed.draft = t), text);
  const state = (text) => page.locator('[data-test=source-state]', { hasText: text }).waitFor();
  const own = await page.evaluate(() => window.tickseed.source);
  await edit('tree Robot { patrl }\n');
  await page.locator('[data-test=mistakes]', { hasText: 'Did you mean patrol?' }).waitFor();
  await page.locator('[data-test=apply]').click();
  await state('1 mistake');
  // Once more, to know when the process has answered: it refuses.
  assert.equal(await page.evaluate(() => window.tickseed.apply()), false);
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

test('a process that says nothing is given up within two seconds', () => {
  const code = readFileSync(new URL('../src/transport/socket.ts', import.meta.url), 'utf8');
  const constant = (name) => Number(code.match(new RegExp(`^const ${name} = (\\d+);`, 'm'))[1]);
  // It may have answered just after it was asked for the first time. All else is the machine's.
  assert.ok((constant('MISSED') + 1) * constant('PULSE') < 2000);
});

test('a process that is killed is missed and found again', async () => {
  const gone = page.getByText('The process is gone', { exact: true });
  const { port } = new URL(process.address);
  const killed = Date.now();
  process.kill();
  await gone.waitFor();
  console.log(`missed after ${Date.now() - killed} ms`);
  assert.equal(await page.locator('[data-test=mode]').textContent(), 'Not connected');
  process = await startProcess(port, 'not-a-secret');
  const back = Date.now();
  await page.getByText(/Watching tickseed/).waitFor();
  await decided(page, 'patrol');
  console.log(`rejoined by itself after ${Date.now() - back} ms`);
});

test('a process that hangs is missed, and tells what was missed when it goes on', async () => {
  const session = await page.evaluate(() => window.tickseed.hello.session);
  const before = await page.evaluate(() => window.tickseed.history.latest);
  const hung = Date.now();
  process.signal('SIGSTOP');
  try {
    await page.getByText('The process is gone', { exact: true }).waitFor();
    console.log(`missed after ${Date.now() - hung} ms`);
  } finally {
    process.signal('SIGCONT');
  }
  await page.getByText(/Watching tickseed/).waitFor();
  await page.waitForFunction((n) => window.tickseed.history.latest > n + 20, before);
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
  // It tries again, and then once more: so the first of these has failed.
  for (let tries = 0; tries < 2; tries++) await stranger.waitForEvent('websocket');
  assert.equal(await stranger.locator('[data-test=process]').textContent(), 'The process is gone');
  assert.equal(await stranger.locator('[data-node]').count(), 0);
  await stranger.close();
});
