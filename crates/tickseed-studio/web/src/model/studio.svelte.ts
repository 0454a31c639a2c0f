import type {
  AgentSummary,
  Break,
  Command,
  Completion,
  Control,
  Event,
  Hello,
  KeyDef,
  Mistake,
  Moves,
  NodeInfo,
  Status,
  Tick,
  TreeDef,
  Value,
  View,
  Why,
  WorldInfo,
  Writer,
} from '../protocol';
import type { Listener, Transport } from '../transport/transport';
import { overSocket } from '../transport/socket';
import { inPage } from '../transport/worker';
import { Edits } from './edits.svelte';
import { Counts, type Tally, visits } from './counts';
import { Eras, sameNodes } from './eras';
import { History, type NodeState } from './history';
import { linkTo, readLink } from './link';
import { answers, change, deciders, failure, outcomes } from './moments';
import { type Alone, rustTest } from './rusttest';
import { type Walk, walk } from './walk';

export interface Known {
  name: string;
  about: string;
  agents: number;
  crowd: boolean;
}

export interface KeyState {
  value: Value;
  /** When it last changed. */
  tick: number;
  writer?: Writer;
}

/** What is drawn below each node: how many of how many, and of what. */
export interface Heat {
  at: number[];
  of: number;
  tallies?: Tally[];
}

/** A command that was not carried out. */
export class Refused extends Error {
  constructor(
    text: string,
    readonly mistakes: Mistake[],
  ) {
    super(text);
  }
}

/** What came of applying a text. */
export interface Applied {
  /** After which tick. */
  tick: number;
  moves: Moves;
}

/** Commands that move on in time, or elsewhere: what was said of the moment before is over then. */
const MOVES = new Set(['world', 'pin', 'run', 'pause', 'step', 'step_back', 'step_node', 'seek', 'live']);

/** All that the page knows, kept up to date by the events of one connection. */
export class Studio implements Listener {
  worlds = $state.raw<Known[]>([]);
  hello = $state.raw<Hello>();
  tree = $state.raw<TreeDef>();
  world = $state.raw<WorldInfo>();
  control = $state.raw<Control>({ paused: true, speed: 1, tick: 0, first: 0, latest: 0 });
  view = $state.raw<View>();
  /** The tick that is shown. */
  tick = $state.raw<Tick>();
  states = $state.raw<(NodeState | undefined)[]>([]);
  keys = $state.raw<(KeyState | undefined)[]>([]);
  summary = $state.raw<AgentSummary[]>([]);
  private picked = $state<number>();
  /** Counts up whenever a node is chosen, be it the same again. */
  chosen = $state(0);
  notice = $state.raw<{ text: string; tone: 'info' | 'bad' }>();
  breakpoints = $state.raw<Map<number, Break>>(new Map());
  up = $state(false);
  /** The engine in the page can be asked. */
  ready = $state(false);
  /** What is shown runs in another process. */
  remote = $state(false);
  /** Counts up with every change of the history, for what draws it. */
  revision = $state(0);

  /** The text in the editor, if it is not the one that runs. */
  draft = $state<string>();
  /** What the reader says of the text in the editor. */
  mistakes = $state.raw<Mistake[]>([]);
  /** What came of the last text that was applied. */
  applied = $state.raw<Applied>();

  history = new History();
  eras = new Eras();
  counts = new Counts();
  edits = new Edits(this);
  private transport: Transport | undefined;
  private engine: Transport | undefined;
  private sent = new Set<number>();
  private nextId = 1;
  private answers = new Map<number, (event: Event) => void>();
  private seeking = false;
  crowd = $state(false);

