//! The rows: composites, loops, gates, leaves.

use tickseed_core::Status;
use tickseed_core::presets::Policy;

use super::{Three, check, leaf, n, open, row, three};
use crate::harness::ms;

#[test]
fn selector_and_sequence() {
    check(vec![
        row(
            "selector: all fail",
            n().selector([leaf('a', "F"), leaf('b', "F")]),
            "0",
            "F",
            "ab",
        ),
        row(
            "selector: a success stops it",
            n().selector([leaf('a', "F"), leaf('b', "S"), leaf('c', "S")]),
            "0",
            "S",
            "ab",
        ),
        row(
            "selector: a running child resumes, earlier ones are asked once",
            n().selector([
                leaf('a', "F"),
                leaf('b', "F"),
                leaf('c', "RRS"),
                leaf('d', "S"),
            ]),
            "0 1 2",
            "RRS",
            "abc|c|c",
        ),
        row(
            "sequence ticks a satisfied guard once over three ticks",
            n().sequence([leaf('g', "S"), leaf('w', "RRS")]),
            "0 1 2",
            "RRS",
            "gw|w|w",
        ),
        row(
            "sequence: a failure stops it",
            n().sequence([leaf('a', "S"), leaf('b', "F"), leaf('c', "S")]),
            "0",
            "F",
            "ab",
        ),
    ]);
}

#[test]
fn priority_composites() {
    let five = |e: &'static str| {
        n().priority_selector([
            leaf('a', "FFS"),
            leaf('b', "F"),
            leaf('c', "F"),
            leaf('d', "F"),
            leaf('e', e),
            leaf('f', "S"),
        ])
    };
    check(vec![
        row(
            "all fail, each once",
            n().priority_selector([leaf('a', "F"), leaf('b', "F")]),
            "0",
            "F",
            "ab",
        ),
        row(
            "success at 4 is returned, 5 is untouched",
            five("S"),
            "0",
            "S",
            "abcde",
        ),
        row(
            "the second tick asks 0 to 3 again",
            five("R"),
            "0 1",
            "RR",
            "abcde|abcde",
        ),
        row(
            "child 0 turns success while 4 runs: 4 is reset once, 5 never",
            five("R"),
            "0 1 2",
            "RRS",
            "abcde|abcde|ae!",
        ),
        row(
            "priority sequence: a dropped guard fails it and resets the work once",
            n().priority_sequence([leaf('g', "SSF"), leaf('w', "R")]),
            "0 1 2",
            "RRF",
            "gw|gw|gw!",
        ),
    ]);
}

#[test]
fn abort_cleanup() {
    check(vec![
        row(
            "a guard that opens at 1000 resets the running low leaf exactly once",
            n().priority_selector([
                n().sequence([open('g', 1000, u64::MAX), leaf('h', "S")]),
                leaf('l', "R"),
            ]),
            "0 999 1000",
            "RRS",
            "gl|gl|ghl!",
        ),
        row(
            "a reset reaches a leaf through composites and a decorator",
            n().sequence([n().inverter(n().selector([leaf('a', "R")]))]),
            "0 @",
            "R",
            "aa!",
        ),
        row(
            "an untouched branch is not told",
            n().sequence([leaf('a', "R"), leaf('b', "R")]),
            "0 @ @",
            "R",
            "aa!",
        ),
    ]);
}

#[test]
fn reset_cascade() {
    let high = || n().priority_sequence([open('g', 100, 200), leaf('h', "R")]);
    let low = || n().sequence([n().wait(ms(1000)), leaf('x', "S")]);
    check(vec![
        row(
            "priority selector: the low wait begins anew at 200 and is due at 1200",
            n().priority_selector([high(), low()]),
            "0 100 200 1100 1199 1200",
            "RRRRRS",
            "g|gh|gh!|g|g|gx",
        ),
        row(
            "priority sequence: likewise",
            n().priority_sequence([n().inverter(high()), low()]),
            "0 100 200 1100 1199 1200",
            "RRRRRS",
            "g|gh|gh!|g|g|gx",
        ),
    ]);
}

#[test]
fn reactive_reevaluation() {
    check(vec![
        row(
            "a wait directly in a priority sequence: the follower is always a fresh start",
            n().priority_sequence([n().wait(ms(100)), leaf('x', "R")]),
            "0 100 101 200 201 301",
            "RRRRRR",
            "|x|x!||x|x!",
        ),
        row(
            "wait and strike in a sequence of their own: success at 200, struck once",
            n().priority_sequence([
                leaf('g', "S"),
                n().sequence([n().wait(ms(200)), leaf('x', "S")]),
            ]),
            "0 100 200",
            "RRS",
            "g|g|gx",
        ),
        row(
            "the guard before it still tears down",
            n().priority_sequence([
                leaf('g', "SF"),
                n().sequence([leaf('a', "S"), leaf('x', "R")]),
            ]),
            "0 100",
            "RF",
            "gax|gx!",
        ),
    ]);
}

