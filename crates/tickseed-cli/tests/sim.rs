//! `tickseed sim`: the binary runs trees without their leaves.

mod folder;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use folder::Folder;
use serde_json::Value;

const GUARD: &str = "\
main tree Guard {
  selector {
    sequence {
      See
      Attack(1)
    }
    Patrol
  }
}
";

#[test]
fn leaves_do_as_flags_say_and_ticks_alike_are_told_once() {
    let f = Folder::new("sim_flags");
    f.write("guard.tick", GUARD);
    let args = [
        "sim",
        "guard.tick",
        "--leaf",
        "See=failure",
        "--leaf",
        "Pat*=success after 400ms",
    ];
    f.run(&args).code(0).says(&[
        "tick 1, 0.000 s: running\n  selector: running\n    sequence: failure\n      See: failure\n    Patrol: running\n",
        "tick 2, 0.100 s: running\n  selector: running\n    Patrol: running\n  (2 more ticks alike)\n",
        "tick 5, 0.400 s: success\n",
        "5 ticks, last: success",
        "1 of 5 nodes never ran:\n  selector/sequence/Attack",
    ]);
}

#[test]
fn a_quiet_run_is_its_summary_alone() {
    let f = Folder::new("sim_quiet");
    f.write("guard.tick", GUARD);
    let ran = f.run(&["sim", "guard.tick", "--quiet"]).code(0);
    assert!(ran.out.starts_with("7 ticks, last: "), "{}", ran.out);
}

#[test]
fn plans_seeds_and_restarts() {
    let f = Folder::new("sim_plans");
    f.write("guard.tick", GUARD);
    f.write(
        "plan.txt",
        "# All guards\nSee = success 50%\nPatrol = failure\ndefault = success after 1s..2s\n",
    );
    let run = |seed| {
        f.run(&[
            "sim",
            "guard.tick",
            "--plan",
            "plan.txt",
            "--restart",
            "--ticks",
            "300",
            "--seed",
            seed,
        ])
        .code(0)
        .out
    };
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1"), run("2"));
    assert!(run("1").contains("300 ticks"));
    // The command line counts before the file.
    let args = [
        "sim",
        "guard.tick",
        "--plan",
        "plan.txt",
        "--leaf",
        "See=failure",
        "--expect",
        "failure",
    ];
    f.run(&args).code(0);
    f.run(&[
        "sim",
        "guard.tick",
        "--leaf",
        "*=failure",
        "--expect",
        "success",
    ])
    .code(1)
    .warns(&["expected success, found failure"]);
    f.run(&["sim", "guard.tick", "--leaf", "Sea=failure", "-q"])
        .code(0)
        .warns(&["no leaf fits the rule `Sea`"]);
}

#[test]
fn json_tells_the_tree_every_tick_and_the_summary() {
    let f = Folder::new("sim_json");
    f.write("guard.tick", GUARD);
    let ran = f
        .run(&[
            "sim",
            "guard.tick",
            "--json",
            "--default",
            "success after 1 tick",
        ])
        .code(0);
    let lines: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let tree = lines[0]["tree"].as_array().unwrap();
    assert_eq!(tree.len(), 5);
    assert_eq!(
        (&tree[2]["kind"], &tree[2]["parent"], &tree[2]["line"]),
        (&"See".into(), &1.into(), &4.into())
    );
    assert_eq!(lines[1]["status"], "running");
    assert_eq!(lines[1]["nodes"][0], serde_json::json!([0, "running"]));
    let summary = &lines.last().unwrap()["summary"];
    assert_eq!(
        (&summary["status"], &summary["ticks"]),
        (&"success".into(), &3.into())
    );
    assert_eq!(summary["nodes"][3]["running"], 1);
}

#[test]
fn keys_trees_and_other_files_can_be_chosen() {
    let f = Folder::new("sim_chosen");
    f.write(
        "a.tick",
        "keys { battery = 1.0 }\nmain tree A { check battery < 0.5 }\ntree B { subtree Walk }\n",
    );
    f.write("lib/walk.tick", "tree Walk { success }\n");
    f.run(&["sim", "a.tick", "--expect", "failure", "--with", "lib"])
        .code(0);
    f.run(&[
        "sim",
        "a.tick",
        "--set",
        "battery=0.25",
        "--expect",
        "success",
        "--with",
        "lib",
    ])
    .code(0);
    f.run(&[
        "sim", "a.tick", "--tree", "B", "--expect", "success", "--with", "lib",
    ])
    .code(0);
    f.run(&["sim", "a.tick", "--set", "batery=0.25", "--with", "lib"])
        .code(2)
        .warns(&["did you mean `battery`?"]);
    f.run(&["sim", "a.tick", "--tree", "C"]).code(1);
}

