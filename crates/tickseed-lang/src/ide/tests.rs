use super::*;
use crate::load::{Loaded, Memory, load};

/// Loads a text that has `|` where the cursor stands.
fn at(name: &str, text: &str) -> (Loaded, FileId, usize) {
    let offset = text.find('|').expect("a cursor");
    let mut memory = Memory::default();
    memory.add(name, text.replacen('|', "", 1));
    memory.add(
        "lib.tick",
        "/// Goes there.\ntree Walk(in to: vec2, in fast = false) { success }\n",
    );
    let loaded = load(name, &memory);
    let file = loaded.document().expect("it loads").file;
    (loaded, file, offset)
}

#[track_caller]
fn offers(text: &str, wanted: &[&str], unwanted: &[&str]) {
    offers_in("a.tick", text, wanted, unwanted);
}

#[track_caller]
fn offers_in(name: &str, text: &str, wanted: &[&str], unwanted: &[&str]) {
    let (loaded, file, offset) = at(name, text);
    let list = Files::new(&loaded).complete(file, offset);
    let labels: Vec<_> = list.iter().map(|c| c.label.as_str()).collect();
    for label in wanted {
        assert!(labels.contains(label), "no `{label}` in {labels:?}");
    }
    for label in unwanted {
        assert!(!labels.contains(label), "`{label}` in {labels:?}");
    }
}

const HEAD: &str = "import \"lib.tick\"
enum Mode { patrol, fight }
keys { mode: Mode = .patrol; battery: float = 1 }
/// Hits hard.
action Attack(in target: entity, in power: int = 1)
condition See(in as: Mode)
";

fn with_head(text: &str) -> String {
    format!("{HEAD}{text}")
}

#[test]
fn nodes_are_offered_where_a_node_begins() {
    for text in [
        "tree A { | }",
        "tree A {\n  sequence {\n    At|\n",
        "tree A { sequence { success; | } }",
        "tree A { off | }",
    ] {
        offers(
            &with_head(text),
            &["Attack", "Walk", "sequence", "wait until"],
            &["case", "battery", "tree"],
        );
    }
    offers(
        "tree A { switch 1 { | } }",
        &["case", "default"],
        &["consider"],
    );
    offers("|", &["tree", "keys", "enum"], &["sequence"]);
    offers("tree A { success }\nle|", &["leaf"], &["sequence"]);
}

#[test]
fn ports_are_offered_once() {
    offers(
        &with_head("tree A { Attack(|) }"),
        &["target", "power", "battery"],
        &["sequence"],
    );
    offers(
        &with_head("tree A { Attack(power: 2, |) }"),
        &["target"],
        &["power"],
    );
    offers(&with_head("tree A { Walk(t|"), &["to", "fast"], &[]);
    // Over several lines.
    offers(
        &with_head("tree A { Attack(\n  power: 2,\n  |) }"),
        &["target"],
        &["power", "sequence"],
    );
}

#[test]
fn values_are_keys_words_and_functions() {
    offers(
        &with_head("tree A { check | }"),
        &["battery", ".fight", "distance", "true"],
        &["power"],
    );
    offers(
        &with_head("tree A { check battery < 1 && | }"),
        &["battery"],
        &[],
    );
    offers(
        &with_head("tree A(in near: float) { Attack(target: |) }"),
        &["near", "battery"],
        &["power"],
    );
    offers(&with_head("tree A { See(as: |) }"), &[".patrol"], &[]);
    offers(
        &with_head("tree A { check mode == .| }"),
        &["patrol", "fight"],
        &["battery"],
    );
    offers(
        &with_head("tree A { Attack(x) skip if | }"),
        &["battery"],
        &["skip if"],
    );
    offers("tree A { for i in 3 { check | } }", &["i"], &[]);
    offers(
        "tree A { for i in 3 { success } }\ntree B { check | }",
        &[],
        &["i"],
    );
}

#[test]
fn options_and_their_words_are_offered_behind_a_node() {
    offers(
        "tree A { sequence | { success } }",
        &["reactive", "skip if", "tag"],
        &["Attack"],
    );
    offers(
        "tree A { parallel tie(|) { success } }",
        &["failure", "success"],
        &["reactive"],
    );
    offers("keys { a: | }", &["bool", "duration"], &[]);
    offers(
        &with_head("tree A(in a: |) { success }"),
        &["Mode", "list<>"],
        &[],
    );
}

#[test]
fn nothing_is_offered_in_comments_and_texts() {
    for text in [
        "// tr|",
        "tree A { log \"se| \" }",
        "tree A { success // | \n}",
    ] {
        let (loaded, file, offset) = at("a.tick", text);
        assert_eq!(Files::new(&loaded).complete(file, offset), [], "{text}");
    }
}

