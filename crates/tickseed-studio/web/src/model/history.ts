import type { Status, Tick } from '../protocol';

/** So many ticks are remembered by the page; the engine can go back to all of them. */
const MOST = 60_000;
/** So far is looked back for what a node answered last. */
const BACK = 3000;

export interface NodeState {
  status: Status | null;
  tick: number;
  /** The first tick of those in a row that it has answered so. */
  since: number;
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

  /** A node's last answer in a tick: `null` for an error, nothing if it was not ticked. */
  answer(tick: number, node: number): Status | null | undefined {
    return this.ticks.get(tick)?.nodes?.findLast(([n]) => n === node)?.[1];
  }

  /** Forgets what came after a tick, as it will not come about any more; what that was. */
  truncate(latest: number): Tick[] {
    const gone: Tick[] = [];
    for (let t = latest + 1; t <= this.latest; t++) {
      const tick = this.ticks.get(t);
      if (tick) gone.push(tick);
      this.ticks.delete(t);
    }
    this.latest = Math.min(this.latest, latest);
    return gone;
  }

  clear(): void {
    this.ticks.clear();
    this.latest = 0;
  }

  /** Each node's latest answer up to a tick, looking back a while, but not beyond `since`. */
  statesAt(tick: number, nodes: number, since: number): (NodeState | undefined)[] {
    const states: (NodeState | undefined)[] = new Array(nodes).fill(undefined);
    let missing = nodes;
    for (let t = tick; t > Math.max(since, tick - BACK) && missing > 0; t--) {
      const at = this.ticks.get(t);
      if (!at?.nodes) continue;
      // Backwards: of several answers in a tick the last one counts.
      for (let i = at.nodes.length - 1; i >= 0; i--) {
        const [node, status] = at.nodes[i]!;
        if (states[node] === undefined) {
          states[node] = { status, tick: t, since: this.since(node, status, t, since) };
          missing--;
        }
      }
    }
    return states;
  }

  /** Since when a node that answered so in a tick has done so without a break. */
  private since(node: number, status: Status | null, tick: number, least: number): number {
    let t = tick;
    while (t - 1 > Math.max(least, tick - BACK) && this.answer(t - 1, node) === status) t--;
    return t;
  }
}
