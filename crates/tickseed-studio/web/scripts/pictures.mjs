// Takes the pictures of the documentation: `node scripts/pictures.mjs`, after `cargo xtask ui`.
// Each is of a moment that is reached tick by tick, so that it is the same whenever it is taken.
import { counts, decided, happened, pause, shows, startBrowser } from '../test/browser.mjs';

const page = new URL('../../ui/dist/tickseed.html', import.meta.url).href;
const images = new URL('../../../../docs/images/', import.meta.url).pathname;

/** A page of a world, paused after so many ticks. */
async function open(browser, world, ticks) {
  const at = await browser.open(page);
  await decided(at, 'patrol');
  await at.evaluate((w) => window.tickseed.open(w, 7), world);
  await at.locator(`[role=tree][aria-label="The tree of ${world}"]`).waitFor();
  await pause(at);
  await at.evaluate(() => window.tickseed.do({ do: 'world', name: window.tickseed.world.name, seed: 7 }));
  await at.evaluate(() => window.tickseed.do({ do: 'subscribe', agents: [0], nodes: true, scene: true, summary: false }));
  await at.evaluate(() => window.tickseed.do({ do: 'pause' }));
  await step(at, ticks);
  return at;
}

async function step(at, ticks) {
  const before = await at.evaluate(() => window.tickseed.control.tick);
  await at.evaluate((ticks) => window.tickseed.do({ do: 'step', ticks }), ticks);
  await shows(at, before + ticks);
}

async function take(at, name) {
  await at.mouse.move(0, 0);
  await at.evaluate(() => document.fonts.ready);
  await at.waitForTimeout(400);
  await at.screenshot({ path: `${images}${name}.png` });
  await at.close();
}

const browser = await startBrowser({ width: 1440, height: 900 });
{
  const at = await open(browser, 'robot', 120);
  await at.evaluate(() => window.tickseed.click(20, 3));
  await step(at, 60);
  await at.evaluate(() => window.tickseed.drain());
  await step(at, 30);
  await happened(at, 'recharge');
  await take(at, 'studio');
}
{
  const at = await open(browser, 'robot', 160);
  await at.getByRole('tab', { name: 'Source' }).click();
  await at.locator('.cm-content').waitFor();
  await at.locator('[data-test=dock]').check();
  await at.locator('[data-test=machine][data-arrows="12"]').waitFor();
  await step(at, 100);
  await take(at, 'source');
}
{
  const at = await open(browser, 'robot', 160);
  await at.locator('[role=treeitem][data-label=approach]').click();
  await at.locator('[data-test=change-wrap]').selectOption('timeout 5s');
  await at.getByRole('button', { name: 'Wrap', exact: true }).click();
  await counts(at, '[data-node]', 9);
  await at.evaluate(() => window.tickseed.click(20, 3));
  await step(at, 12);
  await at.locator('#details').evaluate((e) => e.scrollTo(0, e.scrollHeight));
  await take(at, 'change');
}
{
  const at = await open(browser, 'robot', 60);
  await at.evaluate(() => window.tickseed.click(20, 3));
  await step(at, 40);
  await at.evaluate(() => window.tickseed.drain());
  await step(at, 30);
  await at.locator('[data-test=counts]').click();
  await at.getByRole('tab', { name: 'Tick' }).click();
  await take(at, 'tick');
}
{
  const at = await open(browser, 'villager', 600);
  await at.locator('[data-test=theme]').click();
  await at.getByRole('tab', { name: 'Scores' }).click();
  await counts(at, '[data-test=scores] li', 4);
  await take(at, 'studio-scores');
}
await browser.stop();