  /** Whether the tree shows how often its nodes were ticked. */
  counting = $state(false);
  /** What each node answered how often. Worked out only while somebody looks. */
  tallies = $derived.by<Tally[]>(() => {
    void this.revision;
    return this.counts.of(this.nodes);
  });
  /** What is drawn below the nodes: how many of how many. Nothing while nobody asks. */
  heat = $derived.by<Heat | undefined>(() => {
    if (this.crowd && this.summary.length > 1) return this.crowdHeat();
    if (!this.counting) return undefined;
    const at = this.tallies.map(visits);
    return { at, of: Math.max(1, ...at), tallies: this.tallies };
  });
  nodes = $derived<NodeInfo[]>(this.tree?.nodes ?? []);
  keyDefs = $derived<KeyDef[]>(this.tree?.keys ?? []);
  past = $derived(this.control.tick < this.control.latest);
  /** The part of the tick that is shown while stepping from node to node. */
  walk = $derived.by<Walk | undefined>(() => {
    const { answered, tick } = this.control;
    if (answered === undefined || this.tick?.tick !== tick) return undefined;
    return walk(this.tick, answered, this.nodes, this.history.statesAt(tick - 1, this.nodes.length, this.eras.since(tick)));
  });
  /** Each node's latest answer, as far as it is to be seen. */
  seen = $derived(this.walk?.states ?? this.states);
  /** The nodes from the root to the deciding leaf; while stepping, to the one that answered. */
  path = $derived.by(() => {
    const path = new Set<number>();
    let at: number | null | undefined = this.walk?.cursor ?? this.tick?.deciding;
    while (at !== null && at !== undefined) {
      path.add(at);
      at = this.nodes[at]?.parent;
    }
    return path;
  });

  /**
   * Starts the engine in the page, and connects to a process if the page's address holds the
   * token of one.
   */
  start(): void {
    this.engine = inPage({
      events: (events) => this.events(this.remote ? events.filter(isAnswer) : events),
      connected: (up, why) => this.engineUp(up, why),
    });
    const token = new URLSearchParams(location.search).get('token');
    if (token && location.protocol === 'http:') {
      this.remote = true;
      this.transport = overSocket(`ws://${location.host}/live?token=${encodeURIComponent(token)}`, this);
    } else {
      this.transport = this.engine;
    }
  }

  private engineUp(up: boolean, why?: string): void {
    if (!up) {
      this.notice = { text: why ?? 'the engine stopped', tone: 'bad' };
      return;
    }
    this.ready = true;
    void this.ask<Known[]>({ ask: 'worlds' }).then((w) => (this.worlds = w));
    if (!this.remote) {
      this.up = true;
      void this.arrive();
      addEventListener('hashchange', () => void this.arrive());
    }
  }

  /** Begins with what the page's address holds. What it holds wrongly changes nothing of the world's own tree. */
  private async arrive(): Promise<void> {
    try {
      const shared = await readLink(location.hash);
      await this.begin(shared?.world ?? 'robot', shared?.seed ?? 7, shared?.source);
    } catch (e) {
      if (!this.tree) await this.begin('robot', 7);
      this.notice = { text: e instanceof Error ? e.message : String(e), tone: 'bad' };
    }
  }

  /** Begins a world from its first tick, with this text in place of its own. */
  async begin(name: string, seed: number, source?: string): Promise<void> {
    await this.send(this.transport, { do: 'world', name, seed, ...(this.world?.name === name ? { agents: this.world.agents } : {}) });
    this.subscribe(0);
    try {
      if (source !== undefined && source !== this.source) await this.reload(source);
    } catch (e) {
      const mistake = e instanceof Refused ? e.mistakes.find((m) => m.severity === 'error') : undefined;
      throw new Error(`The world’s own tree runs, as the other one has mistakes: ${mistake?.message ?? String(e)}`);
    } finally {
      void this.do({ do: 'run' });
    }
  }

  /** From the first tick again, with the tree that runs now. */
  async again(): Promise<void> {
    const { world, source } = this;
    if (!world) return;
    try {
      await this.begin(world.name, world.seed, source);
    } catch (e) {
      this.notice = { text: e instanceof Error ? e.message : String(e), tone: 'bad' };
    }
  }

