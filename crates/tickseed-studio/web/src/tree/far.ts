import type { Status } from '../protocol';
import type { Card, Picture } from './picture';

/** Where the picture lies on the screen. */
export interface Look {
  width: number;
  height: number;
  zoom: number;
  panX: number;
  panY: number;
}

/** What is drawn of a node's state. */
export interface Marks {
  /** Its answer in the tick that is shown; none if it was not ticked in it. */
  fresh(node: number): Status | undefined;
  onPath(node: number): boolean;
  selected: number | undefined;
  /** The part of a crowd that is at or below it. */
  heat?(node: number): number;
  label(node: number): string;
}

const STATUSES: readonly Status[] = ['failure', 'success', 'running', 'skipped'];

/** For each node, how far its subtree reaches to both sides: whether there is room for a label. */
export function spans(picture: Picture): Map<number, number> {
  const across = (c: Card) => (picture.right ? [c.y, c.y + c.height] : [c.x, c.x + c.width]) as [number, number];
  const reach = new Map(picture.cards.map((c) => [c.node, across(c)]));
  // Children come after their parents.
  for (const wire of picture.wires.toReversed()) {
    const [up, down] = [reach.get(wire.parent), reach.get(wire.child)];
    if (!up || !down) continue;
    up[0] = Math.min(up[0], down[0]);
    up[1] = Math.max(up[1], down[1]);
  }
  return new Map([...reach].map(([node, [a, b]]) => [node, b - a]));
}

/**
 * A tree from afar, where texts in cards could not be read: thousands of nodes in a few
 * strokes, and names where a subtree leaves room for one.
 */
export function drawFar(
  canvas: HTMLCanvasElement,
  picture: Picture,
  room: Map<number, number>,
  look: Look,
  marks: Marks,
  named = true,
): void {
  const g = canvas.getContext('2d');
  if (!g) return;
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(look.width * ratio), Math.round(look.height * ratio)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const css = getComputedStyle(canvas);
  const colour = (name: string) => css.getPropertyValue(`--${name}`).trim();
  const { zoom, panX, panY } = look;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, look.width, look.height);
  const X = (x: number) => x * zoom + panX;
  const Y = (y: number) => y * zoom + panY;
  const inside = (x0: number, y0: number, x1: number, y1: number) =>
    x1 > 0 && x0 < look.width && y1 > 0 && y0 < look.height;

  const wires = (stroke: string, width: number, wanted: (child: number) => boolean) => {
    g.strokeStyle = stroke;
    g.lineWidth = width;
    g.beginPath();
    for (const e of picture.wires) {
      if (!wanted(e.child)) continue;
      const [x0, y0, x1, y1] = [X(e.x0), Y(e.y0), X(e.x1), Y(e.y1)];
      if (!inside(Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1) + 1, Math.max(y0, y1) + 1)) continue;
      g.moveTo(x0, y0);
      if (picture.right) g.lineTo((x0 + x1) / 2, y1);
      else g.lineTo(x1, (y0 + y1) / 2);
      g.lineTo(x1, y1);
    }
    g.stroke();
  };
  wires(colour('line-strong'), 0.75, (n) => marks.fresh(n) === undefined);
  for (const status of STATUSES) {
    wires(colour(status), 1, (n) => marks.fresh(n) === status && !marks.onPath(n));
  }
  wires(colour('running'), 2.5, (n) => marks.onPath(n));

  // At a pixel or two a card would vanish.
  const wide = (c: Card) => Math.max(1.5, c.width * zoom);
  const high = (c: Card) => Math.max(1.5, c.height * zoom);
  const cards = (fill: string, wanted: (c: Card) => boolean, more = 0) => {
    g.fillStyle = fill;
    g.beginPath();
    for (const c of picture.cards) {
      if (!wanted(c)) continue;
      const [x, y, cw, ch] = [X(c.x), Y(c.y), wide(c), high(c)];
      if (inside(x, y, x + cw, y + ch)) g.rect(x - more, y - more, cw + 2 * more, ch + 2 * more);
    }
    g.fill();
  };
  if (marks.selected !== undefined) cards(colour('ink'), (c) => c.node === marks.selected, 3);
  cards(colour('line-strong'), (c) => marks.fresh(c.node) === undefined);
  for (const status of STATUSES) cards(colour(status), (c) => marks.fresh(c.node) === status);
  if (marks.heat) {
    for (const [least, name] of [[0.02, 'past-soft'], [0.15, 'leaf-2']] as const) {
      cards(colour(name), (c) => marks.heat!(c.node) >= least, 1);
    }
  }

  if (!named) return;
  // Parents come before their children: where two names would cover each other, theirs stays.
  const taken: [number, number, number, number][] = [];
  g.font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
  g.textBaseline = 'middle';
  g.textAlign = picture.right ? 'right' : 'center';
  g.lineJoin = 'round';
  g.lineWidth = 4;
  g.strokeStyle = colour('panel');
  g.fillStyle = colour('ink');
  for (const c of picture.cards) {
    const space = (room.get(c.node) ?? 0) * zoom;
    const leaf = space <= (picture.right ? c.height : c.width) * zoom + 1;
    if (leaf || space < 16) continue;
    const text = marks.label(c.node);
    if (!picture.right && space < text.length * 6.4 + 10) continue;
    const x = picture.right ? X(c.x) - 5 : X(c.x + c.width / 2);
    const y = picture.right ? Y(c.y + c.height / 2) : Y(c.y) - 8;
    if (!inside(x - 90, y - 8, x + 90, y + 8)) continue;
    const wide = g.measureText(text).width + 6;
    const left = picture.right ? x - wide : x - wide / 2;
    const box: (typeof taken)[number] = [left, y - 8, left + wide, y + 8];
    if (taken.some(([a, b, c, d]) => box[0] < c && box[2] > a && box[1] < d && box[3] > b)) continue;
    taken.push(box);
    g.strokeText(text, x, y);
    g.fillText(text, x, y);
  }
}

/** The card at a place on the screen, with some tolerance for small ones. */
export function cardAt(picture: Picture, look: Look, x: number, y: number): Card | undefined {
  const px = (x - look.panX) / look.zoom;
  const py = (y - look.panY) / look.zoom;
  const slack = 4 / look.zoom;
  let best: Card | undefined;
  let least = Infinity;
  for (const c of picture.cards) {
    const dx = Math.max(c.x - px, 0, px - c.x - c.width);
    const dy = Math.max(c.y - py, 0, py - c.y - c.height);
    const d = Math.hypot(dx, dy);
    if (d <= slack && d < least) [best, least] = [c, d];
  }
  return best;
}
