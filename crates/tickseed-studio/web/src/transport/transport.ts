import type { Event } from '../protocol';

/** How the page talks to whatever runs the tree: the engine in a worker, or a process. */
export interface Transport {
  /** Sends a command or a question; `id`s are the caller's. */
  send(message: Record<string, unknown>): void;
  close(): void;
}

export interface Listener {
  events(events: Event[]): void;
  /** The connection is there, or gone. */
  connected(up: boolean, why?: string): void;
}
