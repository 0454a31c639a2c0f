// Text stands out from what it is written on: WCAG 2, AA, in both themes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const css = readFileSync(new URL('../src/theme.css', import.meta.url), 'utf8');
const colours = (block) =>
  Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((m) => [m[1], m[2]]));
const [light, dark] = [...css.matchAll(/:root[^{]*\{([^}]*)\}/g)].map((m) => colours(m[1]));

function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

const leaves = Array.from({ length: 8 }, (_, i) => `leaf-${i}`);
const TEXT = [
  ...['bg', 'panel', 'sunk', 'floor'].flatMap((ground) => [['ink', ground], ['soft', ground]]),
  ...['running', 'success', 'failure'].flatMap((s) => [['ink', `${s}-soft`], ['soft', `${s}-soft`]]),
  ...['accent', 'failure', 'success', 'running', 'skipped', 'past'].map((t) => [t, 'panel']),
  ['accent', 'accent-soft'],
  ['past', 'past-soft'],
  ['failure', 'failure-soft'],
  ['on-accent', 'accent'],
  // Labels in the timeline's bands and in the state that is on.
  ...leaves.map((l) => ['panel', l]),
  ['leaf-2', 'panel'],
];

for (const [name, theme] of [['light', light], ['dark', dark]]) {
  test(`texts in the ${name} theme have a contrast of at least 4.5`, () => {
    const faint = TEXT.filter(([text, ground]) => contrast(theme[text], theme[ground]) < 4.5);
    assert.deepEqual(faint.map(([t, g]) => `${t} on ${g}: ${contrast(theme[t], theme[g]).toFixed(2)}`), []);
  });
}
