//! Rules of the house that compilers do not check: licences, features that build alone, a core
//! without the standard library, examples that run, documents that name what exists.

mod licence;
#[cfg(test)]
mod paths;

use std::collections::BTreeSet;
#[cfg(test)]
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::cargo;

/// All of them, cheap ones first.
pub(crate) fn test() -> bool {
    println!("== licences of all dependencies");
    let Some(metadata) = metadata() else {
        return false;
    };
    let faults = licence::faults(&metadata);
    faults.iter().for_each(|fault| println!("{fault}"));
    faults.is_empty() && no_std() && features(&metadata) && examples(&metadata)
}

/// `cargo metadata` of the workspace.
fn metadata() -> Option<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1"]);
    let output = command.stderr(Stdio::inherit()).output().ok()?;
    let read = serde_json::from_slice(&output.stdout);
    read.map_err(|e| println!("cannot read `cargo metadata`: {e}"))
        .ok()
}

/// The packages of the workspace.
fn members(metadata: &Value) -> impl Iterator<Item = &Value> {
    let all = metadata["packages"].as_array().into_iter().flatten();
    // Only those of the workspace have no source.
    all.filter(|package| package["source"].is_null())
}

fn no_std() -> bool {
    println!("== core does without the standard library");
    let manifest = "xtask/no-std/Cargo.toml";
    cargo(
        &[
            "check",
            "--quiet",
            "--manifest-path",
            manifest,
            "--target-dir",
            "target/no-std",
        ],
        &[],
    )
}

/// Builds, not tests: development dependencies would hide what is missing.
fn features(metadata: &Value) -> bool {
    for package in members(metadata) {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(features) = package["features"].as_object().filter(|f| !f.is_empty()) else {
            continue;
        };
        let alone = features
            .keys()
            .map(String::as_str)
            .filter(|f| *f != "default");
        for feature in std::iter::once("").chain(alone) {
            println!("== {name} with the features [{feature}] alone");
            let args = [
                "check",
                "--quiet",
                "-p",
                name,
                "--no-default-features",
                "--features",
                feature,
            ];
            if !cargo(&args, &[]) {
                return false;
            }
        }
    }
    true
}

/// The facade's numbered examples: each checks what it shows.
fn examples(metadata: &Value) -> bool {
    let facade = members(metadata).find(|package| package["name"] == "tickseed");
    let targets = facade.and_then(|f| f["targets"].as_array());
    let examples = targets
        .into_iter()
        .flatten()
        .filter(|target| target["kind"][0] == "example");
    let mut names = Vec::new();
    // One set of features for all, so that they are built together.
    let mut features = BTreeSet::new();
    for example in examples {
        names.extend(example["name"].as_str());
        let needs = example["required-features"]
            .as_array()
            .into_iter()
            .flatten();
        features.extend(needs.filter_map(Value::as_str));
    }
    let features = Vec::from_iter(features).join(",");
    names.sort_unstable();
    for name in &names {
        println!("== example {name}");
        let args = [
            "run",
            "--quiet",
            "-p",
            "tickseed",
            "--features",
            &features,
            "--example",
            name,
        ];
        if !cargo(&args, &[]) {
            return false;
        }
    }
    !names.is_empty()
}

/// The root of the workspace.
#[cfg(test)]
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask stands in the workspace")
}
