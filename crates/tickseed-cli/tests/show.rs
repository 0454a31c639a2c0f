//! `tickseed show`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn show(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tickseed"))
        .arg("show")
        .args(args)
        .output()
        .unwrap()
}

fn text(args: &[&str]) -> String {
    let out = show(args);
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}

fn file(name: &str, content: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// The picture in the README is what the command prints; it says there how it is made.
#[test]
fn the_picture_in_the_readme_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("docs/robot.svg"));
    let line = readme
        .lines()
        .find_map(|l| {
            l.split("`tickseed show ")
                .nth(1)?
                .split(" -o docs/robot.svg`")
                .next()
        })
        .expect("the README says how its picture is made");
    let mut args: Vec<&str> = line.split(' ').collect();
    args.extend(["--format", "svg"]);
    let kept = std::fs::read_to_string(root.join("docs/robot.svg")).unwrap();
    assert!(
        text(&args) == kept.replace("\r\n", "\n"),
        "docs/robot.svg is old: run tickseed show {line} -o docs/robot.svg"
    );
}

#[test]
fn worlds_show_what_their_tick_did() {
    assert_eq!(
        text(&["robot", "--ticks", "60", "--click", "30:6,3"]),
        "\
reactive selector  ▶ running
├─ reactive sequence  ✗ failure
│  ├─ condition \"battery low\" battery_low  ✗ failure
│  └─ action \"recharge\"
├─ reactive sequence  ▶ running
│  ├─ condition \"target visible\" target_visible  ✓ success
│  └─ action \"approach\"  ▶ running
└─ action \"patrol\"  (▶ running earlier)
"
    );
}

const TWO: &str = "tree Guard {\n  selector {\n    Fight\n    Patrol(route)\n  }\n}\ntree Fight {\n  sequence {\n    check a < 2\n    Attack\n  }\n}\n";

#[test]
fn files_with_several_trees_ask_which() {
    let path = file("two.tick", TWO);
    let path = path.to_str().unwrap();
    let out = show(&[path]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("choose with --tree, of Fight, Guard"));
    let out = show(&[path, "--tree", "Gard"]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("did you mean `Guard`?"));
    assert_eq!(
        text(&[path, "--tree", "Guard"]),
        "selector\n├─ Fight\n└─ Patrol route\n"
    );
    assert!(text(&[path, "--tree", "Guard", "--inline"]).contains("check a < 2"));
}

#[test]
fn every_format_is_chosen_by_the_output() {
    let path = file("formats.tick", TWO);
    let path = path.to_str().unwrap();
    for (ending, begins) in [
        ("svg", "<svg "),
        ("dot", "digraph "),
        ("mmd", "flowchart "),
        ("txt", "selector\n"),
    ] {
        let out = file(&format!("picture.{ending}"), "");
        text(&[path, "--tree", "Guard", "-o", out.to_str().unwrap()]);
        let made = std::fs::read_to_string(&out).unwrap();
        assert!(made.starts_with(begins), "{made}");
    }
    assert_eq!(show(&[path, "-o", "x.png"]).status.code(), Some(2));
}

#[test]
fn broken_files_show_what_could_be_read_and_fail() {
    let path = file(
        "broken.tick",
        "tree A {\n  sequence {\n    X\n    )\n    Y\n  }\n}\n",
    );
    let out = show(&[path.to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stdout).contains("─ X"));
    assert!(String::from_utf8_lossy(&out.stderr).contains("broken.tick:4"));
}

#[test]
fn what_is_neither_world_nor_file_is_named() {
    let out = show(&["robto"]);
    assert_eq!(out.status.code(), Some(2));
    let err = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(err.contains("did you mean `robot`?"), "{err}");
    assert_eq!(show(&["robot", "--tree", "x"]).status.code(), Some(2));
    assert_eq!(show(&["none.tick"]).status.code(), Some(2));
}
