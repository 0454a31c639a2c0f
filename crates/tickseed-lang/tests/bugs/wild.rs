//! Files as they lie about: packed, half merged, half fetched, written by hand or by tools that know
//! XML better than trees. Each mistake has one message, with what was meant where that can be told.

use crate::reading::messages;
use crate::world::{World, xml};
use tickseed_lang::load::{Memory, load_text, read_as};
use tickseed_lang::model::{Document, FileId, Format};
use tickseed_lang::{binary, fmt, json, xml as xml_format};

/// What reading says: all of `parts`, each in a message of its own, and nothing else.
fn says(text: &str, parts: &[&str]) {
    let said = messages("a.xml", text);
    for (i, part) in parts.iter().enumerate() {
        assert!(
            said.get(i).is_some_and(|m| m.contains(part)),
            "{text}\n{part}: {said:#?}"
        );
    }
    assert_eq!(said.len(), parts.len(), "{text}\n{said:#?}");
}

fn body(nodes: &str) -> String {
    xml(&[("Main", nodes)])
}

#[test]
fn x13_one_slip_in_a_tag_is_one_message() {
    for (nodes, part) in [
        (
            "<Move speed=1/>",
            "found `1`: the value of speed must stand in",
        ),
        (
            "<Move speed=\u{201c}1\u{201d}/>",
            "quotes of a word processor",
        ),
        (
            "<Move <!-- fast --> speed='1'/>",
            "a comment cannot stand inside a tag",
        ),
        ("< Sequence><A/></Sequence>", "right behind `<`"),
        (
            "<Sequence><Fallback><A/></Sequence></Fallback>",
            "expected </Fallback>, found </Sequence>",
        ),
        (
            "<Sequence><A></Sequence>",
            "expected </A>, found </Sequence>",
        ),
    ] {
        says(&body(nodes), &[part]);
    }
}

#[test]
fn x13_a_conflict_of_version_control_is_told_once() {
    let text = "<root BTCPP_format='4'>\n<BehaviorTree ID='M'><Sequence>\n<<<<<<< HEAD\n<A/>\n=======\n<B/>\n>>>>>>> other\n</Sequence></BehaviorTree></root>";
    says(
        text,
        &["3:1 a conflict of version control is not settled here (keep one of the two"],
    );
    let said = messages("a.tick", "<<<<<<< HEAD\ntree A { success }\n=======\n");
    assert!(said[0].contains("conflict of version control"), "{said:?}");
    for (name, text) in [
        (
            "a.tick",
            "tree A {\n<<<<<<< HEAD\n success\n=======\n failure\n>>>>>>> x\n}",
        ),
        (
            "a.json",
            "{\"tickseed\": 1,\n<<<<<<< HEAD\n\"main\": \"A\"\n=======\n>>>>>>> x\n}",
        ),
    ] {
        let said = messages(name, text);
        assert!(
            said.len() == 1 && said[0].starts_with("2:1 a conflict"),
            "{said:?}"
        );
    }
    // Marks in the middle of lines, and comparisons, are none.
    assert!(messages("a.tick", "// <<<<<<< a\n// >>>>>>> b\ntree A { success }").is_empty());
}

#[test]
fn x13_files_that_are_not_there_yet_say_what_is() {
    says(
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
        &["git lfs pull"],
    );
    let packed = tickseed_lang::load::decode(&[0x1F, 0x8B, 8, 0, 0xFF]).1;
    let packed = packed.map(|bad| bad.in_file(tickseed_lang::model::FileId(0)));
    assert!(packed.is_some_and(|d| d.message.contains("packed by gzip")));
}

#[test]
fn x13_the_outermost_element_is_told_with_what_is_wrong_with_it() {
    for (text, part) in [
        ("<Root BTCPP_format='4'/>", "small letters"),
        ("<b:root xmlns:b='u'/>", "prefixes of namespaces"),
        (
            "<BehaviorTree ID='A'><X/></BehaviorTree>",
            "write <root BTCPP_format",
        ),
        ("<Sequence><X/></Sequence>", "around it"),
    ] {
        says(text, &[part]);
    }
    let text = "<root btcpp_format='4' main_tree_to_exec='A'><BehaviorTree ID='A'><X/></BehaviorTree></root>";
    says(
        text,
        &[
            "did you mean `BTCPP_format`?",
            "did you mean `main_tree_to_execute`?",
        ],
    );
    let text = "<root BTCPP_format='4'><include file='b.xml'/><Sequence><X/></Sequence></root>";
    says(
        text,
        &["write `path` in place of `file`", "nodes stand in trees"],
    );
}

