//! The command as its users meet it: the binary is run.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn tickseed(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tickseed"))
        .args(args)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

fn worlds() -> Vec<String> {
    let out = tickseed(&["list"]);
    assert!(out.status.success());
    let name = |line: &str| line.split_whitespace().next().map(str::to_owned);
    text(&out.stdout).lines().filter_map(name).collect()
}

#[test]
fn list_names_every_world() {
    let listed = worlds();
    let known: Vec<_> = tickseed_worlds::WORLDS.iter().map(|w| w.name).collect();
    assert_eq!(listed, known);
}

#[test]
fn same_seed_same_bytes_in_both_forms() {
    for world in worlds() {
        for form in ["--plain", "--json"] {
            let run = |seed| {
                let out = tickseed(&["run", &world, form, "--ticks", "200", "--seed", seed]);
                assert!(out.status.success(), "{}", text(&out.stderr));
                out.stdout
            };
            assert_eq!(run("3"), run("3"), "{world} {form}");
            assert_ne!(run("3"), run("4"), "{world} {form}");
        }
    }
}

#[test]
fn json_is_one_object_a_line() {
    let out = tickseed(&[
        "run", "robot", "--json", "--ticks", "40", "--click", "20:3,4",
    ]);
    let lines: Vec<Value> = text(&out.stdout)
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines.len(), 41);
    let tree = lines[0]["tree"].as_array().unwrap();
    assert_eq!(lines[0]["world"], "robot");
    assert_eq!(tree[0]["parent"], Value::Null);
    for (i, line) in lines[1..].iter().enumerate() {
        assert_eq!(line["tick"], i as u64 + 1);
        assert_eq!(line["nodes"].as_array().unwrap().len(), tree.len());
        let expected = if i < 20 { "patrol" } else { "approach" };
        assert_eq!(line["label"], expected);
        let leaf = line["leaf"].as_u64().unwrap() as usize;
        assert_eq!(tree[leaf]["label"], expected);
        assert_eq!(line["nodes"][leaf], line["status"]);
    }
    assert_eq!(lines[21]["inputs"][0]["input"], "click");
    let halted = lines[21]["halted"][0].as_u64().unwrap() as usize;
    assert_eq!(tree[halted]["label"], "patrol");
}

#[test]
fn plain_lines_tell_the_story() {
    let out = tickseed(&["run", "robot", "--ticks", "600", "--drain", "100"]);
    let lines = text(&out.stdout);
    assert!(lines.contains("condition battery low"), "{lines}");
    let patrol = lines.find("running  patrol").unwrap();
    let drain = lines.find("input    a drain").unwrap();
    let recharge = lines.find("running  recharge").unwrap();
    assert!(patrol < drain && drain < recharge, "{lines}");
    assert!(
        lines[recharge..].contains("running  patrol"),
        "goes on afterwards: {lines}"
    );
    assert!(text(&out.stderr).contains("agents per second"));
    let quiet = tickseed(&["run", "robot", "--ticks", "5", "--quiet"]);
    assert!(quiet.stderr.is_empty());
}

