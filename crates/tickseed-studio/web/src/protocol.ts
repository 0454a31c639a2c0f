// The messages of docs/protocol.md, as far as the page uses them.

export type Status = 'success' | 'failure' | 'running' | 'skipped';
export type Value = boolean | number | string | null;

export interface NodeInfo {
  id: number;
  parent: number | null;
  kind: string;
  name?: string;
  label: string;
  path: string;
  rule: unknown;
  guard?: string;
  reads?: number[];
  options?: Record<string, string>;
  span?: { start: number; end: number; line: number; column: number };
}

export interface KeyDef {
  name: string;
  type: string;
  writable: boolean;
}

export interface TreeDef {
  id: number;
  name: string;
  nodes: NodeInfo[];
  keys: KeyDef[];
  source?: string;
}

export interface WorldInfo {
  name: string;
  about: string;
  seed: number;
  agents: number;
  step: number;
  click: string;
  drain: string;
  drain_label?: string;
  /** A behaviour that may be added to its tree; the label of its action. */
  offer?: { label: string; leaf: string };
}

export interface Control {
  paused: boolean;
  speed: number;
  tick: number;
  first: number;
  latest: number;
  breakpoints?: number;
  /** While stepping from node to node: so many answers of the tick are to be shown. */
  answered?: number;
}

export interface Hello {
  event: 'hello';
  protocol: number;
  process: { name: string; version: string; pid?: number };
  session: string;
  trees: TreeDef[];
  agents: { id: number; name?: string; tree: number }[];
  world?: WorldInfo;
  control: Control;
  can: string[];
}

export interface KeyChange {
  key: number;
  value: Value;
  /** A node, or an input; what the world does by itself has no writer. */
  writer?: Writer;
  /** In ticks that hold all keys: since when. */
  since?: number;
}

export type Writer = number | 'input';

export interface Tick {
  event: 'tick';
  agent: number;
  tick: number;
  time: number;
  status: Status | null;
  leaves: [number, Status | null][];
  halted?: number[];
  extra?: unknown[];
  decided?: [number, number][];
  deciding?: number;
  keys?: KeyChange[];
  inputs?: WorldInput[];
  fingerprint?: string;
  nodes?: [number, Status | null][];
  failure?: { node: number; text: string };
}

export type WorldInput =
  | { input: 'click'; x: number; y: number }
  | { input: 'drain'; agent: number }
  | { input: 'set'; agent: number; key: number; value: Value }
  | { input: 'reload'; source: string };

export interface Point {
  x: number;
  y: number;
}

export type Shape =
  | 'dots'
  | 'place'
  | 'line'
  | 'ring'
  | { body: { radius: number; heading: number } }
  | { circle: { radius: number } };

export type Tone = 'quiet' | 'plain' | 'agent' | 'focus' | 'good' | 'goal' | 'bad';

export interface Mark {
  shape: Shape;
  tone: Tone;
  points: Point[];
  label: string;
}

export interface View {
  size: Point;
  marks: Mark[];
  bars: { label: string; value: number; tone: Tone }[];
  notes: [string, string][];
  /** What a utility selector weighs up, child by child. */
  choices?: Choice[];
}

export interface Choice {
  node: number;
  score: number;
  weight: number;
  combine: 'product' | 'mean';
  considerations: {
    name: string;
    fact: number;
    from: number;
    to: number;
    value: number;
    curve: number[];
  }[];
}

export interface AgentSummary {
  agent: number;
  status: Status | null;
  leaf?: number;
  age: number;
  flips: number;
  warnings?: string[];
}

/** The chain of reasons behind what a node did, the nearest first: `tickseed_record::Why`. */
export interface Why {
  node: number;
  ticked: boolean;
  status: Status | null;
  reasons: { node: number; what: unknown; text: string }[];
}

export type Event =
  | Hello
  | Tick
  | ({ event: 'control' } & Control)
  | { event: 'tree'; id: number; name: string; nodes: NodeInfo[] }
  | { event: 'scene'; tick: number; view: View }
  | { event: 'summary'; tick: number; agents: AgentSummary[] }
  | { event: 'hit'; breakpoint: number; tick: number; agent: number; text: string }
  | { event: 'log'; level: string; text: string }
  | { event: 'done'; id?: number; answer?: unknown }
  | { event: 'error'; id?: number; text: string; mistakes?: Mistake[] }
  | { event: 'dropped'; count: number }
  | { event: 'bye'; text: string }
  | {
      event: 'reloaded';
      old: number;
      tree: TreeDef;
      moves: Moves;
      since: number;
    };

/** What became of the leaves that ran when a tree was reloaded, by path. */
export interface Moves {
  moved: string[];
  restarted: string[];
  gone: string[];
  renamed?: [string, string][];
  forgotten?: string[];
  agents: number;
}

/** Something that could stand at a place of a text. */
export interface Completion {
  label: string;
  /** What is written; `$0` marks where to go on typing. */
  insert: string;
  kind: string;
  detail: string;
  doc: string;
  /** Where what it takes the place of begins, in bytes. */
  from: number;
}

/** What the language's reader says about a text. */
export interface Mistake {
  code: string;
  severity: 'error' | 'warning' | 'note';
  message: string;
  help: string | null;
  labels: {
    /** From 1; columns count characters. None: about the whole text. */
    line: number | null;
    column: number | null;
    endLine: number | null;
    endColumn: number | null;
    text: string;
    primary: boolean;
  }[];
}

export type Break =
  | { when: 'entered'; node: number }
  | { when: 'answered'; node: number; status?: Status }
  | { when: 'key'; key: number; is: string; value?: Value };

export type Command = { do: string } & Record<string, unknown>;
