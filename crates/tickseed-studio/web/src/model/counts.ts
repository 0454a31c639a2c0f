import type { NodeInfo, Status, Tick } from '../protocol';
import { sameNodes } from './eras';

/** What a node answered how often. */
export interface Tally {
  success: number;
  failure: number;
  running: number;
  skipped: number;
  error: number;
}

const ANSWERS = ['success', 'failure', 'running', 'skipped', 'error'] as const;
const WIDTH = ANSWERS.length;
const COLUMN: Record<Status, number> = { success: 0, failure: 1, running: 2, skipped: 3 };

/** The answers under one tree. */
interface Sum {
  nodes: NodeInfo[];
  ticks: number;
  answers: Uint32Array;
  /** Its nodes in the tree that was asked about last. */
  found?: { in: NodeInfo[]; at: (number | undefined)[] };
}

/** The nodes of a tree in another one; none if it is the same. */
function into(sum: Sum, nodes: NodeInfo[]): (number | undefined)[] | undefined {
  if (sum.nodes === nodes) return undefined;
  if (sum.found?.in !== nodes) sum.found = { in: nodes, at: sameNodes(sum.nodes, nodes) };
  return sum.found.at;
}

/**
 * How often each node answered what, in the ticks that the page has heard of: kept up tick by tick
 * and for each tree on its own, so that a tick costs no more than the nodes that were ticked in it.
 */
export class Counts {
  private trees = new Map<number, Sum>();

  /** Counts a tick of a tree, or takes it back. */
  add(tick: Tick, tree: { id: number; nodes: NodeInfo[] }, by: 1 | -1 = 1): void {
    let of = this.trees.get(tree.id);
    if (!of) {
      of = { nodes: tree.nodes, ticks: 0, answers: new Uint32Array(tree.nodes.length * WIDTH) };
      this.trees.set(tree.id, of);
    }
    of.ticks += by;
    for (const [node, status] of tick.nodes ?? []) {
      of.answers[node * WIDTH + (status === null ? ANSWERS.length - 1 : COLUMN[status])]! += by;
    }
  }

  /** Forgets trees that will not come about any more. */
  keep(trees: ReadonlySet<number>): void {
    for (const id of this.trees.keys()) if (!trees.has(id)) this.trees.delete(id);
  }

  clear(): void {
    this.trees.clear();
  }

  /** So many ticks were counted. */
  get ticks(): number {
    let ticks = 0;
    for (const tree of this.trees.values()) ticks += tree.ticks;
    return ticks;
  }

  /** Each node of a tree, with what it answered under other trees too: it is found by its path. */
  of(nodes: NodeInfo[]): Tally[] {
    const sums = new Uint32Array(nodes.length * WIDTH);
    for (const tree of this.trees.values()) {
      const to = into(tree, nodes);
      for (let i = 0; i < tree.answers.length; i++) {
        const node = Math.floor(i / WIDTH);
        const now = to ? to[node] : node;
        if (now !== undefined) sums[now * WIDTH + (i % WIDTH)]! += tree.answers[i]!;
      }
    }
    return nodes.map((_, n) => Object.fromEntries(ANSWERS.map((a, i) => [a, sums[n * WIDTH + i]!])) as unknown as Tally);
  }
}

/** How often a node answered at all. */
export const visits = (tally: Tally | undefined): number => (tally ? ANSWERS.reduce((sum, a) => sum + tally[a], 0) : 0);
