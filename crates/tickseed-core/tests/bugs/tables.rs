//! The tables in the nodes' documentation are what the nodes do: every row is checked by
//! running the node, and a row without a check fails.

use tickseed_core::nodes::Pace;
use tickseed_core::{Guard, Node, Status};
use tickseed_testkit::script::{World, act, bare_act, cond, instant, leaf};

use crate::kinds::Wrap;
use crate::rig::{Make, Rig, letter, ms, n};

/// The rows of the first table after `//!` in a source text, without the head.
fn rows(source: &str) -> Vec<Vec<String>> {
    let lines = source.lines().filter_map(|l| l.strip_prefix("//!"));
    let table = lines.map(str::trim).filter(|l| l.starts_with('|'));
    table
        .skip(2)
        .map(|l| {
            let cells = l.trim_matches('|').split('|');
            cells.map(|c| c.trim().to_string()).collect()
        })
        .collect()
}

/// How a loop answers a child that always answers the same: the status at the end and after
/// how many rounds, or nothing.
fn ends(wrap: Wrap, answer: &'static str) -> Option<(char, usize)> {
    let mut rig = Rig::new(wrap(instant("A", answer)));
    (1..20).find_map(|rounds| {
        let c = rig.step().chars().next().expect("a status");
        (c != 'R').then_some((c, rounds))
    })
}

fn word(c: char) -> &'static str {
    if c == 'S' { "success" } else { "failure" }
}

#[test]
fn u04_loops_do_what_their_table_says() {
    let loops: [(&str, Wrap); 7] = [
        ("repeat n", |x| n().repeat(3, x)),
        ("repeat forever", |x| n().repeat_forever(x)),
        ("retry n", |x| n().retry(3, x)),
        ("until success", |x| n().until_success(x)),
        ("until failure", |x| n().until_failure(x)),
        ("forever", |x| n().forever(x)),
        ("keep running until failure", |x| {
            n().keep_running_until_failure(x)
        }),
    ];
    let table = rows(include_str!("../../src/nodes/looping.rs"));
    assert!(table.len() >= 6, "{table:?}");
    for row in table {
        let (_, wrap) = loops
            .iter()
            .find(|(name, _)| *name == row[0])
            .unwrap_or_else(|| panic!("no check for {row:?}"));
        let found = [ends(*wrap, "S"), ends(*wrap, "F")];
        // Again on: the answers whose first round is not the last.
        let again: Vec<&str> = [("success", found[0]), ("failure", found[1])]
            .into_iter()
            .filter(|(_, f)| f.is_none_or(|(_, rounds)| rounds > 1))
            .map(|(s, _)| s)
            .collect();
        let again = if again.len() == 2 { "either" } else { again[0] };
        assert_eq!(row[1], again, "{row:?}");
        let limited = found.iter().flatten().find(|(_, rounds)| *rounds == 3);
        assert_eq!(
            row[2].split(' ').next(),
            Some(if limited.is_some() { "n" } else { "none" })
        );
        assert_eq!(row[3], limited.map_or("", |(c, _)| word(*c)), "{row:?}");
        let other = found.iter().flatten().find(|(_, rounds)| *rounds == 1);
        let said = row[4].split(',').next().unwrap_or("");
        assert_eq!(said, other.map_or("", |(c, _)| word(*c)), "{row:?}");
    }
}

#[test]
fn u04_gates_do_what_their_table_says() {
    for row in rows(include_str!("../../src/nodes/gate.rs")) {
        let wrap: Wrap = match row[0].as_str() {
            "cooldown" => |x| n().cooldown(ms(9), x),
            "rate limit" => |x| n().rate_limit(ms(9), x),
            _ => panic!("no check for {row:?}"),
        };
        let two = |script| {
            let mut rig = Rig::new(wrap(instant("A", script)));
            rig.step();
            rig.step()
        };
        let starts = match (two("S").len(), two("F").len()) {
            (1, 1) => "any verdict",
            (1, _) => "success",
            other => panic!("{other:?}"),
        };
        assert_eq!(row[1], starts, "{row:?}");
        let closed = match (two("S").as_str(), two("F").as_str()) {
            ("S", "F") => "the last verdict",
            ("F", _) => "failure",
            other => panic!("{other:?}"),
        };
        assert_eq!(row[2], closed, "{row:?}");
    }
}

