// Changes that are made in the tree: each is a text that is applied, and can be taken back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counts, decided, inTheStudio, pause, shows, tick } from './browser.mjs';

let browser, page;

inTheStudio(async (all) => {
  ({ browser, page } = all);
  await decided(page, 'patrol');
  await pause(page);
});

const card = (label) => page.locator(`[role=treeitem][data-label="${label}"]`);
const source = () => page.evaluate(() => window.tickseed.source);
const notice = (text) => page.locator('[data-test=notice]', { hasText: text }).waitFor();
/** Waits until the text that runs has this in it, white space aside. */
const reads = (text) =>
  page.waitForFunction((t) => window.tickseed.source.replace(/\s+/g, ' ').includes(t), text, { polling: 20 });
const focused = (label) => page.waitForFunction((l) => document.activeElement?.getAttribute('data-label') === l, label, { polling: 20 });
/** Chooses with the keyboard in a list that has the focus. */
async function pick(test, option) {
  await page.waitForFunction((t) => document.activeElement?.getAttribute('data-test') === t, test, { polling: 20 });
  await page.locator(`[data-test=${test}] option`, { hasText: option }).first().waitFor({ state: 'attached' });
  await page.keyboard.type(option);
  await page.keyboard.press('Enter');
}

test('a node goes before its sibling and back, and keeps the focus', async () => {
  const text = await source();
  await card('patrol').click();
  await card('patrol').focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await reads('patrol sequence reactive { check "target visible"');
  await focused('patrol');
  await page.keyboard.press('Alt+ArrowRight');
  await reads('approach } patrol }');
  assert.equal(await source(), text);
  await page.keyboard.press('Alt+ArrowRight');
  await notice('Nothing stands behind it');
});

test('changes are taken back and made again', async () => {
  const text = await source();
  await card('approach').focus();
  await page.keyboard.press('Control+d');
  await counts(page, '[data-label=approach]', 2);
  await page.keyboard.press('Control+z');
  await counts(page, '[data-label=approach]', 1);
  assert.equal(await source(), text);
  await page.locator('[data-test=redo]').click();
  await counts(page, '[data-label=approach]', 2);
  await page.locator('[data-test=undo]').click();
  await counts(page, '[data-label=approach]', 1);
});

test('a branch that is switched off is switched on where it stood', async () => {
  const text = await source();
  await card('approach').focus();
  await page.keyboard.press('x');
  await reads('off approach');
  // The tick that is shown was made with it.
  await page.getByText('The tree was changed after this tick').waitFor();
  await counts(page, '[data-label=approach]', 0);
  // The node around it is chosen, and says what is off.
  await page.locator('[data-test=switch-on]').click();
  await counts(page, '[data-label=approach]', 1);
  assert.equal(await source(), text);
});

test('what the reader refuses changes nothing', async () => {
  const text = await source();
  await page.evaluate(() => (window.tickseed.selected = window.tickseed.nodes.find((n) => n.label === 'approach').id));
  await page.locator('[data-test=change-remove]').click();
  await counts(page, '[data-label=approach]', 0);
  await card('target visible').click();
  await page.locator('[data-test=change-remove]').click();
  await notice('Not possible');
  await counts(page, '[data-label="target visible"]', 1);
  await page.locator('[data-test=undo]').click();
  await counts(page, '[data-label=approach]', 1);
  assert.equal(await source(), text);
  await card('reactive selector').click();
  await counts(page, '[data-test=change-remove]', 0);
});

test('a text that is being written is not thrown away', async () => {
  await page.evaluate(() => (window.tickseed.draft = `${window.tickseed.source}\n// being written\n`));
  await card('patrol').click();
  await page.locator('[data-test=change-duplicate]').click();
  await notice('The text in Source is being edited');
  await page.evaluate(() => (window.tickseed.draft = undefined));
});

test('a node’s type is changed, and its children stay', async () => {
  const text = await source();
  await page.evaluate(() => (window.tickseed.selected = 0));
  await card('reactive selector').focus();
  await page.keyboard.press('t');
  await pick('change-type', 'sequence reactive');
  await reads('main tree Robot { sequence reactive { sequence reactive { check "battery low"');
  await focused('reactive sequence');
  await page.keyboard.press('Control+z');
  await reads('main tree Robot { selector reactive {');
  assert.equal(await source(), text);
  // A leaf becomes another one.
  await card('approach').focus();
  await page.keyboard.press('t');
  await pick('change-type', 'recharge');
  await counts(page, '[data-label=recharge]', 2);
  await page.locator('[data-test=undo]').click();
  await counts(page, '[data-label=recharge]', 1);
  assert.equal(await source(), text);
  // What is not finished is written in the text, and changes nothing until then.
  await card('approach').focus();
  await page.keyboard.press('t');
  await pick('change-type', 'check');
  await page.locator('.cm-content:focus').waitFor();
  assert.match(await page.evaluate(() => window.tickseed.draft), /check "target visible" target_visible\n +check \n/);
  await page.evaluate(() => (window.tickseed.draft = undefined));
  await page.getByRole('tab', { name: 'Node' }).click();
  assert.equal(await source(), text);
});

test('a type that does not fit changes nothing', async () => {
  const text = await source();
  await page.evaluate(() => window.tickseed.apply('main tree Robot {\n  selector {\n    if battery < 0.2 {\n      recharge\n    } else {\n      approach\n    }\n    patrol\n  }\n}\n'));
  await reads('if battery < 0.2');
  await page.evaluate(async () => {
    const { edits, nodes } = window.tickseed;
    await edits.change(edits.part(nodes.find((n) => n.label.startsWith('if')).id), 'become', 'retry 3');
  });
  await notice('Not possible');
  await reads('if battery < 0.2');
  await page.locator('[data-test=undo]').click();
  await reads('target_visible');
  assert.equal(await source(), text);
});