#[test]
fn leaves_with_state() {
    check(vec![
        row(
            "state persists: success on the third",
            three('s'),
            "0 1 2",
            "RRS",
            "s1|s2|s3",
        ),
        row(
            "a reset clears it",
            three('s'),
            "0 1 @ 2",
            "RRR",
            "s1|s2|s1",
        ),
        row(
            "an abort by a priority parent clears it",
            n().priority_selector([open('g', 1, 2), three('s')]),
            "0 1 2",
            "RSR",
            "gs1|g|gs1",
        ),
        row(
            "completion clears it: a second run under a cooldown takes three ticks again",
            n().cooldown(ms(10), three('s')),
            "0 1 2 3 12 13 14",
            "RRSFRRS",
            "s1|s2|s3||s1|s2|s3",
        ),
        row(
            "a failing leaf under until-failed",
            n().until_failed(n().leaf("s", Three('s', Status::Failure))),
            "0 1 2 3",
            "RRSR",
            "s1|s2|s3|s1",
        ),
    ]);
}

#[test]
fn simple_parallel() {
    let one = |a, b| n().simple_parallel(Policy::OnlyOneMustSucceed, [leaf('a', a), leaf('b', b)]);
    let both = |a, b| n().simple_parallel(Policy::BothMustSucceed, [leaf('a', a), leaf('b', b)]);
    check(vec![
        row(
            "only one: the first tick starts both, each tick ticks both",
            one("R", "R"),
            "0 1",
            "RR",
            "ab|ab",
        ),
        row("both: likewise", both("R", "R"), "0 1", "RR", "ab|ab"),
        row(
            "after completion both are ticked anew",
            both("S", "S"),
            "0 1",
            "SS",
            "ab|ab",
        ),
        row(
            "only one: F and R run on",
            one("F", "R"),
            "0 1",
            "RR",
            "ab|b",
        ),
        row(
            "only one: S and R succeed, b is reset once",
            one("S", "R"),
            "0",
            "S",
            "abb!",
        ),
        row("only one: F and F fail", one("F", "F"), "0", "F", "ab"),
        row(
            "only one: S beats F in one tick",
            one("F", "S"),
            "0",
            "S",
            "ab",
        ),
        row(
            "both: a completed child rests",
            both("S", "RRS"),
            "0 1 2",
            "RRS",
            "ab|b|b",
        ),
        row("both: F beats S", both("F", "S"), "0", "F", "ab"),
        row(
            "both: F and R fail, b is reset once",
            both("F", "R"),
            "0",
            "F",
            "abb!",
        ),
        row(
            "no short circuit once decided",
            both("F", "RS"),
            "0 1",
            "FF",
            "abb!|ab",
        ),
    ]);
}

#[test]
fn loops() {
    check(vec![
        row(
            "repeat: 9 running, then success, then running",
            n().repeat(10, leaf('a', "S")),
            "0 1 2 3 4 5 6 7 8 9 10",
            "RRRRRRRRRSR",
            "a|a|a|a|a|a|a|a|a|a|a",
        ),
        row(
            "repeat: a failure ends it",
            n().repeat(3, leaf('a', "SF")),
            "0 1",
            "RF",
            "a|a",
        ),
        row(
            "repeat: running does not count",
            n().repeat(2, leaf('a', "RRSRS")),
            "0 1 2 3 4",
            "RRRRS",
            "a|a|a|a|a",
        ),
        row(
            "repeat: a reset zeroes",
            n().repeat(2, leaf('a', "S")),
            "0 @ 1 2",
            "RRS",
            "a|a|a",
        ),
        row(
            "retry: success after failure",
            n().retry(3, leaf('a', "FS")),
            "0 1",
            "RS",
            "a|a",
        ),
        row(
            "retry: exhausted",
            n().retry(3, leaf('a', "F")),
            "0 1 2",
            "RRF",
            "a|a|a",
        ),
        row(
            "retry: running spends nothing",
            n().retry(2, leaf('a', "RFRS")),
            "0 1 2 3",
            "RRRS",
            "a|a|a|a",
        ),
        row(
            "retry: one attempt passes through",
            n().retry(1, leaf('a', "F")),
            "0",
            "F",
            "a",
        ),
        row(
            "retry: a reset zeroes",
            n().retry(2, leaf('a', "F")),
            "0 @ 1 2",
            "RRF",
            "a|a|a",
        ),
        row(
            "retry(4) in a sequence, two failures, follower once",
            n().sequence([n().retry(4, leaf('a', "FFS")), leaf('b', "S")]),
            "0 1 2",
            "RRS",
            "a|a|ab",
        ),
        row(
            "each attempt starts fresh",
            n().retry(2, n().inverter(three('s'))),
            "0 1 2 3",
            "RRRR",
            "s1|s2|s3|s1",
        ),
        row(
            "until success",
            n().until_success(leaf('a', "FRS")),
            "0 1 2",
            "RRS",
            "a|a|a",
        ),
        row(
            "until failed",
            n().until_failed(leaf('a', "SRF")),
            "0 1 2",
            "RRS",
            "a|a|a",
        ),
        row(
            "forever",
            n().forever(leaf('a', "SF")),
            "0 1 2",
            "RRR",
            "a|a|a",
        ),
    ]);
}

