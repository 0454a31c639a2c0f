import type { KeyChange, Status, Tick, Value } from '../protocol';
import type { Eras } from './eras';
import type { History } from './history';

/** A text that needs no world, and the leaves of its tree: the engine's answer to `alone`. */
export interface Alone {
  text: string;
  leaves: { node: number; path: string; own: boolean }[];
}

/** What a test is made of, besides the ticks that were heard. */
export interface Moment {
  world: string;
  seed: number;
  tick: number;
  alone: Alone;
  /** The names of the keys, by their numbers, and their types. */
  keys: { name: string; type: string }[];
}

/** All ticks up to a moment, if a test can begin with them. */
function heard(history: History, eras: Eras, moment: number): Tick[] {
  const since = eras.since(moment);
  if (since > 0) throw new Error(`The tree was edited after tick ${since}, and a test starts at the first tick: restart first.`);
  const ticks: Tick[] = [];
  for (let t = 1; t <= moment; t++) {
    const tick = history.get(t);
    if (!tick) throw new Error(`The page has not received tick ${t}: a test needs all ticks from the first one on.`);
    if (tick.failure && t < moment) throw new Error(`A leaf failed with an error in tick ${t}: a test cannot go beyond that.`);
    ticks.push(tick);
  }
  if (ticks.length === 0) throw new Error('Nothing has been ticked yet.');
  return ticks;
}

/** What a leaf did, from one beginning to the next, in the words of the simulator's plans. */
function behaviour(leaf: number, ticks: Tick[]): string[] {
  const all: string[] = [];
  let ran = 0;
  const ends = (answer: Status | null) => {
    const words = `${answer ?? 'error'}`;
    all.push(ran === 0 ? words : `${words} after ${ran} tick${ran === 1 ? '' : 's'}`);
    ran = 0;
  };
  for (const tick of ticks) {
    for (const [node, answer] of tick.leaves) {
      if (node !== leaf) continue;
      if (answer === 'running') ran++;
      else ends(answer);
    }
    if (ran > 0 && tick.halted?.includes(leaf)) {
      all.push('running');
      ran = 0;
    }
  }
  if (ran > 0) all.push('running');
  // What comes last is done again and again.
  while (all.length > 1 && all.at(-1) === all.at(-2)) all.pop();
  return all;
}

