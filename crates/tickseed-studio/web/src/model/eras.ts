import type { NodeInfo, TreeDef } from '../protocol';

/**
 * Which tree was the present one, tick by tick: a reload ends one era and begins another, and
 * the numbers of nodes in a tick mean something in its own era only.
 */
export class Eras {
  private all: { since: number; tree: TreeDef }[] = [];
  /** The nodes of trees by their paths, as far as they were asked for. */
  private paths = new WeakMap<TreeDef, Map<string, number>>();

  begin(tree: TreeDef | undefined): void {
    this.all = tree ? [{ since: 0, tree }] : [];
  }

  /** A tree took its place after so many ticks. One of the same number never was. */
  add(since: number, tree: TreeDef): void {
    this.all = this.all.filter((e) => e.tree.id !== tree.id);
    this.all.push({ since, tree });
    this.all.sort((a, b) => a.since - b.since || a.tree.id - b.tree.id);
  }

  /** Forgets what came after a tick: it will not come about any more. */
  truncate(latest: number): void {
    this.all = this.all.filter((e) => e.since <= latest);
  }

  /** After which tick the tree of this tick took its place. */
  since(tick: number): number {
    return this.at(tick)?.since ?? 0;
  }

  nodes(tick: number): NodeInfo[] {
    return this.at(tick)?.tree.nodes ?? [];
  }

  /** The tree of a tick. */
  tree(tick: number): TreeDef | undefined {
    return this.at(tick)?.tree;
  }

  /** The numbers of all trees there were. */
  get trees(): Set<number> {
    return new Set(this.all.map((e) => e.tree.id));
  }

  /** The node of this path in the tree of a tick. */
  node(tick: number, path: string): number | undefined {
    const tree = this.tree(tick);
    if (!tree) return undefined;
    let paths = this.paths.get(tree);
    if (!paths) this.paths.set(tree, (paths = new Map(tree.nodes.map((n) => [n.path, n.id]))));
    return paths.get(path);
  }

  /** Where reloads lie. */
  get borders(): number[] {
    return this.all.slice(1).map((e) => e.since);
  }

  private at(tick: number): { since: number; tree: TreeDef } | undefined {
    // A tree that took its place after tick n made the ticks from n + 1 on.
    return this.all.findLast((e) => e.since < tick) ?? this.all[0];
  }
}

/** Each node of a tree in another one, by path. */
export function sameNodes(from: NodeInfo[], to: NodeInfo[]): (number | undefined)[] {
  const paths = new Map(to.map((n) => [n.path, n.id]));
  return from.map((n) => paths.get(n.path));
}