#[test]
fn u04_flows_do_what_their_table_says() {
    // Third child runs, then the first says otherwise.
    let children = || [act("A", "SF"), act("B", "S"), act("C", "R")];
    for row in rows(include_str!("../../src/nodes/flow.rs")) {
        match row[0].as_str() {
            "memory" => {
                Rig::new(n().sequence(children()))
                    .ticks(["R A+ A=S B+ B=S C+", "R C~"])
                    .halt("C!")
                    .ticks(["F A+ A=F"]);
                assert!(row[1].starts_with("resumes at the running child"));
            }
            "reactive" => {
                Rig::new(n().sequence(children()).reactive())
                    .ticks(["R A+ A=S B+ B=S C+", "F A+ A=F C!"]);
                assert!(row[1].starts_with("starts again at the first child"));
            }
            "random" => {
                // Every child once an activation, whatever the order.
                for seed in 0..20 {
                    let three = [act("A", "S"), act("B", "S"), act("C", "S")];
                    let mut rig = Rig::seeded(n().sequence(three).random(), seed);
                    let text = rig.step();
                    assert!(
                        ["A+", "B+", "C+"]
                            .iter()
                            .all(|s| text.matches(s).count() == 1)
                    );
                }
                Rig::new(n().sequence([act("C", "R")]).random()).ticks(["R C+", "R C~"]);
                assert!(row[1].starts_with("resumes at the running child"));
            }
            "keeping place" => {
                Rig::new(n().sequence(children()).keep_place())
                    .ticks(["R A+ A=S B+ B=S C+", "R C~"])
                    .halt("C!")
                    .ticks(["R C+"]);
                assert!(row[1].starts_with("resumes at the running child"));
                assert!(row[2].contains("the next activation begins at that child"));
            }
            other => panic!("no check for {other}"),
        }
    }
}

#[test]
fn u04_leaves_do_what_their_table_says() {
    for row in rows(include_str!("../../src/nodes/leaves.rs")) {
        match row[0].as_str() {
            "condition" => {
                Rig::new(cond("c", "SF")).ticks(["S c:S", "F c:F"]).halt("");
            }
            "instant action" => {
                Rig::new(instant("i", "SFK")).ticks(["S i:S", "F i:F", "K i:K"]);
                let mut rig = Rig::new(instant("i", "R"));
                assert!(rig.step().starts_with('E'), "running is an error");
            }
            "action" | "leaf" => {
                let make = if row[0] == "leaf" { leaf } else { act };
                Rig::new(make("a", "RRS"))
                    .ticks(["R a+", "R a~", "S a~ a=S"])
                    .halt("");
                Rig::new(make("a", "R"))
                    .ticks(["R a+"])
                    .halt("a!")
                    .ticks(["R a+"]);
            }
            "constant" => {
                for s in [Status::Success, Status::Failure, Status::Skipped] {
                    assert_eq!(Rig::new(n().constant(s)).step(), letter(s).to_string());
                }
                Rig::new(n().run_forever()).ticks(["R", "R"]).halt("");
            }
            "log" => {
                Rig::new(n().log("x0")).ticks(["S x0>"]);
            }
            other => panic!("no check for {other}"),
        }
    }
}

/// The answers of each node with one child by the child's answer: what the sentences of the
/// documentation say, as one table.
#[test]
fn u04_status_table_of_nodes_with_one_child() {
    // Child answers S, F, R, K; the node then answers:
    let table: [(&str, Wrap, &str); 27] = [
        ("invert", |x| n().invert(x), "FSRK"),
        ("force success", |x| n().force_success(x), "SSRK"),
        ("force failure", |x| n().force_failure(x), "FFRK"),
        ("repeat", |x| n().repeat(2, x), "RFRK"),
        ("repeat once", |x| n().repeat(1, x), "SFRK"),
        ("repeat forever", |x| n().repeat_forever(x), "RFRK"),
        ("retry", |x| n().retry(2, x), "SRRK"),
        ("retry once", |x| n().retry(1, x), "SFRK"),
        ("until success", |x| n().until_success(x), "SRRK"),
        ("until failure", |x| n().until_failure(x), "RSRK"),
        ("forever", |x| n().forever(x), "RRRK"),
        ("cooldown", |x| n().cooldown(ms(1), x), "SFRK"),
        ("rate limit", |x| n().rate_limit(ms(1), x), "SFRK"),
        ("time limit", |x| n().time_limit(ms(1), x), "SFRK"),
        ("delay", |x| n().delay(ms(0), x), "SFRK"),
        ("chance", |x| n().chance(1.0, x), "SFRK"),
        ("run once", |x| n().run_once(x), "SFRK"),
        ("limit runs", |x| n().limit_runs(1, x), "SFRK"),
        ("forget", |x| n().forget(x), "SFRK"),
        (
            "while guard",
            |x| n().while_guard(Guard::constant(true), x),
            "SFRK",
        ),
        (
            "skip if",
            |x| n().skip_if(Guard::constant(false), x),
            "SFRK",
        ),
        (
            "catch",
            |x| tickseed_testkit::script::catch("c", "S", x),
            "SSRK",
        ),
        ("uninterruptible", |x| n().uninterruptible(x), "SFRK"),
        ("hold", |x| n().hold(x), "SFRK"),
        (
            "finally",
            |x| tickseed_testkit::script::finally("f", x),
            "SFRK",
        ),
        (
            "for each",
            |x| tickseed_testkit::script::for_each("e", [1], x),
            "SFRK",
        ),
        (
            "for each, one a tick",
            |x| tickseed_testkit::script::for_each("e", [2], x).pace(Pace::OnePerTick),
            "RFRR",
        ),
    ];
    for (name, wrap, answers) in table {
        for (child, expected) in ["S", "F", "R", "K"].into_iter().zip(answers.chars()) {
            let text = Rig::new(wrap(bare_act("x", child))).step();
            assert!(text.starts_with(expected), "{name} of {child}: {text}");
        }
    }
}