  /** Puts a link to the tree that runs on the clipboard and into the page's address. */
  async share(): Promise<void> {
    const { name: world = '', seed = 0 } = this.world ?? {};
    // Without what else is in the address: it may be what lets one steer a process.
    const link = await linkTo(location.href.replace(/[?#].*$/s, ''), { world, seed, source: this.source });
    if (link === undefined) {
      this.tell('This tree is too long for a link: a link holds a million bytes of text at most.');
      return;
    }
    if (!this.remote) history.replaceState(null, '', link);
    try {
      await navigator.clipboard.writeText(link);
      this.tell(`A link to this tree is on the clipboard: ${link.length.toLocaleString('en')} characters, the text is in it.`);
    } catch {
      this.tell('The page’s address is a link to this tree now.');
    }
  }

  /** The process is there, or gone. */
  connected(up: boolean, why?: string): void {
    this.up = up;
    this.notice = up ? undefined : { text: why ?? 'the connection is gone', tone: 'bad' };
    if (!up) {
      for (const [id, answer] of this.answers) {
        if (this.sent.has(id)) answer({ event: 'error', id, text: 'the process is gone' });
      }
    }
  }

  /** The node that is chosen. */
  get selected(): number | undefined {
    return this.picked;
  }

  set selected(node: number | undefined) {
    this.picked = node;
    this.chosen++;
  }

  /** Begins a world. */
  open(name: string, seed: number, agents?: number): void {
    void this.do({ do: 'world', name, seed, ...(agents ? { agents } : {}) });
    this.subscribe(0);
    void this.do({ do: 'run' });
  }

  private subscribe(agent: number): void {
    const summary = this.crowd;
    void this.do({ do: 'subscribe', agents: [agent], nodes: true, scene: true, summary });
  }

  /** Whether to be told of all agents. */
  watchCrowd(on: boolean): void {
    this.crowd = on;
    this.subscribe(this.tick?.agent ?? 0);
  }

  /** How many agents are at or below each node. */
  private crowdHeat(): Heat {
    const heat = new Array<number>(this.nodes.length).fill(0);
    for (const a of this.summary) {
      let at: number | null | undefined = a.leaf;
      while (at !== null && at !== undefined && heat[at] !== undefined) {
        heat[at]!++;
        at = this.nodes[at]?.parent;
      }
    }
    return { at: heat, of: this.summary.length };
  }

  /** Traces another agent. What was heard of the one before is forgotten. */
  pin(agent: number): void {
    this.history.clear();
    this.counts.clear();
    this.rewound();
    void this.do({ do: 'pin', agent });
  }

  /** Sends a command; the answer, or an error that is shown and thrown away. */
  async do(command: Command): Promise<unknown> {
    // That the process is gone stays true.
    if (MOVES.has(command.do) && this.up) this.notice = undefined;
    try {
      if (command.do === 'seek' || command.do === 'step_back' || command.do === 'live') this.seeking = true;
      return await this.send(this.transport, command);
    } catch (e) {
      this.notice = { text: e instanceof Error ? e.message : String(e), tone: 'bad' };
      return undefined;
    }
  }

  /** Asks the engine in the page; fails with the error's text. */
  ask<T>(message: Record<string, unknown>): Promise<T> {
    return this.send(this.engine, message) as Promise<T>;
  }

  private told: TreeDef | undefined;

  /** Why a node was or was not ticked in the tick that is shown: the engine's answer. */
  async why(node: number): Promise<Why | undefined> {
    const { tick, tree } = this;
    if (!tick || !tree || !this.ready) return undefined;
    // The engine in the page may run another tree than the process that is watched.
    if (this.told !== tree) {
      this.told = tree;
      await this.ask({ ask: 'tree', tree });
    }
    const keys = this.keys.flatMap((k, key) =>
      k ? [{ key, value: k.value, writer: k.writer, ...(k.tick < tick.tick ? { since: k.tick } : {}) }] : [],
    );
    return this.ask<Why>({ ask: 'why', node, tick: { ...tick, nodes: [], keys } });
  }

  private send(to: Transport | undefined, message: Record<string, unknown>): Promise<unknown> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      if (to === this.transport && this.remote) this.sent.add(id);
      this.answers.set(id, (event) => {
        this.answers.delete(id);
        this.sent.delete(id);
        if (event.event === 'error') reject(new Refused(event.text, event.mistakes ?? []));
        else if (event.event === 'done') resolve(event.answer);
      });
      to?.send({ ...message, id });
    });
  }

