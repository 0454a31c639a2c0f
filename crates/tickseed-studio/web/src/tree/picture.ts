import type { NodeInfo } from '../protocol';

/** A tree laid out by the engine: `tickseed_draw::Picture`. */
export interface Picture {
  /** It grows to the right, not downwards. */
  right: boolean;
  width: number;
  height: number;
  cards: Card[];
  wires: { parent: number; child: number; points: { x: number; y: number }[]; label: string }[];
}

export interface Card {
  node: number;
  x: number;
  y: number;
  width: number;
  height: number;
  title: string;
  subtitle: string;
  hidden: number;
}

/** A tree as the engine wants it told to lay it out. */
export function sketch(
  name: string,
  nodes: NodeInfo[],
  collapsed: ReadonlySet<number>,
  room: [number, number],
) {
  return {
    name,
    room,
    nodes: nodes.map((n) => ({
      parent: n.parent,
      name: n.name ?? '',
      kind: n.kind,
      // Durations and counts say something by themselves; other options stand with their names
      // in the panel on the node.
      detail: n.guard ?? Object.values(n.options ?? {}).filter((v) => /^\d/.test(v)).join(', '),
      collapsed: collapsed.has(n.id),
    })),
  };
}
