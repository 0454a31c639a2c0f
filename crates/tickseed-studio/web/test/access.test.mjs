// What can be checked of accessibility by rule, with axe: every panel, both themes.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decided, inTheStudio, pause } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser, page;

inTheStudio(async (all) => {
  ({ browser, page } = all);
  await page.evaluate(axe);
}, { width: 1280, height: 800 });

async function clean(what) {
  const found = await page.evaluate(async () => {
    const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations, passes } = await axe.run(document, { runOnly: rules });
    return { violations: violations.map((v) => `${v.help}: ${v.nodes.map((n) => n.target).join(', ')}`), passes: passes.length };
  });
  assert.ok(found.passes > 15, 'the rules apply to this page');
  assert.deepEqual(found.violations, [], what);
}

const tab = (name) => page.getByRole('tab', { name }).click();
const world = (name) => page.getByRole('navigation', { name: 'Worlds' }).getByRole('button', { name }).click();

for (const theme of ['light', 'dark']) {
  test(`every panel is clean in the ${theme} theme`, async () => {
    if (theme === 'dark') await page.locator('[data-test=theme]').click();
    await page.waitForFunction((t) => document.documentElement.dataset.theme === t, theme);
    await world('robot');
    await decided(page, 'patrol');
    await pause(page);
    await clean('blackboard');
    await page.locator('[data-label="recharge"]').click();
    await clean('node');
    await page.keyboard.press('F11');
    await page.getByText('Stepping: 1 of').waitFor();
    await clean('tick, stepped through');
    await tab('Source');
    await page.locator('[data-test=source-state]').waitFor();
    await page.locator('.cm-content').waitFor();
    await clean('source');
    await tab('Tick');
    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Find a node' }).waitFor();
    await clean('finding a node');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.locator('[data-test=help]').waitFor();
    await clean('keys');
    await page.keyboard.press('Escape');
    await world('villager');
    await tab('Scores');
    await page.locator('[data-test=scores] li').first().waitFor();
    await clean('scores');
    await tab('Crowd');
    await page.locator('[data-agent]').first().waitFor();
    await clean('crowd');
  });
}

test('no script has failed', () => assert.deepEqual(browser.errors, []));
