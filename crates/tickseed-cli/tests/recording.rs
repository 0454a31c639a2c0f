//! The commands that make and read recordings.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn tickseed(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tickseed"))
        .args(args)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// All that was said.
fn text_of(out: &Output) -> String {
    format!("{}{}", text(&out.stdout), text(&out.stderr))
}

/// A file of its own for a test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("tickseed-{}-{name}.tickrec", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn record(file: &Scratch, args: &[&str]) {
    let mut all = vec!["record", "-o", file.path()];
    all.extend(args);
    let out = tickseed(&all);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(out.stdout.is_empty());
    assert!(text(&out.stderr).contains("fingerprint"));
}

#[test]
fn every_world_is_recorded_and_runs_again_the_same() {
    for world in tickseed_worlds::WORLDS {
        let file = Scratch::new(world.name);
        record(
            &file,
            &[
                world.name, "--seed", "3", "--ticks", "700", "--drain", "200",
            ][..if world.drain.is_empty() { 5 } else { 7 }],
        );
        let out = tickseed(&["replay", file.path()]);
        let said = text(&out.stdout);
        assert!(out.status.success(), "{said}{}", text(&out.stderr));
        assert!(
            said.contains("700 ticks run again, every one the same"),
            "{said}"
        );
        let run = tickseed(&[
            "run", world.name, "--plain", "--seed", "3", "--ticks", "700", "--quiet",
        ]);
        if world.drain.is_empty() {
            let last = text(&run.stdout).lines().last().unwrap();
            let fingerprint = last.rsplit(' ').next().unwrap();
            assert!(said.contains(fingerprint), "{said}{last}");
        }
    }
}

