// The source pane: an edit with a mistake, then without; time travel past it; the dock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clickScene, counts, decided, goesBeyond, happened, inTheStudio, pause, shows, tick as shownTick } from './browser.mjs';

let browser, page;

inTheStudio(async (all) => {
  ({ browser, page } = all);
  await decided(page, 'patrol');
  // Time goes on when it is told to: a battery that is low after a while on a slow machine is
  // no part of these stories.
  await pause(page);
});

const tick = (p = page) => shownTick(p);
const says = (text, p = page) => p.locator('[data-test=source-state]', { hasText: text }).waitFor();
const text = (p = page) => p.locator('.cm-content').innerText();
const there = (n, p = page) => shows(p, n);
/** Some ticks on; the focus stays in the text. */
async function on(ticks) {
  const n = await tick();
  await page.evaluate((ticks) => window.tickseed.do({ do: 'step', ticks }), ticks);
  await there(n + ticks);
}

/** Opens the pane; the editor's code is fetched now and not before. */
async function source(p) {
  await p.getByRole('tab', { name: 'Source' }).click();
  await p.locator('.cm-content').waitFor();
}

/** Puts the cursor behind a text and types. */
async function typeAfter(p, mark, typed) {
  const line = p.locator('.cm-line', { hasText: mark }).last();
  await line.click();
  await p.keyboard.press('End');
  await p.keyboard.type(typed);
  // A list of what could stand there would take the Enter of what is typed next.
  await p.keyboard.press('Escape');
}

