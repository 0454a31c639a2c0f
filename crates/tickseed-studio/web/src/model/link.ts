/** What a link holds: a world, and a text in place of its own. */
export interface Shared {
  world: string;
  seed: number;
  source: string;
}

const MARK = '#tree=';
/** No text that somebody wrote is longer; what is packed may claim to be anything. */
const MOST = 1_000_000;

/** The address of a page that begins with this: the text is in it, packed. None if it is too long to be read back. */
export async function linkTo(page: string, shared: Shared): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  if (bytes.length > MOST) return undefined;
  const packed = await through(new CompressionStream('deflate-raw'), bytes);
  let text = '';
  for (const byte of packed) text += String.fromCharCode(byte);
  return page + MARK + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** What an address holds: nothing, a tree, or something that is none, which is an error. */
export async function readLink(hash: string): Promise<Shared | undefined> {
  if (!hash.startsWith(MARK)) return undefined;
  let found: unknown;
  try {
    const text = atob(hash.slice(MARK.length).replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const bytes = await through(new DecompressionStream('deflate-raw'), packed);
    found = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Error('This link is damaged: it holds no tree that can be read. Perhaps a part of it was not copied.');
  }
  if (!isShared(found)) throw new Error('This link holds something else than a tree.');
  return found;
}

function isShared(found: unknown): found is Shared {
  const { world, seed, source } = (found ?? {}) as Partial<Record<keyof Shared, unknown>>;
  return typeof world === 'string' && Number.isSafeInteger(seed) && (seed as number) >= 0 && typeof source === 'string';
}

/** All that comes out of a stream when this goes in, if it is not too much. */
async function through(stream: CompressionStream | DecompressionStream, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length > MOST) {
      await reader.cancel();
      throw new Error('too long');
    }
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
