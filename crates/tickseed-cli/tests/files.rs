//! `check`, `fmt`, `convert` and `models`, run in folders of their own.

mod folder;

use folder::Folder;
use serde_json::Value;

const GOOD: &str = "\
leaf Patrol

main tree Guard {
  selector {
    Patrol
  }
}
";

#[test]
fn a_clean_file_passes() {
    let f = Folder::new("a_clean_file_passes");
    f.write("a.tick", GOOD);
    f.run(&["check", "a.tick"])
        .code(0)
        .says(&["1 file: nothing to report"]);
    f.feed(&["check", "-"], GOOD).code(0);
}

#[test]
fn mistakes_have_places_and_the_nearest_name() {
    let f = Folder::new("mistakes_have_places");
    f.write("a.tick", "leaf Patrol\ntree A { Patrl }\n");
    f.write("b.tick", "tree B {\n  sequence {\n");
    f.run(&["check", "a.tick", "b.tick"]).code(1).says(&[
        "a.tick:2:10",
        "did you mean `Patrol`?",
        "b.tick:",
        "2 files: ",
    ]);
    f.feed(&["check", "-"], "tree A {")
        .code(1)
        .says(&["<stdin>:1"]);
}

#[test]
fn included_files_are_checked_and_reported_once() {
    let f = Folder::new("included_files");
    f.write("lib/legs.tick", "leaf Step\ntree Walk { Stap }\n");
    for name in ["a.tick", "b.tick"] {
        let tree = name.replace(".tick", "");
        f.write(
            name,
            format!("import \"lib/legs.tick\"\nmain tree {tree} {{ Walk }}\n"),
        );
    }
    let ran = f.run(&["check", "a.tick", "b.tick"]).code(1);
    assert_eq!(ran.out.matches("Stap").count(), 2, "{}", ran.out); // the message and its line
    ran.says(&["lib/legs.tick:2:13", "2 files: 1 error"]);
    // Standard input can stand for a file, so its includes are found.
    let text = "import \"legs.tick\"\nmain tree C { Walk }\n";
    f.feed(&["check", "-", "--stdin-name", "lib/c.tick"], text)
        .code(1)
        .says(&["lib/legs.tick:2:13"]);
}

/// The verdict does not depend on how much of the messages somebody reads.
#[test]
fn errors_count_when_the_reader_goes_away() {
    use std::process::Stdio;
    let f = Folder::new("the_reader_goes_away");
    // More than a pipe holds.
    let trees: String = (0..2000)
        .map(|i| format!("tree A{i} {{ Patrl }}\n"))
        .collect();
    f.write("a.tick", format!("leaf Patrol\n{trees}"));
    for command in [&["check"][..], &["check", "--json"]] {
        let mut child = f
            .command(command)
            .arg("a.tick")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(1), "{command:?}");
        assert!(out.stderr.is_empty(), "{command:?}");
    }
}

#[test]
fn messages_as_json() {
    let f = Folder::new("messages_as_json");
    f.write("a.tick", "leaf Patrol\ntree A { Patrl }\n");
    let ran = f.run(&["check", "--json", "a.tick"]).code(1);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&value["files"], &value["errors"]), (&1.into(), &1.into()));
    let found = &value["diagnostics"][0];
    assert_eq!(found["code"], "tick::unknown-node");
    assert_eq!(found["labels"][0]["line"], 2);
    assert_eq!(found["labels"][0]["column"], 10);
    let ran = f.feed(&["check", "--json", "-"], GOOD).code(0);
    let value: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(value["diagnostics"], Value::Array(Vec::new()));
}

#[test]
fn warnings_pass_unless_denied() {
    let f = Folder::new("warnings_pass_unless_denied");
    f.write(
        "old.xml",
        "<root><BehaviorTree ID='A'><RetryUntilSuccesful num_attempts='2'><Go/></RetryUntilSuccesful></BehaviorTree></root>",
    );
    f.run(&["check", "old.xml"]).code(0).says(&["1 warning"]);
    f.run(&["check", "old.xml", "--deny", "warnings"]).code(1);
}

