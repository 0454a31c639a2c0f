import type { NodeInfo } from '../protocol';

/** A tree laid out. */
export interface Picture {
  /** It grows to the right, not downwards. */
  right: boolean;
  width: number;
  height: number;
  cards: Card[];
  wires: Wire[];
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

export interface Wire {
  parent: number;
  child: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  label: string;
}

export const BLANK: Picture = { right: false, width: 0, height: 0, cards: [], wires: [] };

/** The engine's answer: columns, since the way here is most of the work for a large tree. */
export interface Laid {
  right: boolean;
  width: number;
  height: number;
  nodes: number[];
  places: number[];
  titles: string[];
  subtitles: string[];
  hidden: number[];
  pairs: number[];
  ends: number[];
  labels: string[];
}

export function picture(laid: Laid): Picture {
  const { right, width, height, places: p, pairs, ends: e } = laid;
  const cards = laid.nodes.map((node, i) => ({
    node,
    x: p[4 * i]!,
    y: p[4 * i + 1]!,
    width: p[4 * i + 2]!,
    height: p[4 * i + 3]!,
    title: laid.titles[i]!,
    subtitle: laid.subtitles[i]!,
    hidden: laid.hidden[i]!,
  }));
  const wires = laid.labels.map((label, i) => ({
    parent: pairs[2 * i]!,
    child: pairs[2 * i + 1]!,
    x0: e[4 * i]!,
    y0: e[4 * i + 1]!,
    x1: e[4 * i + 2]!,
    y1: e[4 * i + 3]!,
    label,
  }));
  return { right, width, height, cards, wires };
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
