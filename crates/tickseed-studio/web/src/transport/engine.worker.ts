// The engine in its own thread, so that a long run never makes the page wait.

interface Exports {
  memory: WebAssembly.Memory;
  tickseed_input(len: number): number;
  tickseed_handle(): number;
  tickseed_advance(nanoseconds: number): number;
  tickseed_output(): number;
}

let engine: Exports | undefined;
let waiting: string[] = [];
let last = 0;

function post(length: number): void {
  if (!engine || length <= 2) return;
  const bytes = new Uint8Array(engine.memory.buffer, engine.tickseed_output(), length);
  self.postMessage(new TextDecoder().decode(bytes));
}

function handle(text: string): void {
  if (!engine) {
    waiting.push(text);
    return;
  }
  const bytes = new TextEncoder().encode(text);
  const at = engine.tickseed_input(bytes.length);
  new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
  post(engine.tickseed_handle());
}

function frame(): void {
  const now = performance.now();
  const passed = Math.min(now - last, 250);
  last = now;
  if (engine) post(engine.tickseed_advance(passed * 1e6));
}

self.onmessage = async (message: MessageEvent<string | ArrayBuffer>) => {
  if (typeof message.data === 'string') {
    handle(message.data);
    return;
  }
  const { instance } = await WebAssembly.instantiate(message.data, {});
  engine = instance.exports as unknown as Exports;
  for (const text of waiting) handle(text);
  waiting = [];
  last = performance.now();
  setInterval(frame, 16);
};