#[test]
fn nodes_are_checked_against_descriptions_in_other_files() {
    let f = Folder::new("descriptions_in_other_files");
    f.write("a.tick", "main tree A { MoveTo(gaol: 1) }\n");
    f.write(
        "nodes.xml",
        "<root><TreeNodesModel><Action ID='MoveTo'><input_port name='goal'/></Action></TreeNodesModel></root>",
    );
    // Nothing is described: the nodes are somebody else's.
    f.run(&["check", "a.tick"]).code(0);
    f.run(&["check", "a.tick", "--with", "nodes.xml"])
        .code(1)
        .says(&["did you mean `goal`?"]);
}

#[test]
fn slips_of_the_command_line_are_told_apart() {
    let f = Folder::new("slips");
    f.run(&["check"]).code(2);
    f.run(&["check", "absent.tick"])
        .code(2)
        .warns(&["absent.tick"]);
    f.run(&["check", "."])
        .code(2)
        .warns(&["no .tick or .xml file"]);
    f.write("a.tick", GOOD);
    f.run(&["convert", "a.tick"]).code(2).warns(&["--to"]);
    f.run(&["convert", "a.tick", "a.txt"])
        .code(2)
        .warns(&["a.txt"]);
}

#[test]
fn folders_stand_for_their_files() {
    let f = Folder::new("folders_stand_for_their_files");
    f.write("trees/a.tick", GOOD);
    f.write(
        "trees/deep/b.xml",
        "<root><BehaviorTree ID='A'><Go/></BehaviorTree></root>",
    );
    f.write("trees/notes.txt", "no tree");
    f.run(&["check", "trees"]).code(0).says(&["2 files"]);
}

#[test]
fn fmt_writes_the_canonical_form_once() {
    let f = Folder::new("fmt_writes");
    let loose = "leaf Patrol\n\n\nmain tree Guard{selector{Patrol // now\n}}";
    f.write("a.tick", loose);
    f.run(&["fmt", "--check", "a.tick"])
        .code(1)
        .says(&["a.tick: would be reformatted"]);
    assert_eq!(f.read("a.tick"), loose);
    f.run(&["fmt", "a.tick"])
        .code(0)
        .says(&["a.tick: formatted"]);
    assert_eq!(
        f.read("a.tick"),
        GOOD.replace("    Patrol", "    Patrol // now")
    );
    let again = f.run(&["fmt", "a.tick"]).code(0);
    assert_eq!(again.out, "");
    f.run(&["fmt", "--check", "."]).code(0);
    let piped = f.feed(&["fmt", "-"], loose).code(0);
    assert_eq!(piped.out, f.read("a.tick"));
}

#[test]
fn fmt_leaves_broken_files_and_other_formats_alone() {
    let f = Folder::new("fmt_leaves");
    let xml = "<root>\n<BehaviorTree   ID='A'><Go/></BehaviorTree>\n</root>";
    f.write("a.xml", xml);
    f.write("b.tick", "tree B { sequence {");
    f.write("c.tick", "tree C{success}");
    f.run(&["fmt", "a.xml", "b.tick", "c.tick"])
        .code(1)
        .warns(&["a.xml: left as it is", "b.tick:1"]);
    assert_eq!(f.read("a.xml"), xml);
    assert_eq!(f.read("b.tick"), "tree B { sequence {");
    assert_eq!(f.read("c.tick"), "tree C {\n  success\n}\n");
}

#[test]
fn convert_goes_round_through_every_format() {
    let f = Folder::new("convert_goes_round");
    let text = "\
//! A guard.

keys {
  battery: float = 1.0 // full
}

// What it can do.
main tree Guard {
  selector reactive {
    sequence \"fight\" { check battery > 0.2 }
    cooldown 800ms { Attack(target, power: 2) }
  }
}
";
    f.write("a.tick", text);
    let text = f.feed(&["fmt", "-"], text).out;
    for steps in [
        ["a.tick", "b.xml"],
        ["b.xml", "c.json"],
        ["c.json", "d.tickb"],
        ["d.tickb", "e.tick"],
    ] {
        f.run(&["convert", steps[0], steps[1]]).code(0);
    }
    assert_eq!(f.read("e.tick"), text);
    f.run(&["convert", "a.tick", "s.tickb", "--strip"]).code(0);
    assert!(f.bytes("s.tickb").len() < f.bytes("d.tickb").len());
    let stripped = f.run(&["convert", "s.tickb", "--to", "tick"]).code(0);
    assert!(!stripped.out.contains("// "), "{}", stripped.out);
}