/** A value as a file writes it; nothing for one that cannot be told. */
function written(value: Value, type: string): string | undefined {
  if (value === null || typeof value === 'string') return undefined;
  const text = String(value);
  return type === 'float' && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The keys that the tree reads, each with the tick before which it changed. */
function changes(moment: Moment, ticks: Tick[]): string[] {
  const declared = new Set<string>();
  for (const [, block] of moment.alone.text.matchAll(/^keys \{\n([\s\S]*?)^\}/gm)) {
    for (const [, name] of block!.matchAll(/^ {2}(\w+)\b/gm)) declared.add(name!);
  }
  const was = new Map<string, string>();
  const before = new Map<number, string[]>();
  const note = (tick: number, { key, value }: KeyChange) => {
    const { name, type } = moment.keys[key] ?? { name: '', type: '' };
    const text = declared.has(name) ? written(value, type) : undefined;
    if (text === undefined || was.get(name) === text) return;
    was.set(name, text);
    before.set(tick, [...(before.get(tick) ?? []), `${name} = ${text}`]);
  };
  for (const tick of ticks) {
    for (const change of tick.keys ?? []) {
      // What a leaf writes is read from the next tick on.
      const inTick = typeof change.writer === 'number' && tick.tick > 1;
      note(inTick ? tick.tick + 1 : tick.tick, change);
    }
  }
  before.delete(moment.tick + 1);
  return [...before].sort((a, b) => a[0] - b[0]).map(([tick, all]) => `${tick}: ${all.join(', ')}`);
}

/** The time of the first tick and how much later each of the others is, in nanoseconds. */
function clock(ticks: Tick[], step: number): { first: number; step: number } {
  const first = ticks[0]!.time;
  const each = ticks[1] ? ticks[1].time - first : step;
  if (ticks.some((t, i) => t.time !== first + i * each)) throw new Error('The ticks are not equally far apart in time.');
  return { first, step: each };
}

/** A text between quotes that it has none of. */
function raw(text: string): string {
  let marks = '#';
  while (text.includes(`"${marks}`)) marks += '#';
  return `r${marks}"${text}"${marks}`;
}

const grouped = (n: number) => String(n).replace(/\B(?=(\d{3})+$)/g, '_');
const capital = (status: Status) => status.charAt(0).toUpperCase() + status.slice(1);

/**
 * A recorded moment as a Rust test. It builds the tree from its text, with stand-ins for the
 * world's leaves that answer as those did, gives the keys the values they had, ticks as often, and
 * asserts the answer and the leaf that decided.
 */
export function rustTest(moment: Moment, history: History, eras: Eras, step: number): { name: string; text: string } {
  const ticks = heard(history, eras, moment.tick);
  const last = ticks.at(-1)!;
  const time = clock(ticks, step);
  const place = new Map(moment.alone.leaves.map((leaf) => [leaf.node, leaf.path]));
  const rules = moment.alone.leaves.flatMap(({ node, path, own }) => {
    const all = own ? behaviour(node, ticks) : [];
    if (all.length > 0 && path.includes('=')) throw new Error(`The name in \`${path}\` has a \`=\`: rename the leaf first.`);
    return all.length === 0 ? [] : [`${path} = ${all.join(', ')}`];
  });
  const keys = changes(moment, ticks);
  const label = last.deciding === undefined ? '' : (eras.nodes(moment.tick)[last.deciding]?.label ?? '');
  const decided = last.deciding === undefined ? undefined : place.get(last.deciding);
  const seconds = `${(last.time / 1e9).toFixed(2)} s`;
  const name = `${moment.world}_tick_${moment.tick}`;
  const answer = last.status === null ? 'a leaf fails with an error' : `the tree answers ${last.status}`;
  const by = label ? `: \`${label}\` decides, ${answer}` : `: ${answer}`;
  const ends =
    last.status === null
      ? '    assert!(answer.is_some_and(|answer| answer.is_err()));\n'
      : `    let answer = answer.transpose().expect("no leaf fails with an error");
    assert_eq!(answer, Some(Status::${capital(last.status)}));\n` +
        (decided === undefined
          ? ''
          : `    let leaf = report.deciding_leaf();
    let leaf = leaf.and_then(|leaf| loaded.instance_of(leaf));
    let leaf = leaf.map(|leaf| loaded.path(leaf));
    assert_eq!(leaf.as_deref(), Some(DECIDES));
`);
  const deciding = last.status === null || decided === undefined ? '' : `/// The leaf that decides.\nconst DECIDES: &str = ${raw(decided)};\n\n`;
  const text = `//! The ${moment.world}'s tree at tick ${moment.tick}, ${seconds}${by}.
//!
//! A moment that the studio recorded. The tree is the real one; its leaves are stand-ins that answer
//! as the leaves did, and the keys have the values that they had.

use tickseed::lang::build::{Options, from_loaded};
use tickseed::lang::load::{Memory, load_text};
use tickseed::lang::simulate::{Plan, Sim, registry};
use tickseed::${last.status === null ? '{TickReport, Time}' : '{Status, TickReport, Time}'};

const TREE: &str = ${raw(`\n${moment.alone.text}`)};

/// What each leaf answers: one answer for each time it begins, then the last again and again.
const LEAVES: &str = ${raw(`\n${rules.map((r) => `${r}\n`).join('')}`)};

/// What the keys are before a tick, from then on.
const KEYS: &str = ${raw(`\n${keys.map((k) => `${k}\n`).join('')}`)};

${deciding}#[test]
fn ${name}() {
    let mut plan = Plan::default();
    for rule in LEAVES.lines().skip(1) {
        plan.add(rule).expect("a rule");
    }
    let files = load_text("${moment.world}.tick", TREE, &Memory::default());
    let leaves = registry(&files.documents, &plan);
    let loaded = from_loaded(files, &leaves, &Options::default()).expect("no mistakes");
    let tree = &loaded.tree;
    let mut agent = tree.agent_seeded(${grouped(moment.seed)});
    let mut sim = Sim::new(loaded.board());
    let mut report = TickReport::new();
    let split = |line: &'static str| line.split_once(": ");
    let mut keys = KEYS.lines().filter_map(split);
    let mut next = keys.next();
    let mut answer = None;
    for tick in 1..=${grouped(moment.tick)} {
        if let Some((_, changes)) = next.filter(|(at, _)| at.parse() == Ok(tick)) {
            for (key, value) in changes.split(", ").filter_map(|c| c.split_once(" = ")) {
                let slot = loaded.layout.find("", key).expect("a key");
                let ty = &loaded.layout.slot(slot).expect("a key").ty;
                let value = loaded.value(ty, value).expect("a value of the key");
                assert!(sim.board.set(slot, value), "{key}");
            }
            next = keys.next();
        }
        let now = Time::from_nanos(${grouped(time.first)} + (tick - 1) * ${grouped(time.step)});
        report.clear();
        answer = Some(tree.tick_traced(&mut agent, &mut sim, now, &mut report));
    }
${ends}}
`;
  return { name, text };
}