#[test]
fn mistakes_are_told_apart() {
    let f = Folder::new("sim_mistakes");
    f.write("a.tick", "main tree A { sequence { Go }");
    f.run(&["sim", "a.tick"]).code(1).warns(&["a.tick:1"]);
    f.write("a.tick", "main tree A { Go }");
    f.run(&["sim", "a.tick", "--leaf", "Go"])
        .code(2)
        .warns(&["PATTERN"]);
    f.run(&["sim", "a.tick", "--default", "sucess"])
        .code(2)
        .warns(&["did you mean `success`?"]);
    f.run(&["sim", "a.tick", "--step", "5"])
        .code(2)
        .warns(&["100ms"]);
    f.run(&["sim", "absent.tick"]).code(2);
    for seed in ["x", "-1", "1.5", "99999999999999999999999"] {
        f.run(&["sim", "a.tick", "--seed", seed])
            .code(2)
            .warns(&["a whole number from 0 to"]);
    }
    // The file does not say this name, so no line of it is shown.
    let ran = f.run(&["sim", "a.tick", "--tree", "AB"]).code(1);
    let ran = ran.warns(&["Can't find a tree with name: AB", "did you mean `A`?"]);
    assert!(!ran.err.contains("a.tick:1"), "{}", ran.err);
    f.write("keys.tick", "keys { n = 1.5 }\ntree A { check n > 1 }");
    f.run(&["sim", "keys.tick", "--set", "n=low"])
        .code(2)
        .warns(&["the key `n` is float, which `low` is not"]);
    f.run(&["sim", "a.tick", "--leaf", "Go=error"])
        .code(1)
        .warns(&["tick 1 failed", "the plan says"]);
}

