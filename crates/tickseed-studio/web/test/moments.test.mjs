// What the page knows of the ticks it has heard: what runs, how often nodes answered what, and
// where something changed or failed.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { counts, decided, inTheStudio, pause, shows, tick } from './browser.mjs';

let browser, page;

inTheStudio(async (all) => {
  ({ browser, page } = all);
  await decided(page, 'patrol');
  await pause(page);
  await page.evaluate(() => window.tickseed.do({ do: 'world', name: 'robot', seed: 7 }));
  await page.evaluate(() => window.tickseed.do({ do: 'pause' }));
});

const notice = (text) => page.locator('[data-test=notice]', { hasText: text }).waitFor();
const choose = (label) => page.evaluate((l) => (window.tickseed.selected = window.tickseed.nodes.find((n) => n.label === l)?.id), label);
const step = async (ticks) => {
  const to = (await tick(page)) + ticks;
  await page.evaluate((ticks) => window.tickseed.do({ do: 'step', ticks }), ticks);
  await shows(page, to);
};
/** What the page has counted for a node. */
const counted = (label) =>
  page.evaluate((l) => ({ ...window.tickseed.tallies[window.tickseed.nodes.find((n) => n.label === l).id] }), label);

test('the leaves that run are listed with how long, and lead to their nodes', async () => {
  await step(40);
  await page.getByRole('tab', { name: 'Tick' }).click();
  const running = page.locator('[data-test=running] li');
  await counts(page, '[data-test=running] li', 1);
  assert.match(await running.innerText(), /patrol\s+for 2\.0 s/);
  // Going back tells the same as having been there.
  await step(20);
  await page.evaluate(() => window.tickseed.seek(40));
  await shows(page, 40);
  assert.match(await running.innerText(), /patrol\s+for 2\.0 s/);
  await running.getByRole('button').click();
  await page.locator('h3', { hasText: 'patrol' }).waitFor();
  await page.evaluate(() => window.tickseed.do({ do: 'live' }));
  await shows(page, 60);
});

test('every node’s answers are counted once, however often a tick is shown', async () => {
  assert.deepEqual(await counted('patrol'), { success: 0, failure: 0, running: 60, skipped: 0, error: 0 });
  assert.deepEqual(await counted('battery low'), { success: 0, failure: 60, running: 0, skipped: 0, error: 0 });
  await choose('patrol');
  await page.locator('[data-test=node-counts]', { hasText: '60 answers in 60 ticks: 60 running' }).waitFor();
  await page.locator('[data-test=counts]').click();
  const never = page.locator('[data-label=approach] text.never');
  assert.equal(await never.textContent(), 'never');
  await page.keyboard.press('h');
  await counts(page, 'rect.heat', 0);
});

test('what will not come about any more is not counted, and edits keep what was', async () => {
  await page.evaluate(() => window.tickseed.seek(30));
  await shows(page, 30);
  await page.evaluate(() => window.tickseed.click(20, 3));
  assert.equal((await counted('patrol')).running, 30);
  await step(10);
  assert.equal((await counted('approach')).running, 10);
  await choose('patrol');
  await page.evaluate(() => window.tickseed.edits.change(window.tickseed.edits.part(window.tickseed.selected), 'wrap', 'repeat forever'));
  await counts(page, '[data-node]', 9);
  assert.equal((await counted('approach')).running, 10);
  await step(5);
  assert.equal((await counted('approach')).running, 15);
  await page.locator('[data-test=undo]').click();
  await counts(page, '[data-node]', 8);
  assert.equal((await counted('approach')).running, 15);
  assert.equal((await counted('target visible')).success, 15);
});

test('changes of the deciding leaf, or of the chosen node, are gone to', async () => {
  await page.evaluate(() => (window.tickseed.selected = undefined));
  await page.keyboard.press('[');
  await shows(page, 31);
  await page.keyboard.press('[');
  await notice('No other leaf decides before this tick');
  await page.keyboard.press(']');
  await notice('No other leaf decides after this tick');
  await choose('target visible');
  await page.evaluate(() => window.tickseed.seek(10));
  await shows(page, 10);
  await page.locator('[data-test=change-after]').click();
  await shows(page, 31);
  await page.locator('[data-test=change-after]').click();
  await notice('“target visible” does not change after this tick');
});

test('back to where a failure began', async () => {
  await choose('target visible');
  await page.evaluate(() => window.tickseed.do({ do: 'live' }));
  await page.locator('[data-test=failure-before]').click();
  await shows(page, 1);
  await page.keyboard.press('f');
  await notice('“target visible” did not begin to fail before this tick');
  await page.evaluate(() => ((window.tickseed.selected = undefined), window.tickseed.do({ do: 'live' })));
  await page.locator('[data-test=last-failure]').click();
  await notice('The tree did not begin to fail');
  // A tree that fails, and goes on failing.
  await page.evaluate(() => window.tickseed.apply('main tree Robot {\n  selector {\n    timeout 500ms { patrol }\n    failure\n  }\n}\n'));
  const n = await tick(page);
  await step(25);
  await page.keyboard.press('f');
  await page.waitForFunction((n) => window.tickseed.control.tick > n && window.tickseed.tick?.status === 'failure', n);
  const failed = await tick(page);
  assert.ok(failed > n + 10, `${failed}`);
  assert.equal(await page.evaluate((t) => window.tickseed.history.get(t - 1).status, failed), 'running');
});

/** A world at a tick, as if it had been begun anew; clicks and drains go before their ticks. */
const STORIES = [
  ['robot', 130, { 60: (t) => t.click(20, 3), 100: (t) => t.drain() }],
  ['guard', 1350, {}],
  ['villager', 40, {}],
  ['monster', 50, {}],
  ['boss', 240, {}],
];

/** These are compiled and run by the tests of `tickseed`. */
for (const [world, to, inputs] of STORIES) {
  test(`${world}: a moment as a Rust test`, async () => {
    const file = new URL(`../../../tickseed/tests/moments/${world}_tick_${to}.rs`, import.meta.url);
    await page.evaluate(async (name) => {
      const t = window.tickseed;
      await t.do({ do: 'world', name, seed: 7 });
      await t.do({ do: 'subscribe', agents: [0], nodes: true, scene: true, summary: false });
      await t.do({ do: 'pause' });
    }, world);
    for (const [at, input] of Object.entries(inputs)) {
      await step(Number(at) - (await tick(page)));
      await page.evaluate(`(${input})(window.tickseed)`);
    }
    await step(to - (await tick(page)));
    const made = await page.evaluate(() => window.tickseed.rustTest());
    if (process.env.WRITE_MOMENTS) writeFileSync(file, made.text);
    assert.equal(made.name, `${world}_tick_${to}`);
    assert.equal(made.text, readFileSync(file, 'utf8'));
  });
}

test('a test is saved, and one that would not be true is refused', async () => {
  await page.getByRole('tab', { name: 'Tick' }).click();
  const download = page.waitForEvent('download');
  await page.locator('[data-test=test-save]').click();
  assert.equal((await download).suggestedFilename(), 'boss_tick_240.rs');
  await notice('boss_tick_240.rs is a test for a crate that depends on');
  await page.evaluate(() => window.tickseed.apply(`${window.tickseed.source}\n// another text\n`));
  await step(1);
  await page.locator('[data-test=test-save]').click();
  await notice('The tree was edited after tick 240');
});

test('no script has failed', () => assert.deepEqual(browser.errors, []));