#[test]
fn a_tick_is_found_and_shown() {
    let file = Scratch::new("seek");
    record(&file, &["robot", "--ticks", "300", "--drain", "100"]);
    let out = tickseed(&["replay", file.path(), "--seek", "101"]);
    let shown = text(&out.stdout);
    assert!(
        shown.contains("tick 101  5.050 s  agent 0  running"),
        "{shown}"
    );
    assert!(
        shown.contains(r#"input {"agent":0,"input":"drain"}"#),
        "{shown}"
    );
    assert!(
        shown.contains(r#"condition "battery low": success"#),
        "{shown}"
    );
    assert!(
        shown.contains(r#"action "recharge": running  <- decided"#),
        "{shown}"
    );
    assert!(shown.contains(r#"action "patrol": -  halted"#), "{shown}");
    assert!(shown.contains("battery_low          true"), "{shown}");
    let out = tickseed(&["replay", file.path(), "--seek", "101", "--json"]);
    let tick: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(tick["nodes"][0][1], "running");
    let out = tickseed(&["replay", file.path(), "--json"]);
    let lines: Vec<Value> = text(&out.stdout)
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 301);
    assert_eq!(lines[0]["world"]["name"], "robot");
    assert_eq!(lines[101]["inputs"][0]["input"], "drain");
    let why = |node: &str| {
        let out = tickseed(&["replay", file.path(), "--seek", "101", "--why", node]);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout).to_owned()
    };
    let expected = "`patrol` was halted in this tick\n\
         `patrol` was not ticked: `reactive selector` stopped at `reactive sequence`, which \
         answered running\n\
         `reactive sequence` answered running: it stopped at `recharge`, which answered running\n\
         `recharge` answered running of its own\n\
         before that, `battery low` answered success: battery_low is true\n";
    assert_eq!(why("patrol"), expected);
    assert!(why("battery low").contains("answered success: battery_low is true"));
    let out = tickseed(&["replay", file.path(), "--seek", "101", "--why", "flight"]);
    assert!(text(&out.stderr).contains("no node is named `flight`"));
    let out = tickseed(&["replay", file.path(), "--seek", "301"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("it has ticks 1 to 300"));
}

#[test]
fn a_reload_is_recorded_and_runs_again_the_same() {
    let file = Scratch::new("reload");
    let text = std::env::temp_dir().join(format!("tickseed-{}-reload.tick", std::process::id()));
    let path = text.to_str().unwrap();
    std::fs::write(
        &text,
        "tree Robot {\n  selector reactive {\n    running \"wait\"\n    patrol\n  }\n}\n",
    )
    .unwrap();
    let at = format!("60:{path}");
    record(&file, &["robot", "--ticks", "90", "--reload", &at]);
    let out = tickseed(&["replay", file.path()]);
    assert!(out.status.success(), "{}", text_of(&out));
    let out = tickseed(&["replay", file.path(), "--seek", "61"]);
    let shown = text_of(&out);
    assert!(shown.contains("\"wait\": running  <- decided"), "{shown}");
    assert!(shown.contains("battery_low          false"), "{shown}");
    let out = tickseed(&["replay", file.path(), "--seek", "60"]);
    assert!(
        text_of(&out).contains("\"patrol\": running  <- decided"),
        "{}",
        text_of(&out)
    );
    // A text with a mistake is none, and the place is named.
    std::fs::write(&text, "tree Robot { patrl }\n").unwrap();
    let mut args = vec!["record", "-o", file.path(), "robot", "--reload", &at];
    let out = tickseed(&args);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text_of(&out).contains("1:14:") && text_of(&out).contains("patrol"),
        "{}",
        text_of(&out)
    );
    std::fs::remove_file(&text).unwrap();
    for (given, wanted) in [(at.as_str(), path), ("60", "expected TICK:FILE")] {
        args[5] = given;
        let out = tickseed(&args);
        assert_eq!(out.status.code(), Some(2));
        assert!(text_of(&out).contains(wanted), "{}", text_of(&out));
    }
}

#[test]
fn what_is_damaged_is_read_up_to_there_and_what_is_foreign_is_refused() {
    let file = Scratch::new("damaged");
    record(&file, &["robot", "--ticks", "400"]);
    let bytes = std::fs::read(&file.0).unwrap();
    // As after a kill: the end is not there.
    std::fs::write(&file.0, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let out = tickseed(&["replay", file.path()]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stdout).contains("every one the same"));
    assert!(
        text(&out.stderr).contains("cut off at byte"),
        "{}",
        text(&out.stderr)
    );
    for (bytes, wanted) in [
        (&b"once upon a time"[..], "not a recording"),
        (b"", "not a recording"),
        (b"TICKREC9abcdefgh", "version '9'"),
        (&bytes[..40], "damaged or cut off"),
    ] {
        std::fs::write(&file.0, bytes).unwrap();
        let out = tickseed(&["replay", file.path()]);
        assert_eq!(out.status.code(), Some(1));
        assert!(text(&out.stderr).contains(wanted), "{}", text(&out.stderr));
    }
    let out = tickseed(&["replay", "no-such-file"]);
    assert_eq!(out.status.code(), Some(2));
}

#[test]
fn the_first_difference_is_shown() {
    use tickseed_record::{Item, Recorder, Recording};
    let file = Scratch::new("different");
    record(&file, &["robot", "--ticks", "50"]);
    let mut recording = Recording::open(std::fs::File::open(&file.0).unwrap()).unwrap();
    let head = recording.head().clone();
    let changed = Scratch::new("changed");
    let mut recorder = Recorder::new(std::fs::File::create(&changed.0).unwrap(), &head).unwrap();
    for item in recording.items(0) {
        let Item::Tick(mut tick) = item.unwrap() else {
            continue;
        };
        if tick.tick == 20 {
            tick.leaves[0].1 = Some(tickseed_record::message::Status::Success);
        }
        recorder.record(&tick).unwrap();
    }
    recorder.finish().unwrap();
    let out = tickseed(&["replay", changed.path()]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stdout);
    assert!(
        said.starts_with("tick 20 is the first that differs: `"),
        "{said}"
    );
    assert!(
        said.contains("battery low` answered success, and now failure"),
        "{said}"
    );
}