#[test]
fn x13_entities_that_stay_as_they_are_are_warned_of() {
    let text = "<!DOCTYPE root [<!ENTITY v '2'>]><root BTCPP_format='4'><BehaviorTree ID='A'><X p='&v;'/></BehaviorTree></root>";
    says(text, &["entities cannot be declared"]);
    says(
        &body("<X p='&nbsp;&#xZZ;'/>"),
        &["`&nbsp;` stands for no character", "`&#xZZ;`"],
    );
    // Scripts have `&` and `;` in them.
    says(&body("<Script code='a := b&c; d := 1 && 2'/>"), &[]);
}

#[test]
fn x13_guards_and_scripts_by_other_names_are_told_ours() {
    for (written, ours) in [
        ("_if", "`_while`"),
        ("_failIf", "`_failureIf`"),
        ("_onFail", "`_onFailure`"),
        ("_onHalt", "`_onHalted`"),
        ("_until", "`_while`"),
        ("_onStart", "put a `Script` before"),
    ] {
        says(&body(&format!("<X {written}='a'/>")), &[ours]);
    }
}

#[test]
fn x13_a_subtree_without_a_name_is_one_mistake() {
    for node in ["<SubTree ID=''/>", "<SubTree name='s'/>"] {
        let text = body(node);
        assert_eq!(
            World::new().fail(&text).matches("error[").count(),
            1,
            "{node}"
        );
        let loaded = load_text("a.xml", &text, &Memory::default());
        let (_, said) = loaded.trees(tickseed_lang::load::Duplicates::Replace);
        assert!(said.is_empty(), "{said:?}");
    }
}

#[test]
fn x13_lists_of_loops_say_how_they_are_written() {
    for queue in ["1,2,3", "[1;2]", "1 2"] {
        let node = format!("<LoopInt queue='{queue}' value='{{v}}'><AlwaysSuccess/></LoopInt>");
        assert!(
            World::new().fail(&body(&node)).contains("separated by `;`"),
            "{queue}"
        );
    }
}

/// Keys that nobody declares, mapped and automatic ones, private ones, the root's, scripts and
/// literals for a subtree.
const KEYED: &str = "<root BTCPP_format='4' main_tree_to_execute='Main'>
  <BehaviorTree ID='Main'><Sequence>
    <Script code='n := 4; deep := 7; @top := 1'/>
    <SubTree ID='Mapped' k='{n}' text='hello'/>
    <SubTree ID='Auto' _autoremap='true'/>
    <ScriptCondition code='n == 5 &amp;&amp; deep == 8'/>
    <NeedInt name='left' p='{n}'/>
    <Act name='last' _skipIf='n == 0' _onSuccess='n := 9'/>
  </Sequence></BehaviorTree>
  <BehaviorTree ID='Mapped'><Sequence>
    <NeedInt name='in' p='{k}'/><NeedText name='text' p='{text}'/>
    <Script code='k := k + 1; own := 3'/><NeedInt name='root' p='{@top}'/>
  </Sequence></BehaviorTree>
  <BehaviorTree ID='Auto'><Script code='deep += 1; _own := 2'/></BehaviorTree>
</root>";

#[test]
fn e05_a_converted_tree_does_what_it_did() {
    let world = World::new();
    let mut running = world.build(KEYED);
    assert_eq!(running.tick(), 'S');
    let first = world.log();
    assert_eq!(
        first,
        ["in=4", "text=\"hello\"", "root=1", "left=5", "start last"]
    );
    let (document, said) = read_as(Format::Xml, KEYED, FileId(0));
    assert!(said.is_empty(), "{said:?}");
    for format in [Format::Tick, Format::Json, Format::Binary] {
        let mut converted = document.clone();
        converted.prepare(format);
        let (read, said) = match format {
            Format::Tick => read_as(format, &fmt::format(&converted), FileId(0)),
            Format::Json => read_as(format, &json::write(&converted), FileId(0)),
            _ => (
                binary::read(&binary::write(&converted)).expect("as written"),
                Vec::new(),
            ),
        };
        assert!(said.is_empty(), "{said:?}");
        assert!(read.has_btcpp_keys());
        let loaded = tickseed_lang::build::from_documents(
            std::slice::from_ref(&read),
            tickseed_lang::model::SourceMap::new(),
            &world.registry(),
            &tickseed_lang::build::Options::default(),
        );
        let loaded = loaded.unwrap_or_else(|failed| panic!("{format:?}: {failed}"));
        let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
        let answer = loaded
            .tree
            .tick(&mut agent, &mut board, tickseed_core::Time::ZERO);
        assert!(
            matches!(answer, Ok(tickseed_core::Status::Success)),
            "{answer:?}"
        );
        assert_eq!(world.log(), first, "{format:?}");
        // And back: XML needs no mark.
        let mut back = read;
        back.prepare(Format::Xml);
        let again = read_as(Format::Xml, &xml_format::write(&back), FileId(0)).0;
        let first = read_as(Format::Xml, &xml_format::write(&document), FileId(0)).0;
        assert!(again.same_meaning(&first), "{format:?}");
    }
}

