// The engine in the page gives the same ticks as the one in processes: the golden traces of
// crates/tickseed-play/tests/golden.json through WebAssembly.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const here = (path) => readFileSync(new URL(path, import.meta.url));
const stories = JSON.parse(here('../../../tickseed-play/tests/golden.json'));
const module = await WebAssembly.compile(here('../../ui/dist/tickseed.wasm'));

async function engine() {
  const { exports: e } = await WebAssembly.instantiate(module, {});
  return (command) => {
    const bytes = new TextEncoder().encode(JSON.stringify(command));
    const at = e.tickseed_input(bytes.length);
    new Uint8Array(e.memory.buffer, at, bytes.length).set(bytes);
    const length = e.tickseed_handle();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(e.memory.buffer, e.tickseed_output(), length)));
  };
}

for (const { commands, ticks } of stories) {
  test(`${commands[0].name}: the golden trace`, async () => {
    const handle = await engine();
    const kept = [];
    for (const command of commands) {
      for (const event of handle(command)) {
        assert.notEqual(event.event, 'error', event.text);
        if (event.event !== 'tick' || !(event.inputs || event.tick % 25 === 0)) continue;
        const { tick, status, leaves, fingerprint } = event;
        kept.push({ tick, status, leaves, deciding: event.deciding ?? null, fingerprint });
      }
    }
    assert.ok(kept.length > 10);
    assert.deepEqual(kept, ticks);
  });
}
