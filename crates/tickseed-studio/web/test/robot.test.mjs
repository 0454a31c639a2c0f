// The story of document 001 in a real browser: patrol, click, approach, drain, preempt,
// charge, resume; then back in time.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clickScene, counts, decided, happened, inTheStudio, pause, run, shows, tick as shownTick } from './browser.mjs';

let browser, page;

inTheStudio(async (all) => {
  ({ browser, page } = all);
});

const status = (label) => page.locator(`[data-label="${label}"]`).getAttribute('data-status');
const fresh = (label) => page.locator(`[data-label="${label}"]`).getAttribute('data-fresh');
const tick = () => shownTick(page);
const step = () => page.locator('[data-test=step]').click();
/** The element that has the focus, by one of its attributes. */
const focused = (attribute, value) =>
  page.waitForFunction(([a, v]) => document.activeElement?.getAttribute(a) === v, [attribute, value]);

test('the robot patrols, is sent, runs low, charges and resumes', async () => {
  await decided(page, 'patrol');
  // Tick by tick while it is looked at: what lasts for a second is over before a slow page has looked.
  await pause(page);
  assert.equal(await status('patrol'), 'running');
  assert.equal(await status('battery low'), 'failure');

  await clickScene(page, 20, 3);
  await step();
  await decided(page, 'approach');
  await page.locator('[data-from=patrol][data-to=approach][data-taken=true]').waitFor();
  assert.equal(await page.locator('[data-taken=true]').count(), 1, 'the arrow that was taken flashes');
  assert.equal(await status('target visible'), 'success');
  assert.equal(await fresh('patrol'), 'false', 'patrol is no longer ticked');
  assert.equal(await status('patrol'), 'running', 'but its last answer can be seen');

  await page.locator('[data-test=drain]').click();
  await step();
  await decided(page, 'recharge');
  assert.equal(await status('battery low'), 'success');
  const battery = page.getByRole('meter', { name: 'battery' });
  assert.ok(Number(await battery.getAttribute('aria-valuenow')) <= 15);

  const low = await tick();
  // Half a minute of the robot's time, however long that takes.
  await page.evaluate(() => window.tickseed.do({ do: 'step', ticks: 600 }));
  await shows(page, low + 600);
  const charged = await happened(page, 'approach', low);
  await happened(page, 'patrol', charged);
  await page.evaluate((n) => window.tickseed.seek(n), charged);
  await shows(page, charged);
  assert.ok(Number(await battery.getAttribute('aria-valuenow')) >= 90, 'charged');
  // From here on at the speed of a clock.
  await page.locator('[data-test=live]').click();
  await run(page);
  await page.getByText('Live', { exact: true }).waitFor();
});

test('a paused run steps on, steps back and goes live', async () => {
  await pause(page);
  const at = await tick();
  await page.locator('[data-test=back]').click();
  await page.locator('[data-test=mode]', { hasText: '1 tick behind' }).waitFor();
  await shows(page, at - 1);
  await step();
  await page.getByText('Paused', { exact: true }).waitFor();
  await shows(page, at);
  await step();
  await shows(page, at + 1);
});

test('the arrow that flashes is one that the run took, also in the past', async () => {
  // The first tick in which the robot approached, and the one before.
  const at = await happened(page, 'approach');
  const go = async (n) => {
    await page.evaluate((n) => window.tickseed.seek(n), n);
    await shows(page, n);
  };
  await go(at);
  await page.locator('[data-from=patrol][data-to=approach][data-taken=true]').waitFor();
  await go(at - 1);
  await page.locator('[data-taken=true]').waitFor({ state: 'detached' });
  await page.locator('[data-test=live]').click();
  await page.getByText('Paused', { exact: true }).waitFor();
});

test('the state machine beside the tree is derived from it', async () => {
  const size = (states, arrows) => page.locator(`[data-test=machine][data-states="${states}"][data-arrows="${arrows}"]`).waitFor();
  await size(3, 6);
  await page.locator('[data-test=dock]').check();
  await size(4, 12);
  await page.locator('[data-test=dock]').uncheck();
  await size(3, 6);
});

test('scrubbing back and forward shows the same ticks', async () => {
  const timeline = page.locator('[data-test=timeline]');
  const key = (name) => page.locator(`[data-key="${name}"] .value`).textContent();
  const see = async () => [await tick(), await key('battery'), await key('x'), await page.locator('[data-test=leaf]').textContent()].join();
  const there = await see();
  const t = await tick();
  await timeline.focus();
  await page.keyboard.press('PageUp');
  await shows(page, t - 20);
  assert.notEqual(await see(), there);
  await page.keyboard.press('PageDown');
  await shows(page, t);
  assert.equal(await see(), there);
  // To where the battery was low, by the lane of deciding leaves.
  await page.keyboard.press('PageUp');
  await page.locator('[data-test=live]').click();
  await shows(page, t);
});