#[test]
fn e05_what_declares_its_keys_is_not_marked() {
    let marked = |mut document: Document| {
        document.prepare(Format::Tick);
        fmt::format(&document).contains("#![keys")
    };
    let read = |format, text: &str| read_as(format, text, FileId(0)).0;
    // Through XML and back, keys of `.tick` stay declared.
    for text in [
        "keys { hp: int = 3 }\nmain tree A { check hp > 2 }",
        "main tree A { sequence { success; B(x: 1) } }\ntree B(x: int) { check x > 0 }",
        "main tree A { success }",
    ] {
        let xml = xml_format::write(&read(Format::Tick, text));
        assert!(!marked(read(Format::Xml, &xml)), "{xml}");
    }
    assert!(!marked(read(
        Format::Xml,
        &body("<Sequence><A p='1'/></Sequence>")
    )));
    assert!(marked(read(Format::Xml, &body("<A p='{k}'/>"))));
    assert!(marked(read(Format::Xml, &body("<A _skipIf='k'/>"))));
}

#[test]
fn b22_a_key_that_is_read_beside_a_written_one_of_nearly_its_name() {
    let helps = |nodes: &str| -> Vec<String> {
        let loaded = load_text("a.xml", &body(nodes), &Memory::default());
        let said = tickseed_lang::check::unwritten(&loaded.documents);
        said.into_iter().filter_map(|d| d.help).collect()
    };
    let after = |read: &str| {
        format!("<Sequence><Script code='battery := 1; goal := 2; pose1 := 3'/>{read}</Sequence>")
    };
    for read in [
        "<ScriptCondition code='batery > 0'/>",
        "<AlwaysSuccess _skipIf='battrey > 0'/>",
        "<Sleep msec='{battery_}'/><Sleep msec='{batttery}'/>",
    ] {
        assert_eq!(helps(&after(read)), ["did you mean `battery`?"], "{read}");
    }
    for read in [
        // Meant to differ, or written by who is not known here.
        "<ScriptCondition code='goals == 1 &amp;&amp; pose2 == 1'/>",
        "<Act out='{batery}'/><ScriptCondition code='batery > 0'/>",
        "<SubTree ID='S' x='{batery}'/><ScriptCondition code='batery > 0'/>",
        "<SubTree ID='S' _autoremap='true'/><ScriptCondition code='batery > 0'/>",
        "<SetBlackboard value='1' output_key='batery'/><ScriptCondition code='batery > 0'/>",
        "<ScriptCondition code='other > 0'/>",
    ] {
        assert!(helps(&after(read)).is_empty(), "{read}");
    }
}

#[test]
fn x13_units_and_names_of_other_languages() {
    for (text, part) in [
        ("tree A { wait 1.5sec }", "`1.5s`?"),
        ("tree A { wait 2minutes }", "`2min`?"),
        ("tree A { wait 20msec }", "`20ms`?"),
        ("tree \"My Tree\" { success }", "`` `My Tree` ``"),
    ] {
        let said = messages("a.tick", text);
        assert!(said[0].contains(part), "{said:?}");
    }
}

#[test]
fn x13_a_script_of_endless_operators_is_an_error_and_no_overflow() {
    let script = |terms| {
        let sum = vec!["1"; terms].join("+");
        body(&format!("<Script code=\"x := {sum}\"/>"))
    };
    let world = World::new();
    assert_eq!(world.build(&script(1001)).tick(), 'S');
    let refused = world.fail(&script(200_000));
    assert!(refused.contains("more than 1000 operators in one statement"));
}