#[test]
fn for_each() {
    let items = |body| n().for_each(|_| 3, |lab, i| lab.log.push_str(&i.to_string()), body);
    check(vec![
        row(
            "running holds the item, then it finishes",
            items(leaf('a', "SRSS")),
            "0 1",
            "RS",
            "0a1a|a2a",
        ),
        row(
            "a failure on the second item",
            items(leaf('a', "SF")),
            "0",
            "F",
            "0a1a",
        ),
        row(
            "a failing third item, next run from item 0",
            items(leaf('a', "SSFS")),
            "0 1",
            "FS",
            "0a1a2a|0a1a2a",
        ),
        row(
            "zero items succeed untouched",
            n().for_each(|_| 0, |_, _| {}, leaf('a', "S")),
            "0",
            "S",
            "",
        ),
        row(
            "over retry: each item fails once",
            items(n().retry(2, leaf('a', "FSFSFS"))),
            "0 1 2 3",
            "RRRS",
            "0a|a1a|a2a|a",
        ),
    ]);
}

#[test]
fn gates() {
    let cool = |a| n().cooldown(ms(1000), leaf('a', a));
    let rate = |a| n().rate_limiter(ms(1000), leaf('a', a));
    check(vec![
        row(
            "cooldown: starts on success, open at exactly the interval",
            cool("S"),
            "0 999 1000",
            "SFS",
            "a||a",
        ),
        row(
            "cooldown: failure does not start it",
            cool("FS"),
            "0 1",
            "FS",
            "a|a",
        ),
        row(
            "cooldown: running does not start it",
            cool("RS"),
            "0 1 2",
            "RSF",
            "a|a|",
        ),
        row(
            "cooldown: a reset keeps it",
            cool("S"),
            "0 @ 500 1000",
            "SFS",
            "a||a",
        ),
        row(
            "rate limiter: success is replayed",
            rate("SF"),
            "0 999 1000",
            "SSF",
            "a||a",
        ),
        row(
            "rate limiter: failure is replayed",
            rate("FS"),
            "0 999 1000",
            "FFS",
            "a||a",
        ),
        row(
            "rate limiter: running is not",
            rate("RS"),
            "0 1 2",
            "RSS",
            "a|a|",
        ),
        row(
            "rate limiter: a reset keeps timer and verdict",
            rate("FS"),
            "0 @ 500 1000",
            "FFS",
            "a||a",
        ),
    ]);
}

#[test]
fn waits_and_limits() {
    check(vec![
        row(
            "wait is over at exactly its time and re-arms",
            n().wait(ms(100)),
            "0 99 100 101 200 201",
            "RRSRRS",
            "|||||",
        ),
        row(
            "wait of zero succeeds at once",
            n().wait(ms(0)),
            "0 1",
            "SS",
            "|",
        ),
        row(
            "a reset restarts a wait",
            n().wait(ms(100)),
            "0 50 @ 60 159 160",
            "RRRRS",
            "||||",
        ),
        row(
            "a time limit checks before the child",
            n().time_limit(ms(100), leaf('a', "RS")),
            "0 100",
            "RF",
            "a|a!",
        ),
        row(
            "a child in time",
            n().time_limit(ms(100), leaf('a', "RS")),
            "0 99",
            "RS",
            "a|a",
        ),
        row(
            "a limit restarts after a reset",
            n().time_limit(ms(100), leaf('a', "R")),
            "0 90 @ 95 190 195",
            "RRRRF",
            "a|aa!|a|a|a!",
        ),
    ]);
}

#[test]
fn decorators() {
    check(vec![
        row(
            "inverter",
            n().inverter(leaf('a', "RSF")),
            "0 1 2",
            "RFS",
            "a|a|a",
        ),
        row(
            "always succeed",
            n().always_succeed(leaf('a', "RFS")),
            "0 1 2",
            "RSS",
            "a|a|a",
        ),
        row(
            "always fail",
            n().always_fail(leaf('a', "RFS")),
            "0 1 2",
            "RFF",
            "a|a|a",
        ),
        row(
            "auto reset",
            n().auto_reset(leaf('a', "RFS")),
            "0 1 2",
            "RFS",
            "a|a|a",
        ),
        row(
            "catch: failure is handled",
            n().catch(|_| Status::Success, leaf('a', "RSF")),
            "0 1 2",
            "RSS",
            "a|a|a",
        ),
        row(
            "condition",
            n().selector([
                n().condition("no", |_| false),
                n().condition("yes", |_| true),
            ]),
            "0",
            "S",
            "",
        ),
        row(
            "chance of one always runs the child",
            n().chance(1.0, leaf('a', "RS")),
            "0 1",
            "RS",
            "a|a",
        ),
    ]);
}