#[test]
fn xml_offers_nodes_ports_and_keys() {
    let xml = |body: &str| {
        format!(
            "<root><BehaviorTree ID='A'><Sequence><Go to=\"{{spot}}\"/>{body}</Sequence></BehaviorTree>
             <TreeNodesModel><Action ID='Go'><input_port name='to'/><input_port name='fast'/></Action></TreeNodesModel></root>"
        )
    };
    offers_in("a.xml", &xml("<G|"), &["Go", "SubTree A"], &["to"]);
    offers_in(
        "a.xml",
        &xml("<Ret|"),
        &["RetryUntilSuccessful", "RateController"],
        &["to"],
    );
    offers_in(
        "a.xml",
        &xml("<RetryUntilSuccessful name=\"r\" |/>"),
        &["num_attempts", "_skipIf"],
        &["num_cycles", "to"],
    );
    offers_in(
        "a.xml",
        &xml("<Decorator ID=\"Repeat\" |/>"),
        &["num_cycles"],
        &["num_attempts"],
    );
    offers_in(
        "a.xml",
        &xml("<Go fast=\"1\" |/>"),
        &["to", "_skipIf"],
        &["fast", "Go"],
    );
    offers_in("a.xml", &xml("<Go to=\"{|\"/>"), &["spot"], &["to"]);
}

#[track_caller]
fn hovers(text: &str, parts: &[&str]) {
    let (loaded, file, offset) = at("a.tick", text);
    let hover = Files::new(&loaded)
        .hover(file, offset)
        .expect("something to say");
    for part in parts {
        assert!(hover.text.contains(part), "no `{part}` in {}", hover.text);
    }
}

#[test]
fn hover_tells_what_a_name_is() {
    hovers(
        &with_head("tree A { Att|ack(x) }"),
        &[
            "action Attack(in target: entity, in power: int = 1)",
            "Hits hard.",
        ],
    );
    hovers(
        &with_head("tree A { Walk|(x) }"),
        &["tree Walk(in to: vec2, in fast = false)", "Goes there."],
    );
    hovers(
        &with_head("tree A { check bat|tery < 1 }"),
        &["battery: float = 1", "root blackboard"],
    );
    hovers(
        &with_head("tree A { Attack(po|wer: 1) }"),
        &["in power: int = 1"],
    );
    hovers(
        "tree A { sel|ector { success } }",
        &["until one succeeds", "`reactive`"],
    );
    hovers(
        "tree A { selector react|ive { success } }",
        &["start again from the first"],
    );
    hovers("tree A { check ab|s(1) > 0 }", &["abs(x)"]);
    hovers(
        "tree A { for i in 3 { check i| > 1 } }",
        &["i: int", "index"],
    );
    hovers(&with_head("tree A { check mode == .fi|ght }"), &["`Mode`"]);
}

#[track_caller]
fn defines(text: &str, target: &str) {
    let (loaded, file, offset) = at("a.tick", text);
    let span = Files::new(&loaded)
        .definition(file, offset)
        .expect("a definition");
    let at = loaded.sources.line_column(span).unwrap();
    let name = loaded.sources.file(span.file).unwrap().name();
    assert_eq!(format!("{name}:{}:{}", at.line, at.column), target);
}

#[test]
fn definitions_are_found_across_files() {
    defines(&with_head("tree A { Wa|lk(x) }"), "lib.tick:2:6");
    defines("import \"li|b.tick\"\n", "lib.tick:1:1");
    defines(&with_head("tree A { set batt|ery = 1 }"), "a.tick:3:30");
    defines(
        "tree A(inout x: int) {\n  set { x = 1; x| += x }\n}",
        "a.tick:1:14",
    );
    defines(&with_head("tree A { Walk(t|o: x) }"), "lib.tick:2:14");
    defines(&with_head("tree A { Attack(pow|er: 1) }"), "a.tick:5:37");
    defines("tree A { for i in 3 { check i| > 1 } }", "a.tick:1:14");
    defines(
        "tree A { check mode == .b| }\nenum M { a, b }",
        "a.tick:2:13",
    );
}

#[track_caller]
fn renames(name: &str, text: &str, to: &str, expected: &str) {
    let (loaded, file, offset) = at(name, text);
    let mut edits = Files::new(&loaded)
        .rename(file, offset, to)
        .expect("it can be renamed");
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = text.replacen('|', "", 1);
    for (span, new) in edits.iter().filter(|(span, _)| span.file == file) {
        text.replace_range(span.range(), new);
    }
    assert_eq!(text, expected);
}

