// A link holds a tree, and one that does not is an error and no more.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { counts, decided, inTheStudio, pause, shows } from './browser.mjs';

let browser, page, studio;

inTheStudio(async (all) => {
  ({ browser, page, studio } = all);
  await decided(page, 'patrol');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
});

const OTHER = 'main tree Robot {\n  sequence {\n    patrol // für immer ✓\n  }\n}\n';
const notice = (at, text) => at.locator('[data-test=notice]', { hasText: text }).waitFor();
const pack = (found) => `#tree=${deflateRawSync(found).toString('base64url')}`;

test('a tree is shared by its link, and begins at its first tick', async () => {
  await page.evaluate((text) => window.tickseed.apply(text), OTHER);
  await counts(page, '[data-node]', 2);
  await page.locator('[data-test=share]').click();
  await notice(page, 'A link to this tree is on the clipboard');
  const address = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(address.length < 300, address);
  const other = await browser.open(address);
  await counts(other, '[data-node]', 2);
  assert.equal(await other.evaluate(() => window.tickseed.source), OTHER);
  await decided(other, 'patrol');
  assert.equal(await other.evaluate(() => window.tickseed.eras.since(1)), 0);
  // The page's own address is the link, too: it says the same when it is read again.
  await page.reload();
  await counts(page, '[data-node]', 2);
  await other.close();
});

test('a link that is followed in the same tab is taken', async () => {
  const hash = pack(JSON.stringify({ world: 'guard', seed: 3, source: 'main tree Guard {\n  patrol\n}\n' }));
  await page.evaluate((hash) => (location.hash = hash), hash);
  await page.locator('[role=tree][aria-label="The tree of guard"]').waitFor();
  await counts(page, '[data-node]', 1);
  assert.equal(await page.evaluate(() => window.tickseed.world.seed), 3);
});

test('it begins again with the tree that runs', async () => {
  await pause(page);
  await page.locator('[data-test=again]').click();
  await page.waitForFunction(() => !window.tickseed.control.paused);
  await pause(page);
  assert.equal(await page.evaluate(() => window.tickseed.source), 'main tree Guard {\n  patrol\n}\n');
  await page.evaluate(() => window.tickseed.seek(1));
  await shows(page, 1);
  await counts(page, '[data-node]', 1);
});

const BAD = [
  ['was cut off', pack(JSON.stringify({ world: 'guard', seed: 3, source: OTHER })).slice(0, 40), 'This link is damaged'],
  ['is no base64', '#tree=%%%', 'This link is damaged'],
  ['is empty', '#tree=', 'This link is damaged'],
  ['holds something else', pack('null'), 'something else than a tree'],
  ['has no text', pack('{"world":"robot","seed":1}'), 'something else than a tree'],
  ['has a seed that is none', pack('{"world":"robot","seed":-1.5,"source":""}'), 'something else than a tree'],
  ['would fill the memory', pack('x'.repeat(30_000_000)), 'This link is damaged'],
  ['knows another world', pack('{"world":"moon","seed":1,"source":""}'), 'no world is named `moon`'],
  ['has a tree with mistakes', pack('{"world":"robot","seed":1,"source":"main tree Robot { fly }"}'), 'the other one has mistakes'],
];
for (const [what, hash, says] of BAD) {
  test(`a link that ${what} is told and changes nothing`, async () => {
    const at = await browser.open(studio.address + hash);
    await notice(at, says);
    await decided(at, 'patrol');
    assert.equal(await at.evaluate(() => window.tickseed.nodes.length), 8);
    await at.close();
  });
}

test('no script has failed', () => assert.deepEqual(browser.errors, []));
