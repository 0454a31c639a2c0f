//! The studio's page: the engine as WebAssembly, the page around it, its tests in a browser.
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::cargo;
use crate::pack::pack;

const TARGET: &str = "wasm32-unknown-unknown";
const CHROMIUM: &str = "/usr/bin/chromium";

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

fn web() -> PathBuf {
    root().join("crates/tickseed-studio/web")
}

/// Builds the page into `crates/tickseed-studio/ui/dist`.
pub(crate) fn build() -> bool {
    if !has("node") || !has("npm") {
        eprintln!("the page is built with Node (20.19 or later) and npm: install them first");
        return false;
    }
    engine() && packages() && npm(&["run", "--silent", "build"]) && single()
}

/// Builds what is needed and starts the studio; `arguments` are those of `tickseed studio`.
pub(crate) fn studio(arguments: &[String]) -> bool {
    if !build() {
        return false;
    }
    println!("== the command that serves it (the first time this takes minutes)");
    let mut all = vec![
        "run",
        "--profile",
        "fast",
        "-p",
        "tickseed-cli",
        "--",
        "studio",
    ];
    all.extend(arguments.iter().map(String::as_str));
    cargo(&all, &[])
}

/// Builds the page and runs its tests. Where Node or a browser is missing they are skipped
/// aloud, unless `TICKSEED_REQUIRE_SHARED` says that this machine has all.
pub(crate) fn test() -> bool {
    let browser = env::var("CHROMIUM_PATH").unwrap_or_else(|_| CHROMIUM.into());
    let missing: Vec<&str> = [
        ("Node", has("node") && has("npm")),
        ("Chromium", Path::new(&browser).exists()),
    ]
    .into_iter()
    .filter_map(|(name, there)| (!there).then_some(name))
    .collect();
    if !missing.is_empty() {
        let strict = env::var_os("TICKSEED_REQUIRE_SHARED").is_some();
        println!(
            "== {}: the page's tests need {} (CHROMIUM_PATH names a browser elsewhere)",
            if strict { "failed" } else { "SKIPPED" },
            missing.join(" and ")
        );
        return !strict;
    }
    build()
        && npm(&["run", "--silent", "check"])
        && cargo(
            &["build", "-p", "tickseed-studio", "--example", "serve"],
            &[],
        )
        // After the page: the command embeds it.
        && cargo(&["build", "-p", "tickseed-cli"], &[])
        && npm(&["test", "--silent"])
}

/// Compiles the engine, packs it and puts it where the page's build finds it.
fn engine() -> bool {
    if !has_target() && !run(Command::new("rustup").args(["target", "add", TARGET])) {
        eprintln!("the target {TARGET} is missing and rustup could not add it");
        return false;
    }
    let args = [
        "build",
        "-p",
        "tickseed-wasm",
        "--target",
        TARGET,
        "--profile",
        "wasm",
    ];
    if !cargo(&args, &[]) {
        return false;
    }
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let from = target.join(TARGET).join("wasm/tickseed_wasm.wasm");
    let to = web().join("public/tickseed.wasm");
    let packed = fs::read(&from)
        .map_err(|e| e.to_string())
        .and_then(|module| pack(&module))
        .and_then(|module| {
            let written = fs::create_dir_all(web().join("public"));
            let written = written.and_then(|()| fs::write(&to, module));
            written.map_err(|e| e.to_string())
        });
    if let Err(e) = &packed {
        eprintln!(
            "{} cannot be packed into {}: {e}",
            from.display(),
            to.display()
        );
    }
    packed.is_ok()
}

fn has_target() -> bool {
    let list = Command::new("rustup")
        .args(["target", "list", "--installed"])
        .output();
    match list {
        Ok(list) => String::from_utf8_lossy(&list.stdout)
            .lines()
            .any(|l| l == TARGET),
        // No rustup: the compiler may bring the target all the same, and says so if not.
        Err(_) => true,
    }
}

/// Installs the page's packages, unless those of this very lock file are there.
fn packages() -> bool {
    let lock = web().join("package-lock.json");
    let stamp = web().join("node_modules/.tickseed-lock");
    let wanted = fs::read(&lock).ok();
    if wanted.is_some() && wanted == fs::read(&stamp).ok() {
        return true;
    }
    npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"]) && fs::copy(&lock, &stamp).is_ok()
}

/// Everything in one HTML file, to be opened from disk.
fn single() -> bool {
    npm(&["run", "--silent", "single"])
}

fn npm(args: &[&str]) -> bool {
    println!("== npm {}", args.join(" "));
    run(Command::new("npm").args(args).current_dir(web()))
}

fn has(program: &str) -> bool {
    run(Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null()))
}

fn run(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