#[test]
fn renaming_changes_every_place_and_nothing_else() {
    renames(
        "a.tick",
        "keys { x| = 1 }\ntree A { sequence { set { x += x; y = 1 }; check @x > 1; Go(x, x: =) skip if x == 2 } }\ntree B(in x: int) { check x > 0 }",
        "speed",
        "keys { speed = 1 }\ntree A { sequence { set { speed += speed; y = 1 }; check @speed > 1; Go(speed, x: speed) skip if speed == 2 } }\ntree B(in x: int) { check x > 0 }",
    );
    renames(
        "a.tick",
        "tree A { sequence { B(x|: =); B(3) } }\ntree B(in x: int) { check x > 0 }",
        "n",
        "tree A { sequence { B(n: x); B(3) } }\ntree B(in n: int) { check n > 0 }",
    );
    renames(
        "a.tick",
        "main tree A { B }\ntree B| { success }",
        "my tree",
        "main tree A { `my tree` }\ntree `my tree` { success }",
    );
    renames(
        "a.tick",
        "main tree A| { success }",
        "Z",
        "main tree Z { success }",
    );
    renames(
        "a.xml",
        "<root main_tree_to_execute='A'><BehaviorTree ID='A|'><SubTree ID='B' v='{k}'/></BehaviorTree><BehaviorTree ID='B'><Go to='{v}'/></BehaviorTree></root>",
        "Main",
        "<root main_tree_to_execute='Main'><BehaviorTree ID='Main'><SubTree ID='B' v='{k}'/></BehaviorTree><BehaviorTree ID='B'><Go to='{v}'/></BehaviorTree></root>",
    );
    renames(
        "a.xml",
        "<root><BehaviorTree ID='A'><SubTree ID='B' v='{k}'/></BehaviorTree><BehaviorTree ID='B'><Go to='{v|}'/></BehaviorTree></root>",
        "w",
        "<root><BehaviorTree ID='A'><SubTree ID='B' w='{k}'/></BehaviorTree><BehaviorTree ID='B'><Go to='{w}'/></BehaviorTree></root>",
    );
}

#[test]
fn renaming_reaches_scripts_of_behavior_tree_cpp() {
    renames(
        "a.xml",
        "<root><BehaviorTree ID='A'><SubTree ID='B' v='{k}'/></BehaviorTree><BehaviorTree ID='B'><Sequence><Script code=\"v := v + 1; w := 'v'; vv := 0x1f\"/><Go to='{v|}' _skipIf=\"v > 3\"/></Sequence></BehaviorTree></root>",
        "speed",
        "<root><BehaviorTree ID='A'><SubTree ID='B' speed='{k}'/></BehaviorTree><BehaviorTree ID='B'><Sequence><Script code=\"speed := speed + 1; w := 'v'; vv := 0x1f\"/><Go to='{speed}' _skipIf=\"speed > 3\"/></Sequence></BehaviorTree></root>",
    );
}

/// E06 of the collection of users' trouble: the users of a renamed tree follow, their maps stay, and
/// renaming back restores the file.
#[test]
fn e06_users_of_a_renamed_tree_follow_and_keep_their_maps() {
    let with = |name: &str, at: &str| {
        format!(
            "<root main_tree_to_execute='M'><BehaviorTree ID='M'><Sequence><SubTree ID='{name}' in='{{a}}' out='{{b}}'/><SubTree ID='{name}{at}' name='again' _autoremap='true' in='3'/></Sequence></BehaviorTree><BehaviorTree ID='{name}'><Go p='{{in}}'/></BehaviorTree><TreeNodesModel><SubTree ID='{name}'><input_port name='in'/></SubTree></TreeNodesModel></root>"
        )
    };
    renames("a.xml", &with("Sub", "|"), "Deliver", &with("Deliver", ""));
    renames("a.xml", &with("Deliver", "|"), "Sub", &with("Sub", ""));
}

#[test]
fn what_cannot_be_renamed_says_why() {
    let refuse = |text: &str, to: &str| {
        let (loaded, file, offset) = at("a.tick", text);
        Files::new(&loaded)
            .rename(file, offset, to)
            .expect_err("it is refused")
    };
    assert_eq!(
        refuse("tree A { suc|cess }", "x"),
        RenameError::BuiltIn("success".into())
    );
    assert_eq!(refuse("tree A { success } |  ", "x"), RenameError::NoName);
    assert_eq!(
        refuse("tree A| { success }\ntree B { success }", "B"),
        RenameError::Taken("B".into())
    );
    assert!(matches!(
        refuse("tree A| { success }", ""),
        RenameError::BadName { .. }
    ));
}

#[test]
fn outlines_nest_nodes_in_trees() {
    let (loaded, file, _) = at(
        "a.tick",
        &with_head("tree A { sequence \"x\" { success; Attack(1) } }|"),
    );
    let outline = Files::new(&loaded).outline(file);
    let names: Vec<_> = outline.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["Mode", "mode", "battery", "Attack", "See", "A"]);
    let root = &outline[5].children[0];
    assert_eq!(
        (root.name.as_str(), root.children.len()),
        ("sequence \"x\"", 2)
    );
    // What protocols demand: a thing's name lies in the thing.
    fn nested(o: &Outline) -> bool {
        o.span.start <= o.name_span.start
            && o.name_span.end <= o.span.end
            && o.children.iter().all(nested)
    }
    assert!(outline.iter().all(nested));
}

#[test]
fn no_place_in_no_broken_text_panics() {
    let text = with_head(
        "tree A {\n  selector reactive { Attack(target: x, power: `\n \"é { #[a = 1] for i in \n} (",
    );
    for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let mut memory = Memory::default();
        memory.add("a.tick", &text[..cut]);
        let loaded = load("a.tick", &memory);
        let files = Files::new(&loaded);
        let file = loaded.document().unwrap().file;
        for offset in [cut, cut / 2, cut.saturating_sub(1)] {
            files.complete(file, offset);
            files.hover(file, offset);
            files.definition(file, offset);
            let _ = files.rename(file, offset, "new");
        }
        files.outline(file);
    }
}
