//! Stories: what a tree of scripted leaves does, written down and checked.
//!
//! A story has one line per step: the time in milliseconds, what is done or answered, and the
//! events. The compiled program, plain and traced, and the interpreter each produce the story, and
//! all three must agree.
//!
//! ```
//! use tickseed_core::nodes;
//! use tickseed_testkit::{check, script::act};
//!
//! let n = nodes();
//! check(n.sequence([act("a", "S"), act("b", "RSR")]), "
//!     0    R  a+ aS b+
//!     100  S  b. bS
//!     100  R  a+ aS b+
//!     150  halt b!
//! ");
//! ```
//!
//! A tick is written as its answer: `S`uccess, `F`ailure, `R`unning, s`K`ipped or `E`rror. Other
//! steps are `halt`, `reset` and `recover`. Events are written as by [`brief`]:
//!
//! | event | written as |
//! |---|---|
//! | leaf starts, continues, finishes, is halted | `a+`, `a.`, `aS`, `a!` |
//! | leaf fails with an error | `aE` |
//! | action without a hook is called and answers | `a:R` |
//! | condition is evaluated | `a?y`, `a?n` |
//! | number is computed | `a#3` |
//! | hook sees the end | `a@S`, `a@!` |
//! | catch decides | `a~S` |
//! | for-each announces an index | `a[0]` |
//! | custom node notes a number, leaf draws one | `a*1`, `a%7` |
//! | line is logged | `"a"` |

use core::time::Duration;

use tickseed_core::{End, Node, Rng, Status, TickError, Time};

use crate::interp::Interp;
use crate::script::{Event, What, World};
use crate::trace::{Marks, Silent};

/// An event in a few letters; see the table in the documentation of stories.
#[must_use]
pub fn brief(event: &Event) -> String {
    let who = event.who;
    match event.what {
        What::Start => format!("{who}+"),
        What::Tick(_) => format!("{who}."),
        What::Finished(s) => format!("{who}{}", letter(s)),
        What::Failed => format!("{who}E"),
        What::Halted(_) => format!("{who}!"),
        What::Called(s) => format!("{who}:{}", letter(s)),
        What::Judged(holds) => format!("{who}?{}", if holds { 'y' } else { 'n' }),
        What::Number(n) => format!("{who}#{n}"),
        What::Ended(End::Finished(s)) => format!("{who}@{}", letter(s)),
        What::Ended(End::Halted) => format!("{who}@!"),
        What::Caught(s) => format!("{who}~{}", letter(s)),
        What::Item(i) => format!("{who}[{i}]"),
        What::Drew(n) => format!("{who}%{n}"),
        What::Noted(n) => format!("{who}*{n}"),
        What::Logged => format!("\"{who}\""),
    }
}

fn letter(status: Status) -> char {
    match status {
        Status::Success => 'S',
        Status::Failure => 'F',
        Status::Running => 'R',
        Status::Skipped => 'K',
    }
}

/// What produces the story.
#[derive(Clone, Copy, Debug)]
enum Teller {
    Compiled,
    Traced,
    Interpreter,
}

/// Checks that a tree behaves as the story says.
///
/// # Panics
/// If the tree does not build, the story cannot be read, or any of the three differs from it.
#[track_caller]
pub fn check(node: Node<World>, story: &str) {
    let tree = node.build().unwrap_or_else(|e| panic!("{e}"));
    let lines = || story.lines().map(str::trim).filter(|l| !l.is_empty());
    for teller in [Teller::Compiled, Teller::Traced, Teller::Interpreter] {
        let mut agent = tree.agent();
        let mut interp = Interp::new(&tree);
        let mut rng = Rng::new(0);
        let mut world = World::new();
        let (mut told, mut wanted) = (String::new(), String::new());
        let mut last = None;
        for line in lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [time, what, ..] = words[..] else {
                panic!("`{line}` in a story: a line has a time and what is done or answered");
            };
            let millis = time.parse();
            let millis = millis.unwrap_or_else(|_| panic!("`{time}` in a story is no time"));
            let now = Time::from_millis(millis);
            world.clear();
            let done = match (what, teller) {
                ("halt", Teller::Interpreter) => {
                    interp.halt(&mut world, now, Duration::ZERO, &mut rng);
                    "halt"
                }
                ("reset", Teller::Interpreter) => {
                    interp.reset(&mut world, now, Duration::ZERO, &mut rng);
                    "reset"
                }
                ("recover", Teller::Interpreter) => {
                    interp.recover(&mut world, now, Duration::ZERO, &mut rng);
                    "recover"
                }
                ("halt", _) => ok("halt", &tree.halt(&mut agent, &mut world, now)),
                ("reset", _) => ok("reset", &tree.reset(&mut agent, &mut world, now)),
                ("recover", _) => ok("recover", &tree.recover(&mut agent, &mut world, now)),
                (_, Teller::Interpreter) => {
                    let dt = last.map_or(Duration::ZERO, |last| now.since(last));
                    last = Some(now);
                    let answer = interp.tick(&mut world, now, dt, &mut rng, &mut Silent);
                    answer.map_or("E", answered)
                }
                (_, Teller::Compiled) => {
                    tree.tick(&mut agent, &mut world, now).map_or("E", answered)
                }
                (_, Teller::Traced) => {
                    let marks = &mut Marks::default();
                    let answer = tree.tick_traced(&mut agent, &mut world, now, marks);
                    answer.map_or("E", answered)
                }
            };
            let events: Vec<String> = world.events().iter().map(brief).collect();
            told += &format!("{time} {done} {}\n", events.join(" "));
            wanted += &format!("{time} {what} {}\n", words[2..].join(" "));
        }
        assert!(
            told == wanted,
            "{teller:?} tells\n{told}instead of\n{wanted}"
        );
        let broken = world.broken();
        assert!(broken.is_empty(), "{teller:?}: {broken:?}");
    }
}

fn answered(status: Status) -> &'static str {
    match status {
        Status::Success => "S",
        Status::Failure => "F",
        Status::Running => "R",
        Status::Skipped => "K",
    }
}

fn ok(done: &'static str, result: &Result<(), TickError>) -> &'static str {
    if result.is_ok() { done } else { "refused" }
}
