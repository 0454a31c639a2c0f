import type { Completion, Mistake } from '../protocol';
import { Refused, type Studio } from './studio.svelte';

/** What is done to a node: `tickseed_lang::ide::Change`. */
export type Change = 'earlier' | 'later' | 'remove' | 'duplicate' | 'off' | 'rename' | 'wrap' | 'unwrap' | 'follow' | 'become' | 'extract';

/** A part of a text, in bytes. */
export interface Part {
  from: number;
  to: number;
}

/** What the panel of changes is asked to begin with. */
export type Field = 'type' | 'add' | 'wrap' | 'name' | 'extract';

interface Step {
  before: string;
  after: string;
}

/** Changes of the text that runs: those that are made in the tree, and taking any of them back. */
export class Edits {
  private done = $state.raw<Step[]>([]);
  private undone = $state.raw<Step[]>([]);
  /** Branches that are switched off, and so in no tree. */
  off = $state.raw<(Part & { label: string })[]>([]);
  /** A field that somebody asked for by its key. */
  wanted = $state<Field>();
  /** Whoever came from the tree by a key goes back there. */
  back = $state(false);
  /** Where to go on writing in a text that is unfinished; bytes. */
  unfinished = $state.raw<number>();

  constructor(private readonly studio: Studio) {}

  /** Whether another text may take the place of the one that runs. */
  get can(): boolean {
    return this.studio.hello?.can.includes('reload') ?? false;
  }

  // Time may have been taken back to before an edit, and then there is none to take back.
  get canUndo(): boolean {
    return this.can && this.done.at(-1)?.after === this.studio.source;
  }

  get canRedo(): boolean {
    return this.can && this.undone.at(-1)?.before === this.studio.source;
  }

  /** Another world, another text. */
  forget(): void {
    this.done = [];
    this.undone = [];
    this.off = [];
    this.wanted = undefined;
    this.back = false;
    this.unfinished = undefined;
  }

  /** A text has taken the place of another one. */
  record(before: string, after: string): void {
    if (before === after) return;
    this.done = [...this.done, { before, after }].slice(-200);
    this.undone = [];
  }

  async undo(): Promise<void> {
    const step = this.done.at(-1);
    if (!step || !this.canUndo || this.busy()) return;
    const { done, undone } = this;
    if (!(await this.put(step.before))) return;
    this.done = done.slice(0, -1);
    this.undone = [...undone, step];
  }

  async redo(): Promise<void> {
    const step = this.undone.at(-1);
    if (!step || !this.canRedo || this.busy()) return;
    const { done, undone } = this;
    if (!(await this.put(step.after))) return;
    this.done = [...done, step];
    this.undone = undone.slice(0, -1);
  }

  /** Asks for a field of the panel that changes a node. */
  begin(field: Field, node: number): void {
    if (field === 'add' && this.studio.nodes[node]?.parent === null) {
      this.refuse('A tree is one node: wrap it, and there is room for more beside it.');
      return;
    }
    this.studio.selected = node;
    this.wanted = field;
  }

  /** Which branches of the text that runs are switched off. */
  async look(): Promise<void> {
    const source = this.studio.source;
    const off = await this.studio.ask<(Part & { label: string })[]>({ ask: 'off', source });
    if (source === this.studio.source) this.off = off;
  }

  /** Where a node is written, if it is. */
  part(node: number | undefined): Part | undefined {
    const span = node === undefined ? undefined : this.studio.nodes[node]?.span;
    return span && { from: span.start, to: span.end };
  }

  /** Changes the text at a part of it, and lets the world go on by that. */
  async change(at: Part | undefined, change: Change, text?: string): Promise<boolean> {
    if (!this.can || this.busy()) return false;
    if (!at) return this.refuse('This node is not written in the text: another one makes it.');
    try {
      const { from, to } = at;
      const ask = { ask: 'change', source: this.studio.source, from, to, change, with: text };
      const changed = await this.studio.ask<Part & { text: string }>(ask);
      if (!(await this.put(changed.text))) return false;
      this.studio.selected = this.nodeAt(changed);
      return true;
    } catch (e) {
      return this.refuse(e instanceof Error ? e.message : String(e));
    }
  }

  /** What could stand behind a node. Blocks are not among it: nodes are put into them. */
  async candidates(at: Part): Promise<Completion[]> {
    const { text, offset } = this.behind(at, '');
    const found = await this.studio.complete(text, offset);
    // A tree that used itself would have no end.
    const around = [...text.slice(0, offset).matchAll(/^\s*(?:main\s+)?tree\s+(\w+)/gm)].at(-1)?.[1];
    const fits = found.filter((c) => (c.kind === 'node' || (c.kind === 'tree' && c.label !== around)) && !c.insert.includes('{'));
    // The world's own come first.
    const own = (c: Completion) => (c.detail === 'built in' ? 1 : 0);
    return fits.sort((a, b) => own(a) - own(b));
  }