test('a click on the trail goes to the tick at which the robot was there', async () => {
  const there = await tick();
  const { x, y, back } = await page.evaluate(() => {
    const trail = window.tickseed.view.marks.find((m) => m.shape === 'line').points;
    const robot = trail.at(-1);
    // The robot stands on its trail and covers what is newest; older rounds may cross it.
    const far = (p) => Math.hypot(p.x - robot.x, p.y - robot.y) > 1.5;
    const alone = (p, i) => trail.every((q, k) => Math.abs(k - i) < 10 || Math.hypot(p.x - q.x, p.y - q.y) > 0.6);
    const i = trail.findLastIndex((p, i) => far(p) && alone(p, i));
    return { ...trail[i], back: trail.length - 1 - i };
  });
  await clickScene(page, x, y);
  await page.getByText(/ticks behind/).waitFor();
  assert.ok(Math.abs(there - back - (await tick())) <= 3, `${there} - ${back} is not ${await tick()}`);
  const at = await page.evaluate(() => window.tickseed.view.marks.findLast((m) => typeof m.shape === 'object' && m.shape.body).points[0]);
  assert.ok(Math.hypot(at.x - x, at.y - y) < 0.5, 'the robot is there');
  await page.locator('[data-test=live]').click();
  await page.getByText('Paused', { exact: true }).waitFor();
});

test('the tree is saved as SVG, with the answers it shows', async () => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-test=svg]').click()]);
  assert.equal(download.suggestedFilename(), 'robot.svg');
  const svg = readFileSync(await download.path(), 'utf8');
  assert.match(svg, /^<svg /);
  assert.ok(svg.includes('recharge') && svg.includes('battery low'));
});

test('a node tells why it was not ticked and when it last ran', async () => {
  await page.locator('[data-label="recharge"]').click();
  const why = page.locator('[data-test=why]');
  await why.getByText(/recharge was not ticked: reactive sequence stopped at battery low, which answered failure/).waitFor();
  await why.getByText(/battery low answered failure: battery_low is false \(since tick \d+\)/).waitFor();
  await page.locator('[data-test=last-run]').click();
  await decided(page, 'recharge');
  assert.match(await page.locator('[data-test=mode]').textContent(), /behind/);
  await why.getByText('recharge answered running of its own').waitFor();
  await page.locator('[data-test=live]').click();
  await page.getByText('Paused', { exact: true }).waitFor();
});

test('a tick is walked through answer by answer', async () => {
  const at = await tick();
  await page.keyboard.press('F11');
  await page.getByText('Stepping: 1 of').waitFor();
  // The next tick was made.
  await shows(page, at + 1);
  const cursor = () => page.locator('.node.cursor').getAttribute('data-label');
  assert.equal(await cursor(), 'battery low');
  assert.equal(await page.locator('.node.open').count(), 2, 'the selector and the sequence are being ticked');
  assert.equal(await fresh('patrol'), 'false', 'it is still to come');
  assert.equal(await page.locator('[aria-current=step]').count(), 1);
  const seen = [];
  for (let n = 2; n <= 6; n++) {
    await page.locator('[data-test=step-node]').click();
    await page.getByText(`Stepping: ${n} of`).waitFor();
    seen.push(await cursor());
  }
  assert.deepEqual(seen, ['reactive sequence', 'target visible', 'reactive sequence', 'patrol', 'reactive selector']);
  assert.equal(await fresh('patrol'), 'true');
  await step();
  await shows(page, at + 2);
  // A whole tick again.
  await counts(page, '.node.cursor', 0);
});

test('keys tell who wrote them last and who reads them', async () => {
  await page.getByRole('tab', { name: 'Blackboard' }).click();
  const about = (name) => page.locator(`[data-about=${name}]`);
  assert.equal(await about('target_visible').locator('[data-reader]').getAttribute('data-reader'), 'target visible');
  assert.equal(await about('battery').locator('[data-writer]').getAttribute('data-writer'), 'world');
  assert.equal(await about('charging').locator('[data-writer]').getAttribute('data-writer'), 'recharge');
  await clickScene(page, 20, 12);
  await step();
  await about('target_visible').locator('[data-writer=input]').waitFor();
  await about('target_visible').locator('[data-reader]').click();
  await page.getByRole('tab', { name: 'Node', selected: true }).waitFor();
  await page.locator('[data-test=why]').getByText(/target_visible is true \(set by an input\)/).waitFor();
  // Off again, for the tests that follow.
  await page.getByRole('tab', { name: 'Blackboard' }).click();
  await page.locator('[data-key=target_visible] .set').click();
  await step();
  await decided(page, 'patrol');
});