#[test]
fn keys_of_every_type_are_set_from_the_command_line() {
    let f = Folder::new("sim_set");
    f.write(
        "keys.tick",
        "enum Mood { calm, angry }
keys { mood: Mood = .calm; at: vec2; way: list<vec2> = []; name = \"x\"; rest: duration = 1s; foe: entity; n = 1.5 }
tree A { check mood == .angry && at.x == 1 && len(way) == 2 && name == \"3\" && rest == 2s && foe != none && n == 4 }",
    );
    let set = [
        "mood=angry",
        "at=vec2(1, 2)",
        "way=[at, at]",
        "name=3",
        "rest=2s",
        "foe=7",
        "n=4",
    ];
    let with = |set: &[&str]| {
        let flags = set.iter().flat_map(|set| ["--set", set]);
        let args: Vec<&str> = ["sim", "keys.tick", "-q", "--expect", "success"]
            .into_iter()
            .chain(flags)
            .collect();
        f.run(&args)
    };
    with(&set)
        .code(2)
        .warns(&["which `[at, at]` is not: expected a value of type list<vec2>"]);
    let mut right = set;
    right[2] = "way=[vec2(0, 0), vec2(1, 1)]";
    with(&right).code(0);
    with(&["mood=.angri"])
        .code(2)
        .warns(&["expected calm or angry; did you mean `angry`?"]);
    with(&["way=[1]"])
        .code(2)
        .warns(&["expected vec2, found int"]);
}

#[test]
fn nodes_named_almost_as_built_in_ones_are_pointed_at() {
    let f = Folder::new("sim_misspelt");
    f.write("a.tick", "tree A { selectr { See; Attack; } }");
    let warning = ["1:10", "did you mean `selector`?"];
    f.run(&["sim", "a.tick", "-q"]).code(0).warns(&warning);
    f.run(&["check", "a.tick"])
        .code(0)
        .says(&["1 warning", "did you mean `selector`?"]);
    let ran = f.run(&["check", "a.tick", "--allow-unknown-nodes"]).code(0);
    ran.says(&["nothing to report"]);
    f.write(
        "a.xml",
        "<root BTCPP_format='4'><BehaviorTree ID='A'><Fallbck><See/><Attack/></Fallbck></BehaviorTree></root>",
    );
    f.run(&["check", "a.xml", "--deny", "warnings"])
        .code(1)
        .says(&["did you mean `Fallback`?"]);
}

#[test]
fn limits_and_what_forgets_them() {
    let f = Folder::new("sim_limits");
    f.write(
        "a.tick",
        "tree A { forget { repeat 3 drain(3) { limit 2 otherwise(success) { Go } } } }",
    );
    let ran = f
        .run(&[
            "sim",
            "a.tick",
            "--leaf",
            "Go=success",
            "--restart",
            "--ticks",
            "2",
            "--json",
        ])
        .code(0);
    let last: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    let nodes = last["summary"]["nodes"].as_array().unwrap();
    // Twice in each of two activations.
    assert_eq!(nodes.last().unwrap()["success"], 4, "{last}");
}

#[test]
fn edited_trees_take_over_and_broken_ones_do_not() {
    let f = Folder::new("sim_watch");
    f.write(
        "a.tick",
        "keys { n = 0 }\nmain tree A { sequence { Stay; Go } }",
    );
    let mut child = f
        .command(&[
            "sim",
            "a.tick",
            "--watch",
            "--json",
            "--step",
            "20ms",
            "--ticks",
            "1000000",
            "--default",
            "running",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut wait = |key: &str| -> Value {
        for _ in 0..100_000 {
            let line = lines.next().expect("it goes on").unwrap();
            let value: Value = serde_json::from_str(&line).unwrap();
            if !value[key].is_null() {
                return value;
            }
        }
        panic!("no `{key}` came");
    };
    wait("tick");
    f.write("a.tick", "main tree A { sequence {");
    let broken = wait("broken");
    assert_eq!(broken["broken"][0]["severity"], "error");
    // The old tree runs on.
    assert_eq!(wait("tick")["status"], "running");
    f.write("a.tick", "main tree A { selector { Fresh; Go } }");
    let reloaded = wait("reloaded");
    assert_eq!(reloaded["reloaded"]["kept"], serde_json::json!([]));
    let tree = wait("tree");
    assert_eq!(tree["tree"][1]["name"], "Fresh");
    assert_eq!(wait("tick")["nodes"][1], serde_json::json!([1, "running"]));
    // What still exists goes on, under the same path; what is gone is halted.
    f.write("a.tick", "main tree A { selector { Fresh; Other; Go } }");
    let kept = wait("reloaded")["reloaded"]["kept"].clone();
    assert_eq!(kept, serde_json::json!(["selector/Fresh"]));
    assert_eq!(wait("tick")["nodes"][1], serde_json::json!([1, "running"]));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Files of the corpus that the engine's reference accepts run, Nav2's among them; the others give a
/// message, and nothing panics or hangs.
#[test]
fn the_corpus_runs_without_its_leaves() {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/xml");
    let Ok(entries) = std::fs::read_dir(&shared) else {
        assert!(
            std::env::var_os("TICKSEED_REQUIRE_SHARED").is_none(),
            "no {}",
            shared.display()
        );
        eprintln!("skipped: no {}", shared.display());
        return;
    };
    let f = Folder::new("sim_corpus");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut ran = 0;
    for path in &paths {
        let name = path.to_str().unwrap();
        let result = f.run(&["sim", name, "-q", "--ticks", "50"]);
        assert!(
            matches!(result.code, 0 | 1),
            "{name}: {}\n{}",
            result.code,
            result.err
        );
        assert!(
            result.code == 0 || result.err.contains("error"),
            "{name} fails without a word"
        );
        ran += usize::from(result.code == 0);
        let no_tree = ["[load::no-main]", "[load::no-tree]"];
        let no_tree = no_tree.iter().any(|code| result.err.contains(code));
        let nav2 = name.contains("navigation2__") && !no_tree;
        assert!(!nav2 || result.code == 0, "{name}: {}", result.err);
    }
    assert!(ran >= 260, "{ran} of {} run", paths.len());
}

#[test]
fn run_takes_a_file_and_says_what_an_edit_did() {
    let f = Folder::new("run_file");
    // Guards are nodes of the engine, which no path of a file names.
    f.write(
        "a.tick",
        "keys { n = 0 }\nmain tree A { parallel { Stay while n < 1; Go while n < 1; wait 1h } }",
    );
    let mut child = f
        .command(&[
            "run",
            "a.tick",
            "--step",
            "20ms",
            "--ticks",
            "1000000",
            "--default",
            "running",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut wait = |what: &str| -> String {
        for _ in 0..100_000 {
            let line = lines.next().expect("it goes on").unwrap();
            if line.contains(what) {
                return line;
            }
        }
        panic!("no `{what}` came");
    };
    wait("Stay: running");
    f.write(
        "a.tick",
        "keys { n = 0 }\nmain tree A { parallel { Go while n < 1; Other; wait 1h } }",
    );
    assert_eq!(
        wait("reloaded"),
        "reloaded; goes on: parallel/Go, parallel/wait"
    );
    assert!(wait("parallel/Stay ran").contains("cannot go on"));
    wait("Other: running");
    child.kill().unwrap();
    child.wait().unwrap();

    // What belongs to the other is said.
    for (args, word) in [
        (
            &["run", "a.tick", "--agents", "5"][..],
            "`--agents` is for worlds",
        ),
        (
            &["run", "robot", "--leaf", "A=failure"],
            "`--leaf` is for tree files",
        ),
    ] {
        let output = f.command(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(word), "{said}");
    }
}

/// A file that is deleted is missed, and the tree runs on.
#[test]
fn a_deleted_file_is_told_once() {
    let f = Folder::new("sim_gone");
    f.write("a.tick", "main tree A { Stay }");
    let mut child = f
        .command(&["run", "a.tick", "--step", "20ms", "--default", "running"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("running"));
    std::fs::remove_file(f.path("a.tick")).unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = told.next().unwrap().unwrap();
    assert_eq!(line, "a.tick is gone; the tree as it was runs on");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(told.next().is_none());
}

/// Who interrupts a run gets its summary.
#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_with_its_summary() {
    let f = Folder::new("sim_interrupted");
    f.write("a.tick", "main tree A { Stay }");
    let mut child = f
        .command(&["run", "a.tick", "--step", "20ms", "--default", "running"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("running"));
    let told = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(told.unwrap().success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(
        rest.iter().any(|l| l.ends_with("last: running")),
        "{rest:?}"
    );
    assert!(rest.iter().any(|l| l.ends_with("  Stay")), "{rest:?}");
    assert!(child.wait().unwrap().success());
}