test('a subtree becomes a tree of its own, and can be put back', async () => {
  const text = await source();
  await card('recharge').click();
  await page.evaluate(() => (window.tickseed.selected = window.tickseed.nodes[window.tickseed.selected].parent));
  await page.locator('[data-test=change-extract]').fill('two words');
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await notice('is no name for a tree');
  await page.locator('[data-test=change-extract]').fill('Charging');
  await page.getByRole('button', { name: 'Extract', exact: true }).click();
  await reads('selector reactive { Charging sequence reactive { check "target visible"');
  await reads('tree Charging { sequence reactive { check "battery low" battery_low recharge } }');
  await notice('in a tree “Charging”');
  await page.locator('[data-test=written]', { hasText: 'Charging' }).waitFor();
  await counts(page, '[data-node]', 8);
  await page.locator('[data-test=undo]').click();
  await reads('selector reactive { sequence reactive { check "battery low"');
  assert.equal(await source(), text);
});

test('a subtree is copied into another tab', async () => {
  const text = await source();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await card('target visible').click();
  await page.evaluate(() => (window.tickseed.selected = window.tickseed.nodes[window.tickseed.selected].parent));
  await page.locator('[data-test=copy]').click();
  await notice('is on the clipboard');
  const other = await browser.open(page.url());
  await decided(other, 'patrol');
  await pause(other);
  await other.locator('[role=treeitem][data-label=patrol]').click();
  await other.locator('[role=treeitem][data-label=patrol]').focus();
  await other.keyboard.press('Control+v');
  await counts(other, '[data-label=approach]', 2);
  const pasted = await other.evaluate(() => window.tickseed.source);
  assert.match(pasted, /patrol\n    sequence reactive {\n      check "target visible" target_visible\n      approach\n    }\n/);
  // With the keys alone, and what is cut goes.
  await other.keyboard.press('Control+x');
  await counts(other, '[data-label=approach]', 1);
  await other.locator('[role=treeitem][data-label="battery low"]').focus();
  await other.keyboard.press('Control+v');
  await counts(other, '[data-label=approach]', 2);
  // What is no node is refused.
  await other.evaluate(() => navigator.clipboard.writeText('Dear Sir or Madam,\nthis is a letter.'));
  await other.locator('[data-test=paste]').click();
  await other.locator('[data-test=notice]', { hasText: '`Dear Sir or Madam, …` is no node' }).waitFor();
  await other.close();
  assert.equal(await source(), text);
});

test('what comes after a change is forgotten with it', async () => {
  const n = await tick(page);
  await page.evaluate(() => window.tickseed.do({ do: 'step', ticks: 5 }));
  await shows(page, n + 5);
  await card('patrol').focus();
  await page.keyboard.press('Control+d');
  await counts(page, '[data-label=patrol]', 2);
  await page.evaluate(() => window.tickseed.do({ do: 'step', ticks: 5 }));
  await shows(page, n + 10);
  await page.evaluate((n) => window.tickseed.seek(n), n);
  await counts(page, '[data-label=patrol]', 1);
  // Before the change there is nothing to take back, but it can be seen coming again.
  assert.equal(await page.evaluate(() => window.tickseed.source.match(/^ *patrol$/gm).length), 1);
  await page.locator('[data-test=live]').click();
  await counts(page, '[data-label=patrol]', 2);
  await page.keyboard.press('Control+z');
  await counts(page, '[data-label=patrol]', 1);
});

test('the robot’s tree is built by keyboard alone', async () => {
  const wanted = (await source()).replace(/^\/\/!.*\n/gm, '').trim();
  await page.evaluate(() => window.tickseed.apply('main tree Robot { patrol }\n'));
  await counts(page, '[data-node]', 1);
  await card('patrol').focus();
  await page.keyboard.press('w');
  await pick('change-wrap', 'selector reactive');
  await reads('selector reactive { patrol }');
  for (const [action, check, key] of [
    ['recharge', 'battery low', 'battery_low'],
    ['approach', 'target visible', 'target_visible'],
  ]) {
    // A leaf behind the last one, moved before it, with a sequence around it.
    await card('patrol').focus();
    await page.keyboard.press('a');
    await pick('change-add', action);
    await focused(action);
    await page.keyboard.press('Alt+ArrowLeft');
    await reads(`${action} patrol`);
    await focused(action);
    await page.keyboard.press('w');
    await pick('change-wrap', 'sequence reactive');
    await reads(`sequence reactive { ${action} }`);
    await focused('reactive sequence');
    await page.keyboard.press('ArrowDown');
    await focused(action);
    // A condition wants to be told what it asks: that is written in the text.
    await page.keyboard.press('a');
    await pick('change-add', 'check');
    await page.locator('.cm-content:focus').waitFor();
    await page.keyboard.type(`"${check}" ${key}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Enter');
    await reads(`${action} check "${check}" ${key}`);
    await page.getByRole('tab', { name: 'Node' }).click();
    await card(check).focus();
    await page.keyboard.press('Alt+ArrowLeft');
    await reads(`check "${check}" ${key} ${action}`);
  }
  assert.equal((await source()).trim(), wanted);
  await counts(page, '[data-node]', 8);
});

test('no script has failed', () => assert.deepEqual(browser.errors, []));