  toggle(): void {
    void this.do({ do: this.control.paused ? 'run' : 'pause' });
  }

  seek(tick: number): void {
    const to = Math.max(0, Math.min(Math.round(tick), this.control.latest));
    if (to !== this.control.tick) void this.do({ do: 'seek', tick: to });
  }

  /** To the next or the previous change: of the chosen node's answer, or else of the deciding leaf. */
  turn(by: 1 | -1): void {
    const { history, eras, control } = this;
    const node = this.picked === undefined ? undefined : this.nodes[this.picked];
    const at = node ? answers(history, eras, node.path) : deciders(history, eras);
    const found = change(at, history, control.tick, by);
    if (found !== undefined) this.seek(found);
    else this.tell(`${node ? `“${node.label}” does not change` : 'No other leaf decides'} ${by > 0 ? 'after' : 'before'} this tick.`);
  }

  /** Back to where a failure began: of the chosen node, or else of the whole tree. */
  lastFailure(): void {
    const { history, eras, control } = this;
    const node = this.picked === undefined ? undefined : this.nodes[this.picked];
    const at = node ? answers(history, eras, node.path) : outcomes(history);
    const found = failure(at, history, control.tick);
    if (found !== undefined) this.seek(found);
    else this.tell(`${node ? `“${node.label}”` : 'The tree'} did not begin to fail before this tick.`);
  }

  /** The moment that is shown, as a Rust test. */
  async rustTest(): Promise<{ name: string; text: string }> {
    const { tick } = this.control;
    const { source = '', keys } = this.eras.tree(tick) ?? {};
    const alone = await this.ask<Alone>({ ask: 'alone', source });
    const { name: world = 'tree', seed = 0, step = 5e7 } = this.world ?? {};
    return rustTest({ world, seed, tick, alone, keys: keys ?? [] }, this.history, this.eras, step);
  }

  private tell(text: string): void {
    this.notice = { text, tone: 'info' };
  }

  click(x: number, y: number): void {
    void this.do({ do: 'input', input: { input: 'click', x, y } });
  }

  drain(): void {
    const agent = this.tick?.agent ?? 0;
    void this.do({ do: 'input', input: { input: 'drain', agent } });
  }

  setKey(key: number, value: Value): Promise<unknown> {
    return this.do({ do: 'set_key', agent: this.tick?.agent ?? 0, key, value });
  }

  /** The text that runs. */
  get source(): string {
    return this.tree?.source ?? '';
  }

  /** What there is to say about a text that might take the place of the one that runs. */
  async check(source: string): Promise<void> {
    const found = await this.ask<{ mistakes: Mistake[] }>({ ask: 'check', source });
    // A newer text has come in the meantime.
    if (source === (this.draft ?? this.source)) this.mistakes = found.mistakes;
  }

  /** What could stand at a place of a text; the place is a number of bytes. */
  complete(source: string, offset: number): Promise<Completion[]> {
    return this.ask<Completion[]>({ ask: 'complete', source, offset });
  }

  /** Whether the behaviour that the world offers is in the tree. */
  offered = $derived.by(() => {
    const leaf = this.world?.offer?.leaf;
    return leaf !== undefined && this.nodes.some((n) => n.label === leaf);
  });

  /** Adds that behaviour, or takes it out: an edit of the text like any other. */
  async offer(): Promise<void> {
    try {
      await this.apply(await this.ask<string>({ ask: 'offer' }));
    } catch (e) {
      this.notice = { text: e instanceof Error ? e.message : String(e), tone: 'bad' };
    }
  }

  /** Puts a text in the place of the one that runs; fails if it has mistakes. */
  async reload(source: string): Promise<Mistake[]> {
    const { tick } = this.control;
    const before = this.source;
    this.notice = undefined;
    this.applied = undefined;
    const command = { do: 'reload', tree: this.tree?.id ?? 0, source };
    const answer = (await this.send(this.transport, command)) as { moves: Moves; mistakes: Mistake[] };
    this.applied = { tick, moves: answer.moves };
    this.edits.record(before, source);
    if (this.draft === source) this.draft = undefined;
    return answer.mistakes;
  }

