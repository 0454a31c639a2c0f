//! The project's chores. `cargo xtask test` runs everything that continuous integration runs.
use std::process::{Command, ExitCode};

/// Each step of `cargo xtask test`, in order: cheap ones first.
const STEPS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    (
        "clippy",
        &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    ),
    ("tests", &["test", "--workspace"]),
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
    println!("== docs");
    cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])
}

fn main() -> ExitCode {
    let ok = match std::env::args().nth(1).as_deref() {
        Some("test") => test(),
        _ => {
            eprintln!("usage: cargo xtask test");
            false
        }
    };
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
