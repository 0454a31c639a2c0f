import type { NodeInfo, Status, Tick, Value } from '../protocol';

export interface Asked {
  nodes: NodeInfo[];
  tick: Tick;
  keyName(key: number): string;
  keyValue(key: number): Value | undefined;
  /** When a key last changed, and what did it, in words. */
  keyChanged(key: number): string | undefined;
}

/**
 * Why a node was or was not ticked in this tick, and why it answered as it did: the shortest
 * chain of facts, from the node itself upwards and then down to the leaf that tipped it.
 */
export function why(node: number, at: Asked): string[] {
  const status = answers(at.tick);
  const lines: string[] = [];
  if (status.has(node)) {
    because(node, at, status, lines);
    return lines;
  }
  // The lowest ancestor that was ticked decided not to come down here.
  let below = node;
  let up = at.nodes[node]?.parent ?? null;
  while (up !== null && !status.has(up)) {
    below = up;
    up = at.nodes[up]?.parent ?? null;
  }
  const name = (n: number) => quote(at.nodes[n]);
  if (up === null) return ['The tree was not ticked.'];
  const siblings = at.nodes.filter((n) => n.parent === up).map((n) => n.id);
  const ticked = siblings.filter((n) => status.has(n));
  const stopper = ticked.filter((n) => n < below).at(-1) ?? ticked.at(-1);
  const inside = below === node ? '' : `, in which ${name(node)} stands,`;
  if (stopper === undefined) {
    lines.push(`${name(below)}${inside} was not ticked: ${name(up)} answered ${status.get(up) ?? 'an error'} without ticking a child.`);
    return lines;
  }
  lines.push(
    `${name(below)}${inside} was not ticked: ${name(up)} stopped at ${name(stopper)}, which answered ${status.get(stopper) ?? 'an error'}.`,
  );
  because(stopper, at, status, lines);
  return lines;
}

function because(node: number, at: Asked, status: Map<number, Status | null>, lines: string[]): void {
  const info = at.nodes[node];
  if (!info) return;
  const name = quote(info);
  const children = at.nodes.filter((n) => n.parent === node && status.has(n.id));
  const answer = status.get(node) ?? 'an error';
  if (children.length > 0) {
    // What an in-order composite stopped at decided.
    const decider = children.at(-1)!;
    lines.push(`${name} answered ${answer}, because ${quote(decider)} answered ${status.get(decider.id) ?? 'an error'}.`);
    because(decider.id, at, status, lines);
    return;
  }
  if (at.tick.failure?.node === node) {
    lines.push(`${name} failed: ${at.tick.failure.text}`);
    return;
  }
  const keys = info.reads ?? [];
  if (keys.length === 0) {
    lines.push(`${name} answered ${answer} of its own.`);
    return;
  }
  const facts = keys.map((k) => `${at.keyName(k)} is ${show(at.keyValue(k))}`).join(', ');
  lines.push(`${name} answered ${answer}: ${facts}.`);
  for (const k of keys) {
    const changed = at.keyChanged(k);
    if (changed) lines.push(changed);
  }
}

function answers(tick: Tick): Map<number, Status | null> {
  return new Map(tick.nodes ?? []);
}

function quote(node: NodeInfo | undefined): string {
  return node ? `“${node.label}”` : 'a node';
}

function show(v: Value | undefined): string {
  if (v === undefined || v === null) return 'not set';
  return typeof v === 'number' && !Number.isInteger(v) ? v.toFixed(3) : String(v);
}