  /** Puts a text, or else that of the editor, in the place of the one that runs. */
  async apply(source = this.draft ?? this.source): Promise<boolean> {
    // What is said of another text is nothing to the one that is being written.
    const shown = this.draft === undefined || this.draft === source;
    try {
      const mistakes = await this.reload(source);
      if (shown) this.mistakes = mistakes;
      return true;
    } catch (e) {
      if (shown && e instanceof Refused && e.mistakes.length > 0) this.mistakes = e.mistakes;
      else this.notice = { text: e instanceof Error ? e.message : String(e), tone: 'bad' };
      return false;
    }
  }

  async toggleBreak(b: Break): Promise<void> {
    const same = JSON.stringify(b);
    for (const [number, other] of this.breakpoints) {
      if (JSON.stringify(other) === same) {
        await this.do({ do: 'unbreak', breakpoint: number });
        const rest = new Map(this.breakpoints);
        rest.delete(number);
        this.breakpoints = rest;
        return;
      }
    }
    const answer = (await this.do({ do: 'break', ...b })) as { breakpoint: number } | undefined;
    if (answer) this.breakpoints = new Map(this.breakpoints).set(answer.breakpoint, b);
  }

  pausesOn(b: Break): boolean {
    const same = JSON.stringify(b);
    return [...this.breakpoints.values()].some((other) => JSON.stringify(other) === same);
  }

  hasBreak(node: number): boolean {
    for (const b of this.breakpoints.values()) {
      if (b.when === 'entered' && b.node === node) return true;
    }
    return false;
  }

  events(events: Event[]): void {
    let ticks: Tick[] = [];
    for (const event of events) {
      switch (event.event) {
        case 'hello':
          ticks = [];
          this.greet(event);
          break;
        case 'tick':
          ticks.push(event);
          break;
        case 'control': {
          this.take(ticks);
          ticks = [];
          const { event: _, ...control } = event;
          if (control.latest < this.history.latest) this.forget(control.latest);
          this.control = control;
          if (control.tick === 0) this.rewound();
          this.revision++;
          break;
        }
        case 'reloaded':
          this.take(ticks);
          ticks = [];
          this.reloaded(event.tree, event.since);
          break;
        case 'scene':
          this.view = event.view;
          break;
        case 'summary':
          this.summary = event.agents;
          break;
        case 'hit':
          this.notice = { text: `Paused at tick ${event.tick}: ${event.text}`, tone: 'info' };
          break;
        case 'log':
          this.notice = { text: event.text, tone: event.level === 'error' ? 'bad' : 'info' };
          break;
        case 'done':
        case 'error': {
          const answer = event.id === undefined ? undefined : this.answers.get(event.id);
          if (answer) {
            answer(event);
          } else if (event.event === 'error') {
            this.notice = { text: event.text, tone: 'bad' };
          }
          break;
        }
        default:
          break;
      }
    }
    this.take(ticks);
  }

  /** What came after a tick will not come about any more. */
  private forget(latest: number): void {
    for (const tick of this.history.truncate(latest)) {
      const tree = this.eras.tree(tick.tick);
      if (tree) this.counts.add(tick, tree, -1);
    }
    this.eras.truncate(latest);
    this.counts.keep(this.eras.trees);
  }

  private greet(hello: Hello): void {
    if (this.remote) {
      if (this.hello?.session === hello.session && this.hello.world?.name === hello.world?.name) {
        this.control = hello.control;
        const tree = hello.trees[0];
        if (tree && tree.id !== this.tree?.id) this.reloaded(tree, this.history.latest);
        const summary = this.crowd;
        const after = this.history.latest;
        const agents = [this.tick?.agent ?? 0];
        void this.do({ do: 'subscribe', agents, nodes: true, scene: true, summary, after, session: hello.session });
        return;
      }
      // The page's own engine has the same world at hand, to be asked about its tree.
      this.engineFollows(hello.world, hello.trees[0]);
    }
    this.hello = hello;
    this.tree = hello.trees[0];
    this.world = hello.world;
    this.control = hello.control;
    this.history.clear();
    this.counts.clear();
    this.eras.begin(this.tree);
    this.breakpoints = new Map();
    this.draft = undefined;
    this.mistakes = [];
    this.applied = undefined;
    this.edits.forget();
    this.picked = undefined;
    this.summary = [];
    this.rewound();
    this.revision++;
    if (this.remote) this.subscribe(0);
  }

