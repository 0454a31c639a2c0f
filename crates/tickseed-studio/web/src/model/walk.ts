import type { NodeInfo, Status, Tick } from '../protocol';
import type { NodeState } from './history';

/** A tick, shown up to one of its answers. */
export interface Walk {
  /** The node that has just answered. */
  cursor: number;
  /** Nodes that are being ticked: entered, and not answered yet. */
  open: ReadonlySet<number>;
  /** Of the tick's entries, those that were entered by now; answered: with their answer. */
  entries: { node: number; status: Status | null; open: boolean }[];
  states: (NodeState | undefined)[];
}

/**
 * The entries of a tick in the order in which they answered. They come in the order in which
 * they were entered; one is inside another if it stands deeper and comes later.
 */
export function answering(entries: readonly [number, unknown][], depth: (node: number) => number): number[] {
  const order: number[] = [];
  const open: number[] = [];
  entries.forEach(([node], i) => {
    while (open.length > 0 && depth(entries[open.at(-1)!]![0]) >= depth(node)) order.push(open.pop()!);
    open.push(i);
  });
  return [...order, ...open.reverse()];
}

/** What is to be seen when so many nodes of a tick have answered. */
export function walk(
  tick: Tick,
  answered: number,
  nodes: NodeInfo[],
  before: (NodeState | undefined)[],
): Walk | undefined {
  const entries = tick.nodes ?? [];
  const depths: number[] = [];
  for (const n of nodes) depths.push(n.parent === null ? 0 : depths[n.parent]! + 1);
  const order = answering(entries, (node) => depths[node] ?? 0);
  const last = order[Math.min(answered, order.length) - 1];
  if (last === undefined) return undefined;
  const done = new Set(order.slice(0, answered));
  const states = before.slice();
  const open = new Set<number>();
  const shown: Walk['entries'] = [];
  entries.forEach(([node, status], i) => {
    // Whatever was entered after the one that has just answered is still to come.
    if (!done.has(i) && i > last) return;
    shown.push({ node, status, open: !done.has(i) });
    if (done.has(i)) states[node] = { status, tick: tick.tick, since: tick.tick };
    else open.add(node);
  });
  return { cursor: entries[last]![0], open, entries: shown, states };
}
