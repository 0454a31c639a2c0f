import type { Status, Tick } from '../protocol';

/** So many ticks are remembered by the page; the engine can go back to all of them. */
const MOST = 60_000;

export interface NodeState {
  status: Status | null;
  tick: number;
}

/** What the page has heard of the run: every tick, by its number. */
export class History {
  private ticks = new Map<number, Tick>();
  latest = 0;

  /** Takes in a tick. Keys' changes are only sound if the tick before was heard, too. */
  add(tick: Tick, whole: boolean): void {
    const known = this.ticks.get(tick.tick);
    // A tick that was sought carries all keys, not the changed ones.
    this.ticks.set(tick.tick, whole && known ? { ...tick, keys: known.keys } : tick);
    this.latest = Math.max(this.latest, tick.tick);
    if (this.ticks.size > MOST) this.ticks.delete(tick.tick - MOST);
  }

  get(tick: number): Tick | undefined {
    return this.ticks.get(tick);
  }

  /** Forgets what came after a tick: it will not come about any more. */
  truncate(latest: number): void {
    for (let t = latest + 1; t <= this.latest; t++) this.ticks.delete(t);
    this.latest = Math.min(this.latest, latest);
  }

  clear(): void {
    this.ticks.clear();
    this.latest = 0;
  }

  /** Each node's latest answer up to a tick, looking back a while, but not beyond `since`. */
  statesAt(tick: number, nodes: number, since: number): (NodeState | undefined)[] {
    const states: (NodeState | undefined)[] = new Array(nodes).fill(undefined);
    let missing = nodes;
    for (let t = tick; t > Math.max(since, tick - 3000) && missing > 0; t--) {
      const at = this.ticks.get(t);
      if (!at?.nodes) continue;
      // Backwards: of several answers in a tick the last one counts.
      for (let i = at.nodes.length - 1; i >= 0; i--) {
        const [node, status] = at.nodes[i]!;
        if (states[node] === undefined) {
          states[node] = { status, tick: t };
          missing--;
        }
      }
    }
    return states;
  }
}