#[test]
fn u04_status_table_of_composites() {
    // Two instant children, SS SF SK FS FF FK KS KF KK.
    let pairs = ["SS", "SF", "SK", "FS", "FF", "FK", "KS", "KF", "KK"];
    type Two = fn([Node<World>; 2]) -> Node<World>;
    let table: [(&str, Two, &str); 9] = [
        ("sequence", |c| n().sequence(c), "SFSFFFSFK"),
        ("selector", |c| n().selector(c), "SSSSFFSFK"),
        (
            "reactive sequence",
            |c| n().sequence(c).reactive(),
            "SFSFFFSFK",
        ),
        (
            "reactive selector",
            |c| n().selector(c).reactive(),
            "SSSSFFSFK",
        ),
        ("random sequence", |c| n().sequence(c).random(), "SFSFFFSFK"),
        ("random selector", |c| n().selector(c).random(), "SSSSFFSFK"),
        ("parallel", |c| n().parallel(c), "SFSFFFSFK"),
        (
            "if-then",
            |c| {
                let [condition, then] = c;
                n().if_then(condition, then)
            },
            "SFKFFFKKK",
        ),
        (
            "while-do",
            |c| {
                let [condition, body] = c;
                n().while_do(condition, body)
            },
            "SFKFFFKKK",
        ),
    ];
    let child: Make = || n().succeed();
    assert_eq!(Rig::new(child()).step(), "S");
    for (name, make, answers) in table {
        for (pair, expected) in pairs.into_iter().zip(answers.chars()) {
            let status = |c| match c {
                'S' => Status::Success,
                'F' => Status::Failure,
                _ => Status::Skipped,
            };
            let mut both = pair.chars().map(|c| n().constant(status(c)));
            let two = [both.next().expect("one"), both.next().expect("two")];
            assert_eq!(
                Rig::new(make(two)).step(),
                expected.to_string(),
                "{name} of {pair}"
            );
        }
    }
}

#[test]
fn u04_the_decisions_name_tests_that_exist() {
    let sources = [
        include_str!("a_errors.rs"),
        include_str!("a_panics.rs"),
        include_str!("d_decorators.rs"),
        include_str!("h_halting.rs"),
        include_str!("kinds.rs"),
        include_str!("p_parallel.rs"),
        include_str!("r_reactive.rs"),
        include_str!("remote.rs"),
        include_str!("siblings.rs"),
        include_str!("t_time.rs"),
        include_str!("tables.rs"),
        include_str!("u_use.rs"),
    ];
    let text = include_str!("../../../../docs/decisions.md");
    // Those about files are tested where files are read, those about herds beside herds.
    let text = text.split("\n# Files").next().expect("the first part");
    let text = text.split("\n## Herds").next().expect("the first part");
    let mut rows = 0;
    for line in text
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| question"))
    {
        let last = line
            .trim_end_matches('|')
            .rsplit('|')
            .next()
            .expect("cells");
        let tests: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test: {line}");
        for test in tests {
            let exists = sources.iter().any(|s| s.contains(&format!("fn {test}()")));
            assert!(exists, "no such test: {test}");
        }
        rows += 1;
    }
    assert!(rows > 40, "{rows}");
}