#[test]
fn mistakes_are_answered_with_what_would_do() {
    for (args, wanted) in [
        (&["run", "robto"][..], "did you mean `robot`?"),
        (&["run", "zeppelin"], "the worlds are robot"),
        (
            &["run", "robot", "--agents", "3"],
            "has its own number of agents",
        ),
        (&["run", "robot", "--ticks", "many"], "invalid value 'many'"),
        (&["run", "robot", "--click", "5:x"], "TICK:X,Y"),
        (
            &["run", "robot", "--agents", "0"],
            "0 is not in 1..=1000000",
        ),
        (&["rnn", "robot"], "'run'"),
        (&[], "Usage"),
    ] {
        let out = tickseed(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(out.stdout.is_empty(), "{args:?}");
        assert!(
            text(&out.stderr).contains(wanted),
            "{args:?}: {}",
            text(&out.stderr)
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tickseed"))
        .args(["run", "robot", "--json", "--ticks", "1000000", "--quiet"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with('{'));
    // The reader was dropped with the statement above.
    let status = child.wait().unwrap();
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(status.code(), Some(0), "{errors}");
    assert_eq!(errors, "");
}

/// A window that is closed takes what ran in it along. (`script` makes a terminal.)
#[test]
#[cfg(target_os = "linux")]
fn a_screen_ends_with_its_terminal() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let pid_file = folder.join("screen.pid");
    let _ = std::fs::remove_file(&pid_file);
    let binary = env!("CARGO_BIN_EXE_tickseed");
    let run = format!("echo $$ > {}; exec {binary} run robot", pid_file.display());
    let terminal = Command::new("script")
        .args(["-qfc", &run, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut terminal) = terminal else {
        println!("skipped: there is no `script`");
        return;
    };
    let mut shown = terminal.stdout.take().unwrap();
    // It is on the screen once it has drawn something.
    let mut some = [0; 2000];
    shown.read_exact(&mut some).unwrap();
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    terminal.kill().unwrap();
    terminal.wait().unwrap();
    let stat = std::path::Path::new("/proc").join(pid.trim()).join("stat");
    // One that has ended may wait for whoever collects it.
    let lives = || std::fs::read_to_string(&stat).is_ok_and(|s| !s.contains(") Z "));
    let patience = std::time::Instant::now();
    while lives() {
        assert!(patience.elapsed().as_secs() < 60, "process {pid} lives on");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn bench_measures_workloads_and_herds() {
    let out = tickseed(&[
        "bench", "w1", "herds", "--agents", "2000", "--quick", "--json",
    ]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let found: Value = serde_json::from_slice(&out.stdout).unwrap();
    let engines = found["workloads"][0]["engines"].as_array().unwrap();
    let names: Vec<_> = engines
        .iter()
        .map(|e| e["engine"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"hand-written") && names.contains(&"object per node"));
    let ours = engines.iter().find(|e| e["engine"] == "tickseed").unwrap();
    assert_eq!(ours["allocations_per_tick"], 0.0);
    let rows = found["herds"]["rows"].as_array().unwrap();
    assert!(
        rows.iter()
            .all(|row| row["ms_per_step"].as_f64() > Some(0.0))
    );
    let asleep = rows.last().unwrap()["asleep"].as_f64();
    assert!(asleep > Some(0.5), "{asleep:?}");
    let text_form = tickseed(&["bench", "w3", "--quick"]);
    assert!(text(&text_form.stdout).contains("as fast as object per node"));
    assert_eq!(tickseed(&["bench", "w4"]).status.code(), Some(2));
}

#[test]
fn an_event_driven_run_is_the_same_run() {
    let run = |extra: &[&str]| {
        let mut args = vec![
            "run", "boss", "--agents", "500", "--ticks", "400", "--plain",
        ];
        args.extend(extra);
        let out = tickseed(&args);
        assert!(out.status.success(), "{}", text(&out.stderr));
        (text(&out.stdout).to_owned(), text(&out.stderr).to_owned())
    };
    let (always, _) = run(&[]);
    let (sleeping, said) = run(&["--event-driven"]);
    assert_eq!(always.lines().last(), sleeping.lines().last());
    assert!(always.contains("16.0 bytes of tree state") && !always.contains("asleep"));
    assert!(sleeping.contains("asleep 4"), "{sleeping}");
    assert!(
        said.contains("agents per second") && said.contains("% asleep"),
        "{said}"
    );
    // Worlds in which nobody can sleep say so, and those without a crowd refuse.
    let out = tickseed(&["run", "monster", "--event-driven", "--ticks", "5"]);
    assert!(text(&out.stderr).contains("nobody ever slept"));
    let out = tickseed(&["run", "robot", "--event-driven"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stderr).contains("`--event-driven` is for villager, monster, boss"));
}
