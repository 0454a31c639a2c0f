// A studio and a browser for the tests.
import { after, before } from 'node:test';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = new URL('../../../../', import.meta.url).pathname;
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');

/** Starts the studio's server on a free port. */
export const startStudio = () => start('debug/examples/serve');

/** Starts the robot in a process of its own; a port that is not free yet is waited for. */
export async function startProcess(port, token) {
  for (let tries = 1; ; tries++) {
    try {
      return await start('debug/tickseed', 'studio', '--process', 'robot', '--port', String(port), '--token', token);
    } catch (e) {
      if (port === 0 || tries >= 60) throw e;
      await new Promise((done) => setTimeout(done, 500));
    }
  }
}

/**
 * Whatever is waited for comes long before this. Nothing here says how fast it must come: that
 * depends on the machine, and is printed where it is of interest. Whoever works on a test may set
 * `PATIENCE` in the environment to be told of a failure sooner.
 */
const PATIENCE = Number(process.env.PATIENCE ?? 120_000);

async function start(program, ...args) {
  const child = spawn(join(target, program), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const found = text.match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    child.on('exit', () => reject(new Error('the studio ended')));
    child.on('error', reject);
  });
  return { address, stop: () => child.kill(), kill: () => child.kill('SIGKILL'), signal: (s) => child.kill(s) };
}

/** Starts Chromium; its pages fail the test that owns them when a script throws. */
export async function startBrowser(viewport = { width: 1440, height: 900 }) {
  const profile = mkdtempSync(join(tmpdir(), 'tickseed-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    headless: true,
    timeout: PATIENCE,
    viewport,
    colorScheme: 'light',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  context.setDefaultTimeout(PATIENCE);
  const errors = [];
  return {
    errors,
    async open(address) {
      const page = await context.newPage();
      page.on('pageerror', (e) => errors.push(String(e)));
      page.on('console', (m) => {
        if (m.type() === 'error') errors.push(m.text());
      });
      await page.goto(address);
      return page;
    },
    async stop() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/**
 * Waits until the deciding leaf is this one: for what stays until something else is done. A page
 * that is slow may miss what comes and goes while the world runs: see `happened`.
 */
export async function decided(page, label) {
  await page.waitForFunction(
    (label) => document.querySelector('[data-test=leaf]')?.textContent === label,
    label,
    { polling: 20 },
  );
}

/** Waits until a leaf has decided in a tick after this one, and tells in which first. */
export async function happened(page, label, after = 0) {
  const found = await page.waitForFunction(
    ([label, after]) => {
      const { history, eras } = window.tickseed;
      for (let t = after + 1; t <= history.latest; t++) {
        const deciding = history.get(t)?.deciding;
        if (deciding !== undefined && eras.nodes(t)[deciding]?.label === label) return t;
      }
      return 0;
    },
    [label, after],
    { polling: 50 },
  );
  return found.jsonValue();
}

/** The tick that is shown. */
export const tick = async (page) => Number(await page.locator('[data-test=tick]').textContent());

/** Waits until this tick is shown. */
export async function shows(page, n) {
  await page.waitForFunction((n) => document.querySelector('[data-test=tick]').textContent === String(n), n);
}

/** Waits until a tick later than this one is shown. */
export async function goesBeyond(page, n) {
  await page.waitForFunction((n) => Number(document.querySelector('[data-test=tick]').textContent) > n, n);
}

/** Waits until there are so many of what a selector finds. */
export async function counts(page, selector, n) {
  await page.waitForFunction(([s, n]) => document.querySelectorAll(s).length === n, [selector, n]);
}

/** Stops the run; from here on it goes on when it is told to. */
export async function pause(page) {
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Paused', { exact: true }).waitFor();
}

/** Lets it run on. */
export async function run(page) {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

/** Clicks in the scene, in metres. */
export async function clickScene(page, x, y, height = 14) {
  const scene = page.locator('[data-test=scene]');
  // Panels that are still coming move it.
  const at = await scene.evaluate(async (e) => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const place = () => JSON.stringify([e.dataset, e.getBoundingClientRect()]);
    for (let before = ''; before !== place(); await frame(), await frame()) before = place();
    return { ...e.dataset };
  });
  const [scale, left, top] = [Number(at.scale), Number(at.left), Number(at.top)];
  await scene.click({ position: { x: left + x * scale, y: top + (height - y) * scale } });
}

/**
 * A studio of this test file's own with a page in a browser, from before its tests until after
 * them; `ready` is handed them before the first test.
 */
export function inTheStudio(ready, viewport) {
  const all = {};
  before(async () => {
    all.studio = await startStudio();
    all.browser = await startBrowser(viewport);
    all.page = await all.browser.open(all.studio.address);
    await ready(all);
  });
  after(async () => {
    await all.browser?.stop();
    all.studio?.stop();
  });
}