test('breakpoints on a node and on a key pause the run', async () => {
  await page.locator('[data-label="approach"]').click();
  await page.locator('[data-test=break-entered][aria-pressed=false]').click();
  await page.locator('[data-test=break-entered][aria-pressed=true]').waitFor();
  await clickScene(page, 4, 10);
  await run(page);
  await page.getByText(/Paused at tick \d+: approach was entered/).waitFor();
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.locator('[data-test=break-entered]').click();

  await page.getByRole('tab', { name: 'Blackboard' }).click();
  await page.locator('[data-test=break-key]').selectOption({ label: 'battery' });
  await page.locator('[data-test=break-is]').selectOption('<');
  await page.locator('[data-test=break-value]').fill('0.5');
  await page.locator('[data-test=break-add]').click();
  await page.getByRole('button', { name: 'Remove: battery < 0.5' }).waitFor();
  // It pauses when that comes about, not while it is so.
  await page.evaluate(() => window.tickseed.setKey(window.tickseed.keyDefs.findIndex((k) => k.name === 'battery'), 1));
  await step();
  await page.waitForFunction(() => document.querySelector('[data-key=battery] .value')?.textContent?.trim().startsWith('0.99'));
  await page.locator('[data-test=drain]').click();
  await run(page);
  await page.getByText(/battery is 0\.1/).waitFor();
  await page.getByText('Paused', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove: battery < 0.5' }).click();
  // Once time goes on, it is not paused there any more.
  await step();
  assert.equal((await page.locator('[data-test=notice]').textContent()).trim(), '');
});

test('what a breakpoint says covers nothing, and those that are set are in sight', async () => {
  await page.locator('[data-label="patrol"]').click();
  await page.locator('[data-test=break-failed]').click();
  await page.getByRole('tab', { name: 'Blackboard' }).click();
  const entry = page.locator('[data-test=breakpoints] .node', { hasText: 'patrol answers failure' });
  const seen = await entry.evaluate((e) => {
    const { left, top, width, height } = e.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === e;
  });
  assert.ok(seen, 'the list is not hidden below the keys');
  await entry.click();
  await page.locator('[data-test=break-failed][aria-pressed=true]').click();
  await page.locator('[data-test=break-failed][aria-pressed=false]').waitFor();
  await page.getByRole('tab', { name: 'Blackboard' }).click();
});

test('editing a key is an input', async () => {
  await page.locator('[data-key=battery] .set').click();
  await page.getByRole('textbox', { name: 'battery', exact: true }).fill('1');
  await page.keyboard.press('Enter');
  await step();
  await page.waitForFunction(() => document.querySelector('[data-key=battery] .value')?.textContent?.trim().startsWith('0.99'));
});

test('the tree can be walked by keyboard', async () => {
  await page.locator('[data-label="approach"]').focus();
  await page.keyboard.press('ArrowUp');
  await focused('data-label', 'reactive sequence');
  await page.keyboard.press('ArrowUp');
  await focused('data-node', '0');
  await page.keyboard.press('ArrowDown');
  await focused('data-label', 'reactive sequence');
  const first = await page.evaluate(() => document.activeElement.getAttribute('data-node'));
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction((n) => !['0', n].includes(document.activeElement?.getAttribute('data-node')), first);
  await page.keyboard.press('ArrowRight');
  await focused('data-label', 'patrol');
  await page.keyboard.press('F9');
  await page.locator('[data-label="patrol"] .stop').waitFor();
  await page.keyboard.press('F9');
  await page.locator('[data-label="patrol"] .stop').waitFor({ state: 'detached' });
});

test('all of it can be done by keyboard: aim, tabs, help, finding a node', async () => {
  await page.locator('[data-test=aim]').focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.locator('[data-test=step]').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('tab', { name: 'Blackboard' }).click();
  const value = (name) => page.locator(`[data-key="${name}"] .value`).textContent();
  await page.waitForFunction(() => document.querySelector('[data-key=target_x] .value')?.textContent?.trim() === '11');
  assert.equal((await value('target_y')).trim(), '8');
  await page.getByRole('tab', { name: 'Blackboard' }).focus();
  await page.keyboard.press('ArrowRight');
  await focused('id', 'tab-Node');
  await page.getByRole('tab', { name: 'Node', selected: true }).waitFor();
  await page.keyboard.press('?');
  await page.locator('[data-test=help]').getByText('a node on, within the tick').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[data-test=help]').waitFor({ state: 'hidden' });
  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('reactive');
  await counts(page, '.node.hit', 3);
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('charge');
  await page.keyboard.press('Enter');
  await page.locator('[data-label=recharge].selected.hit').waitFor();
  await page.getByText('1 of 1', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await focused('data-label', 'recharge');
});

test('no script has failed', () => assert.deepEqual(browser.errors, []));