  /** Puts a node behind another; if there is more to write about it, the text is where that is done. */
  async add(at: Part, node: Completion): Promise<boolean> {
    if (!node.insert.includes('$0')) return this.change(at, 'follow', node.insert);
    const { text, offset } = this.behind(at, node.insert.replace('$0', ''));
    return this.write(text, offset + bytes(node.insert.split('$0')[0]!));
  }

  /** Puts a node in the place of one that has no children, which keeps its name. */
  async become(at: Part, node: Completion): Promise<boolean> {
    if (!node.insert.includes('$0')) return this.change(at, 'become', node.insert);
    const part = this.cut();
    const [head = '', tail = ''] = node.insert.split('$0');
    return this.write(part(0, at.from) + head + tail + part(at.to), at.from + bytes(head));
  }

  /** Goes on in the text with what has to be written by hand; nothing is changed until then. */
  private write(text: string, offset: number): false {
    if (this.busy()) return false;
    this.studio.draft = text;
    this.unfinished = offset;
    this.studio.notice = { text: 'There is more to say of it: write it here, then apply it.', tone: 'info' };
    return false;
  }

  /** A node as text that can be put somewhere else, in another tab too. */
  copied({ from, to }: Part): string {
    const part = this.cut();
    const indent = /^[ \t]*/.exec(part(0, from).split('\n').at(-1)!)![0];
    return part(from, to).replaceAll(`\n${indent}`, '\n');
  }

  /** Puts a node that was copied behind another one. */
  async paste(at: Part | undefined, node: string): Promise<boolean> {
    if (node.trim() === '') return this.refuse('The clipboard has no text: copy a node first.');
    return this.change(at, 'follow', node.trim());
  }

  /** The text that runs with a line behind the node, and where that begins. */
  private behind(at: Part, line: string): { text: string; offset: number } {
    const part = this.cut();
    const before = part(0, at.to).trimEnd();
    const rest = part(bytes(before));
    // A comment on its line is the node's.
    const remark = /^[ \t]*\/\/[^\n]*/.exec(rest)?.[0] ?? '';
    const indent = /^[ \t]*/.exec(part(0, at.from).split('\n').at(-1)!)![0];
    const head = `${before}${remark}\n${indent}`;
    const tail = rest.slice(remark.length);
    return { text: head + line + (/^[ \t]*(\n|$)/.test(tail) ? tail : `\n${tail}`), offset: bytes(head) };
  }

  /** Parts of the text that runs, by bytes. */
  private cut(): (from: number, to?: number) => string {
    const all = new TextEncoder().encode(this.studio.source);
    return (from, to) => new TextDecoder().decode(all.subarray(from, to));
  }

  /** The node that is written there, or the one around it. */
  private nodeAt({ from, to }: Part): number | undefined {
    const length = (n: number) => this.studio.nodes[n]!.span!.end - this.studio.nodes[n]!.span!.start;
    const written = this.studio.nodes.filter((n) => n.span).map((n) => n.id);
    const inside = written.filter((n) => this.studio.nodes[n]!.span!.start >= from && this.studio.nodes[n]!.span!.end <= to);
    const around = written.filter((n) => this.studio.nodes[n]!.span!.start <= from && this.studio.nodes[n]!.span!.end >= to);
    return inside.sort((a, b) => length(b) - length(a))[0] ?? around.sort((a, b) => length(a) - length(b))[0];
  }

  private async put(text: string): Promise<boolean> {
    try {
      await this.studio.reload(text);
      return true;
    } catch (e) {
      const mistake = e instanceof Refused ? e.mistakes.find((m) => m.severity === 'error') : undefined;
      return this.refuse(mistake ? said(mistake) : e instanceof Error ? e.message : String(e));
    }
  }

  /** What is being written is not thrown away by a change that is made elsewhere. */
  private busy(): boolean {
    const { draft, source } = this.studio;
    if (draft === undefined || draft === source) return false;
    this.refuse('The text in Source is being edited: apply it or discard it first.');
    return true;
  }

  /** Says why something was not done. */
  refuse(text: string): false {
    this.studio.notice = { text: text.charAt(0).toUpperCase() + text.slice(1), tone: 'bad' };
    return false;
  }
}

const bytes = (text: string) => new TextEncoder().encode(text).length;

function said(m: Mistake): string {
  return `Not possible: ${m.message}${m.help ? `; ${m.help}` : ''}`;
}