  /** The page's own engine is asked about the tree that a process runs. */
  private engineFollows(world: WorldInfo | undefined, tree: TreeDef | undefined): void {
    if (!this.remote || !world) return;
    this.engine?.send({ do: 'world', name: world.name, seed: world.seed });
    if (tree?.source) this.engine?.send({ do: 'reload', tree: 0, source: tree.source });
  }

  /** Another tree is the present one. What is known of its nodes is found by their paths. */
  private reloaded(tree: TreeDef, since: number): void {
    const to = sameNodes(this.nodes, tree.nodes);
    const states: (NodeState | undefined)[] = new Array(tree.nodes.length).fill(undefined);
    this.states.forEach((s, i) => {
      const now = to[i];
      if (now !== undefined) states[now] = s;
    });
    const breakpoints = new Map<number, Break>();
    for (const [number, b] of this.breakpoints) {
      const node = b.when === 'key' ? undefined : to[b.node];
      if (b.when === 'key') breakpoints.set(number, b);
      else if (node !== undefined) breakpoints.set(number, { ...b, node });
    }
    const pairs = (all: [number, Status | null][]) =>
      all.flatMap(([n, s]): [number, Status | null][] => (to[n] === undefined ? [] : [[to[n], s]]));
    if (this.tick) {
      const { deciding, halted, nodes, leaves } = this.tick;
      this.tick = {
        ...this.tick,
        deciding: deciding === undefined ? undefined : to[deciding],
        halted: halted?.flatMap((n) => to[n] ?? []),
        nodes: nodes && pairs(nodes),
        leaves: pairs(leaves),
      };
    }
    this.keys = this.keys.map((k) => (typeof k?.writer === 'number' ? { ...k, writer: to[k.writer] } : k));
    this.eras.add(since, tree);
    this.picked = this.picked === undefined ? undefined : to[this.picked];
    this.tree = tree;
    this.states = states;
    this.breakpoints = breakpoints;
    this.engineFollows(this.world, tree);
    this.revision++;
  }

  private rewound(): void {
    this.tick = undefined;
    this.states = new Array(this.nodes.length).fill(undefined);
    this.keys = [];
  }

  private take(ticks: Tick[]): void {
    const last = ticks.at(-1);
    if (!last) return;
    let states = this.states.slice();
    let keys = this.keys.slice();
    for (const tick of ticks) {
      const follows = tick.tick === (this.tick?.tick ?? 0) + 1;
      const tree = this.eras.tree(tick.tick);
      // What is played again was counted when it was heard first.
      if (tree && !this.history.get(tick.tick)) this.counts.add(tick, tree);
      this.history.add(tick, this.seeking || !follows);
      if (follows) {
        for (const [node, status] of tick.nodes ?? []) {
          const was = states[node];
          const goesOn = was?.status === status && was.tick >= tick.tick - 1;
          states[node] = { status, tick: tick.tick, since: goesOn ? was.since : tick.tick };
        }
      } else {
        states = this.history.statesAt(tick.tick, this.nodes.length, this.eras.since(tick.tick));
      }
      for (const c of tick.keys ?? []) {
        keys[c.key] = { value: c.value, tick: c.since ?? tick.tick, writer: c.writer };
      }
      this.tick = tick;
    }
    this.seeking = false;
    this.states = states;
    this.keys = keys;
    this.control = {
      ...this.control,
      tick: last.tick,
      latest: Math.max(this.control.latest, last.tick),
    };
    this.revision++;
  }
}

function isAnswer(event: Event): boolean {
  return (event.event === 'done' || event.event === 'error') && event.id !== undefined;
}