test('the editor comes when it is first shown', async () => {
  const editors = (n) =>
    page.waitForFunction((n) => performance.getEntriesByType('resource').filter((r) => r.name.includes('/editor-')).length === n, n);
  await editors(0);
  await source(page);
  await editors(1);
  assert.match(await text(), /main tree Robot \{/);
  await says('This is what runs');
  assert.equal(await page.locator('.cm-runs').innerText(), '    patrol', 'the deciding leaf is marked');
});

test('a mistake is told as one types, and applying it keeps the old tree', async () => {
  await typeAfter(page, 'patrol', 'l');
  await says('1 mistake');
  const mistake = page.locator('[data-test=mistakes] li');
  assert.match(await mistake.innerText(), /Line 14\s+Node not recognized: patroll\.\s+Did you mean patrol\?/);
  await page.locator('.cm-lintRange-error', { hasText: 'patroll' }).waitFor();
  await page.keyboard.press('Control+Enter');
  // Once more, to know when the engine has answered: it refuses.
  assert.equal(await page.evaluate(() => window.tickseed.apply()), false);
  await says('1 mistake');
  assert.equal(await page.locator('[data-node]').count(), 8);
  await on(3);
  await decided(page, 'patrol');
});

test('without the mistake the robot goes on by the new tree', async () => {
  await page.keyboard.press('Backspace');
  await says('This is what runs');
  // Before the last branch: stand still when somebody is to be seen.
  await typeAfter(page, /^\s*sequence reactive \{$/, '');
  await page.evaluate(() => (window.tickseed.draft = window.tickseed.source.replace('      approach\n', '      running "stand still"\n')));
  await says('Edited');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+Enter');
  await page.locator('[data-test=report]').waitFor();
  assert.match(await page.locator('[data-test=report]').innerText(), /Went on\s+patrol/);
  await says('This is what runs');
  await page.locator('[data-label="stand still"]').waitFor();
  await counts(page, '[data-label="approach"]', 0);
  await on(3);
  await clickScene(page, 20, 3);
  await on(3);
  await decided(page, 'stand still');
  // The machine beside it is the new tree's.
  await page.locator('[data-test=machine] path[data-to="stand still"]').first().waitFor({ state: 'attached' });
});

test('the leaf that was running and is gone is said to be', async () => {
  await page.evaluate(() => (window.tickseed.draft = window.tickseed.source.replace('running "stand still"', 'approach')));
  await says('Edited');
  await page.locator('[data-test=apply]').click();
  await page.locator('[data-test=gone]', { hasText: 'stand still' }).waitFor();
  await on(3);
  await decided(page, 'approach');
});

test('scrubbing past a reload shows the tree of each tick', async () => {
  const last = await tick();
  const see = async () =>
    [await tick(), await page.locator('[data-test=leaf]').textContent(), await page.locator('[data-node]').count(), (await text()).includes('stand still')].join();
  const now = await see();
  const seen = new Map();
  const borders = await page.evaluate(() => window.tickseed.eras.borders);
  assert.equal(borders.length, 2);
  const look = async (n) => {
    await page.evaluate((n) => window.tickseed.seek(n), n);
    await there(n);
    return see();
  };
  for (const n of [borders[0] - 2, borders[0], borders[0] + 1, borders[1], borders[1] + 1]) seen.set(n, await look(n));
  assert.match(seen.get(borders[0]), /,patrol,8,false$/, 'the old tree up to the tick before which it was changed');
  assert.match(seen.get(borders[0] + 1), /,8,true$/);
  assert.match(seen.get(borders[1]), /,stand still,8,true$/);
  assert.match(seen.get(borders[1] + 1), /,approach,8,false$/);
  for (const [n, was] of [...seen].reverse()) assert.equal(await look(n), was);
  await page.locator('[data-test=live]').click();
  await there(last);
  assert.equal(await see(), now);
});

test('applied in the past, a text makes another future', async () => {
  const [border] = await page.evaluate(() => window.tickseed.eras.borders);
  await page.evaluate((n) => window.tickseed.seek(n), border - 5);
  await there(border - 5);
  await page.evaluate(() => (window.tickseed.draft = 'tree Robot { running "wait" }\n'));
  await page.getByText(/forgets the \d+ ticks that came after/).waitFor();
  await page.getByRole('button', { name: 'Apply from here' }).click();
  await page.waitForFunction((n) => window.tickseed.eras.borders.join() === String(n), border - 5);
  await page.locator('[data-test=report]').waitFor();
  await page.locator('[data-test=step]').click();
  await decided(page, 'wait');
  await there(border - 4);
});

test('the dock is an edit of the text like any other', async () => {
  await page.getByRole('navigation', { name: 'Worlds' }).getByRole('button', { name: 'robot' }).click();
  await decided(page, 'patrol');
  await page.locator('[data-test=dock]').check();
  await page.locator('[data-label="dock"]').waitFor();
  await page.waitForFunction(() => document.querySelector('[data-test=machine]')?.dataset.arrows === '12');
  assert.match(await text(), /check "queue empty" queue_empty\n\s+dock/);
  await page.locator('[data-test=speed]').selectOption('16');
  await happened(page, 'dock');
  await page.locator('[data-test=speed]').selectOption('1');
  await page.locator('[data-test=dock]').uncheck();
  await page.waitForFunction(() => document.querySelector('[data-test=machine]')?.dataset.arrows === '6');
  await decided(page, 'patrol');
});

test('a text that is being written keeps its mistakes when another is applied', async () => {
  await page.evaluate(() => (window.tickseed.draft = window.tickseed.source.replace('approach', 'aproach')));
  await says('1 mistake');
  await page.locator('[data-test=dock]').check();
  await page.locator('[data-label="dock"]').waitFor();
  await says('1 mistake');
  await page.locator('[data-test=mistakes]', { hasText: 'Did you mean approach?' }).waitFor();
  await page.locator('[data-test=dock]').uncheck();
  await page.locator('[data-label="dock"]').waitFor({ state: 'detached' });
  await page.locator('[data-test=revert]').click();
  await says('This is what runs');
});

test('what could stand there is offered', async () => {
  await typeAfter(page, 'recharge', '');
  await page.keyboard.press('Enter');
  await page.keyboard.type('app');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'approach' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[data-test=revert]').click();
  await says('This is what runs');
});

test('a node that is chosen is shown in the text', async () => {
  await page.locator('[data-label="approach"]').click();
  await page.locator('.cm-selectionBackground').first().waitFor({ state: 'attached' });
  await page.locator('.cm-activeLine', { hasText: 'approach' }).waitFor();
});

test('5,000 agents take another tree', async () => {
  await page.getByRole('navigation', { name: 'Worlds' }).getByRole('button', { name: 'boss' }).click();
  await page.evaluate(() => window.tickseed.open('boss', 7, 5000));
  await page.waitForFunction(() => Number(document.querySelector('[data-test=tick]').textContent) > 20 && window.tickseed.world.agents === 5000);
  await page.evaluate(() => (window.tickseed.draft = window.tickseed.source.replace('500ms', '100ms')));
  const start = Date.now();
  await page.locator('[data-test=apply]').click();
  await page.locator('[data-test=report]', { hasText: '5,000 agents' }).waitFor();
  console.log(`5,000 agents taken over in ${Date.now() - start} ms`);
  assert.match(await page.locator('[data-test=moved]').innerText(), /idle/);
  await goesBeyond(page, (await tick()) + 5);
});

test('no script has failed', () => assert.deepEqual(browser.errors, []));
