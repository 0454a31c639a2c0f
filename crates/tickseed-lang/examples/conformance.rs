//! Runs conformance cases and prints one line a case and a total: `cargo xtask conformance FILE...`.
//! With `--verbose` the lines that differ are shown. The exit code tells whether all pass.

use std::process::ExitCode;
use tickseed_lang::conformance::{Outcome, cases, run_all};

fn main() -> ExitCode {
    let mut verbose = false;
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--verbose" | "-v" => verbose = true,
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        eprintln!("usage: cargo xtask conformance [--verbose] FILE...");
        return ExitCode::from(2);
    }
    let mut all: Vec<Outcome> = Vec::new();
    for file in &files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("failed to read {file}: {error}");
                return ExitCode::from(2);
            }
        };
        match cases(&text) {
            Ok(cases) => all.extend(run_all(&cases)),
            Err(error) => {
                eprintln!("failed to read the cases of {file}: {error}");
                return ExitCode::from(2);
            }
        }
    }
    for outcome in &all {
        let passes = outcome.passes();
        println!("{} {}", if passes { "pass" } else { "FAIL" }, outcome.name);
        if verbose && !passes {
            println!("  expected:\n{}", indent(&outcome.expected));
            println!("  found:\n{}", indent(&outcome.found));
        }
    }
    let passed = all.iter().filter(|outcome| outcome.passes()).count();
    println!("{passed} of {} pass", all.len());
    if passed == all.len() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn indent(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}
