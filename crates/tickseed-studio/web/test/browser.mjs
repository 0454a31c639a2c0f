// A studio and a browser for the tests.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = new URL('../../../../', import.meta.url).pathname;
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target');

/** Starts the studio's server on a free port. */
export const startStudio = () => start('debug/examples/serve');

/** Starts the robot in a process of its own. */
export const startProcess = (port, token) =>
  start('debug/tickseed', 'studio', '--process', 'robot', '--port', String(port), '--token', token);

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

/** Waits until the deciding leaf is this one. */
export async function decided(page, label, timeout = 20_000) {
  await page.waitForFunction(
    (label) => document.querySelector('[data-test=leaf]')?.textContent === label,
    label,
    { timeout, polling: 20 },
  );
}

/** Clicks in the scene, in metres. */
export async function clickScene(page, x, y, height = 14) {
  const scene = page.locator('[data-test=scene]');
  const at = await scene.evaluate((e) => ({ ...e.dataset }));
  const [scale, left, top] = [Number(at.scale), Number(at.left), Number(at.top)];
  await scene.click({ position: { x: left + x * scale, y: top + (height - y) * scale } });
}
