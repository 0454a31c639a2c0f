import type { NodeInfo } from '../protocol';

export interface Box {
  id: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Drawing {
  boxes: Box[];
  width: number;
  height: number;
}

export const HEIGHT = 46;
const GAP = 18;
const LEVEL = 92;

/** The width a node needs for its texts. */
export function widthOf(node: NodeInfo): number {
  const label = Math.max(node.label.length * 7.4, (node.guard ?? node.kind).length * 6.1);
  return Math.round(Math.min(230, Math.max(112, label + 54)));
}

/**
 * Parents centred over their children, children in their order, no overlaps: the tree's
 * contour on the right of what was placed is kept level by level.
 */
export function layout(nodes: NodeInfo[], hidden: ReadonlySet<number> = new Set()): Drawing {
  const children: number[][] = nodes.map(() => []);
  for (const n of nodes) if (n.parent !== null) children[n.parent]?.push(n.id);
  const x = new Float64Array(nodes.length);
  const shift = new Float64Array(nodes.length);
  const depth = new Int32Array(nodes.length);
  const shown = new Uint8Array(nodes.length);
  for (const n of nodes) {
    depth[n.id] = n.parent === null ? 0 : depth[n.parent]! + 1;
    shown[n.id] = n.parent === null || (shown[n.parent] && !hidden.has(n.parent)) ? 1 : 0;
  }
  // Contours by subtree, deepest first: the left and right edge of every level.
  const left: number[][] = new Array(nodes.length);
  const right: number[][] = new Array(nodes.length);
  for (let id = nodes.length - 1; id >= 0; id--) {
    if (!shown[id]) continue;
    const width = widthOf(nodes[id]!);
    const below = hidden.has(id) ? [] : children[id]!;
    if (below.length === 0) {
      left[id] = [0];
      right[id] = [width];
      continue;
    }
    const l: number[] = [];
    const r: number[] = [];
    for (const c of below) {
      let by = 0;
      for (let d = 0; d < Math.min(r.length, left[c]!.length); d++) {
        by = Math.max(by, r[d]! + GAP - left[c]![d]!);
      }
      shift[c] = by;
      left[c]!.forEach((v, d) => {
        if (d >= l.length) l.push(v + by);
      });
      right[c]!.forEach((v, d) => {
        r[d] = v + by;
      });
    }
    const first = below[0]!;
    const last = below[below.length - 1]!;
    const from = shift[first]! + x[first]!;
    const to = shift[last]! + x[last]! + widthOf(nodes[last]!);
    x[id] = (from + to - width) / 2;
    left[id] = [x[id]!, ...l];
    right[id] = [x[id]! + width, ...r];
  }
  const boxes: Box[] = [];
  const offset = new Float64Array(nodes.length);
  let min = 0;
  for (const n of nodes) {
    if (!shown[n.id]) continue;
    offset[n.id] = (n.parent === null ? 0 : offset[n.parent]!) + shift[n.id]!;
    boxes.push({
      id: n.id,
      x: offset[n.id]! + x[n.id]!,
      y: depth[n.id]! * LEVEL,
      width: widthOf(n),
      height: HEIGHT,
    });
    min = Math.min(min, offset[n.id]! + x[n.id]!);
  }
  let width = 0;
  let height = 0;
  for (const b of boxes) {
    b.x -= min;
    width = Math.max(width, b.x + b.width);
    height = Math.max(height, b.y + b.height);
  }
  return { boxes, width, height };
}