#[test]
fn convert_tells_what_the_target_cannot_hold() {
    let f = Folder::new("convert_tells");
    f.write("a.tick", "// a -- b\ntree A {\n  selector { Go(1s) }\n}\n");
    f.run(&["convert", "a.tick", "a.xml"]).code(0).warns(&[
        "1 comment changed",
        "BehaviorTree.CPP cannot run",
        "the node `selector`",
    ]);
    let xml = "<root><BehaviorTree ID='A'><Go to='{x}' _skipIf='a&lt;1'/></BehaviorTree></root>";
    let quiet = f.feed(&["convert", "-", "--to", "xml"], xml).code(0);
    assert_eq!(quiet.err, "");
}

#[test]
fn convert_writes_nothing_from_a_broken_file() {
    let f = Folder::new("convert_broken");
    f.write("a.tick", "tree A { sequence {");
    f.run(&["convert", "a.tick", "a.xml"])
        .code(1)
        .warns(&["nothing was written"]);
    assert!(!f.path("a.xml").exists());
    f.run(&["convert", "a.tick", "a.xml"]).code(1);
    f.write("a.tickb", "no binary at all");
    f.run(&["convert", "a.tickb", "a.xml", "--from", "binary"])
        .code(1);
    f.write("latin.tick", b"tree \xE9 {}");
    f.run(&["convert", "latin.tick", "a.xml"])
        .code(1)
        .warns(&["UTF-8"]);
}

#[test]
fn models_go_from_one_format_to_another_and_back() {
    let f = Folder::new("models_go");
    f.write(
        "nodes.tick",
        "/// Goes there.\naction MoveTo(in goal: vec2, in within: float = 1.5)\n",
    );
    f.write(
        "a.tick",
        "import \"nodes.tick\"\nmain tree A { sequence { MoveTo(goal: x); Say(text: \"hi\") } }\n",
    );
    let xml = f
        .run(&["models", "a.tick"])
        .code(0)
        .says(&["TreeNodesModel", "MoveTo", "goal"]);
    assert!(!xml.out.contains("Say"), "{}", xml.out);
    f.write("nodes.xml", &xml.out);
    let back = f.run(&["models", "nodes.xml", "--format", "tick"]).code(0);
    assert_eq!(back.out, f.read("nodes.tick"));
    f.run(&["models", "a.tick", "--infer", "--format", "tick"])
        .code(0)
        .says(&["leaf Say(in text)"]);
    // Uses that differ make one port; what BehaviorTree.CPP has itself needs no description.
    f.write(
        "c.xml",
        "<root><BehaviorTree ID='C'><Sequence><Foo a='1'/><Inverter><Foo a='{k}'/></Inverter><RecoveryNode><Foo/><Foo/></RecoveryNode></Sequence></BehaviorTree></root>",
    );
    let inferred = f.run(&["models", "c.xml", "--infer", "--format", "tick"]);
    assert_eq!(inferred.out, "leaf Foo(inout a)\n");
    f.write("b.tick", "main tree B { MoveTo(goal: 1) }\n");
    f.run(&["models", "nodes.xml", "--into", "b.tick"]).code(0);
    assert!(
        f.read("b.tick").contains("action MoveTo(in goal: vec2"),
        "{}",
        f.read("b.tick")
    );
    f.run(&["models", "nodes.xml", "--into", "b.tick"]).code(0);
    assert_eq!(f.read("b.tick").matches("action MoveTo").count(), 1);
}

#[test]
fn what_the_engine_refuses_is_found_without_the_code_of_leaves() {
    let f = Folder::new("engine_refuses");
    f.write(
        "a.tick",
        "tree A {\n  parallel success(3) { Go; Stay }\n}\n",
    );
    f.run(&["check", "a.tick"]).code(1).says(&["a.tick:2:3"]);
}
