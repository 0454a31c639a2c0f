//! The project's chores. `cargo xtask test` runs everything that continuous integration runs, `cargo xtask bench`
//! measures, `cargo xtask conformance` runs cases of other engines' behaviour, `cargo xtask studio` builds the studio's
//! page and starts it.
mod house;
mod pack;
mod page;

use std::process::{Command, ExitCode};

/// Each step of `cargo xtask test`, in order: cheap ones first.
const STEPS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    (
        "clippy",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    ),
    ("tests", &["test", "--workspace"]),
    (
        "the driver on tokio",
        &["test", "-p", "tickseed-driver", "--features", "tokio"],
    ),
];

fn cargo(args: &[&str], env: &[(&str, &str)]) -> bool {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(args);
    for (key, value) in env {
        command.env(key, value);
    }
    command.status().is_ok_and(|status| status.success())
}

fn test() -> bool {
    for (name, args) in STEPS {
        println!("== {name}: cargo {}", args.join(" "));
        if !cargo(args, &[]) {
            println!("== {name} failed");
            return false;
        }
    }
    println!("== benches: every engine does the same work");
    if !cargo(&["test", "--manifest-path", "benches/Cargo.toml"], &[]) {
        println!("== benches failed");
        return false;
    }
    if !house::test() {
        println!("== a rule of the house is broken");
        return false;
    }
    println!("== docs");
    if !cargo(
        &["doc", "--workspace", "--no-deps", "--all-features"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    ) {
        return false;
    }
    println!("== the studio's page");
    page::test()
}

/// Tickseed beside hand-written code and the crates.io peers; `arguments` are the program's own.
fn bench(arguments: &[String]) -> bool {
    let mut all = vec![
        "run",
        "--release",
        "--manifest-path",
        "benches/Cargo.toml",
        "--",
    ];
    all.extend(arguments.iter().map(String::as_str));
    cargo(&all, &[])
}

/// Runs cases of BehaviorTree.CPP's and Nav2's behaviour; `arguments` are the program's own.
fn conformance(arguments: &[String]) -> bool {
    let mut all = vec![
        "run",
        "--quiet",
        "--package",
        "tickseed-lang",
        "--example",
        "conformance",
        "--",
    ];
    all.extend(arguments.iter().map(String::as_str));
    cargo(&all, &[])
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ok = match arguments.first().map(String::as_str) {
        Some("test") => test(),
        Some("house") => house::test(),
        Some("bench") => bench(&arguments[1..]),
        Some("conformance") => conformance(&arguments[1..]),
        Some("ui") => page::build(),
        Some("page-test") => page::test(),
        Some("studio") => page::studio(&arguments[1..]),
        _ => {
            eprintln!(
                "usage: cargo xtask studio [--port N] | ui | page-test | test | house | bench [--help] \
                 | conformance [--verbose] FILE..."
            );
            false
        }
    };
    if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
