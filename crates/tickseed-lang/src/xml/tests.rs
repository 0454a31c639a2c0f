use super::*;
use crate::diagnostics::Severity;
use crate::model::arbitrary::{self, Random};
use crate::model::{Attribute, Hook, Item, Name, Node, SourceMap, Span, Tree, Value};

fn parse(source: &str) -> Document {
    read(source, FileId(0), &Options::default()).0
}

/// Place, severity's first letter and message of all diagnostics.
fn messages_with(source: &str, options: &Options) -> Vec<String> {
    let mut map = SourceMap::new();
    let file = map.add("t.xml", source);
    let (_, diagnostics) = read(source, file, options);
    let shown = diagnostics.iter().map(|d| {
        let at = map
            .line_column(d.primary.as_ref().expect("a place").span)
            .expect("in the file");
        let severity = match d.severity {
            Severity::Error => 'E',
            Severity::Warning => 'W',
            Severity::Note => 'N',
        };
        let help = d
            .help
            .as_ref()
            .map(|h| format!(" ({h})"))
            .unwrap_or_default();
        format!("{}:{} {severity} {}{help}", at.line, at.column, d.message)
    });
    shown.collect()
}

fn messages(source: &str) -> Vec<String> {
    messages_with(source, &Options::default())
}

#[test]
fn random_documents_come_back_whole() {
    for seed in arbitrary::seeds(1_000) {
        let document = arbitrary::document(seed);
        let text = write(&document);
        let (back, diagnostics) = read(&text, FileId(0), &Options::default());
        let syntax: Vec<_> = diagnostics
            .iter()
            .filter(|d| d.code == "xml::syntax")
            .collect();
        assert!(syntax.is_empty(), "seed {seed}\n{text}\n{syntax:?}");
        let (a, b) = (document.meaning(), back.meaning());
        assert!(
            a == b,
            "seed {seed}\n{text}\n{}\n{}",
            crate::json::write(&a),
            crate::json::write(&b)
        );
        assert_eq!(update(&text, &back), text);
    }
}

/// Any document saved over any other comes out right, and so do small edits.
#[test]
fn random_edits_are_saved() {
    let mut r = Random::new(3 + arbitrary::lot());
    for seed in arbitrary::seeds(300) {
        let source = write(&arbitrary::document(seed));
        let mut document = parse(&source);
        if seed % 5 == 0 {
            document = arbitrary::document(seed + 1);
        } else {
            let other = parse(&write(&arbitrary::document(seed + 1)));
            for item in &mut document.items {
                if let (Item::Tree(tree), Some(donor)) = (item, other.trees().next())
                    && let (Some(node), Some(new)) = (tree.body.first_mut(), donor.body.first())
                {
                    match r.below(3) {
                        0 => node.children.push(new.clone()),
                        1 => drop(node.children.pop()),
                        _ => node.attributes = new.attributes.clone(),
                    }
                }
            }
        }
        let saved = update(&source, &document);
        let fresh = write(&document);
        assert!(
            saved == fresh || write(&parse(&saved)) == fresh,
            "seed {seed}
{source}
{saved}
{fresh}"
        );
    }
}

#[test]
fn mutated_text_never_panics() {
    let mut r = Random::new(5 + arbitrary::lot());
    for seed in arbitrary::seeds(400) {
        let source = write(&arbitrary::document(seed));
        let mut bytes = source.clone().into_bytes();
        for _ in 0..=r.below(4) {
            let at = r.below(bytes.len());
            match r.below(3) {
                0 => bytes[at] = r.next() as u8,
                1 => bytes.truncate(at + 1),
                _ => bytes.insert(at, r.pick(b"<>/\"'=&;!-?[] \n")),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let document = parse(&text);
        let _ = write(&document);
        let _ = update(&text, &document);
        let _ = update(&source, &document);
    }
}

const GUARD: &str = r#"<?xml version="1.0"?>
<!-- about the file -->
<root BTCPP_format="4"
      main_tree_to_execute="Guard" editor='mine'>

    <include path="other.xml" ros_pkg="pkg"/>
    <BehaviorTree ID="Guard" _description="keeps watch" _favorite="true">
        <!-- choose -->
        <ReactiveFallback name="choose">  <!-- the heart -->

            <Sequence _skipIf="ammo<1 && !brave" _onSuccess="n:=1">
                <MoveTo goal="{target}" within='1.50' frame="{=}" map="{@map}"/>
                <Action ID="Attack" _collapsed="true"/>
                <!-- last -->
            </Sequence>
            <SubTree ID="Patrol" _autoremap="true" speed="3"/>
        </ReactiveFallback>
    </BehaviorTree>
    <TreeNodesModel>
        <Action ID="MoveTo" editable="true">
            <input_port name="goal" type="Pose">where to</input_port>
            <inout_port name="within" default="1.0"/>
            <MetadataFields>
                <Metadata group="motion"/>
            </MetadataFields>
        </Action>
    </TreeNodesModel>
</root>
"#;

#[test]
fn reads_what_a_file_says() {
    let document = parse(GUARD);
    assert_eq!(document.main.as_ref().unwrap(), &"Guard");
    assert_eq!(document.version.as_ref().unwrap(), &"4");
    assert_eq!(document.trivia.leading[0].text, "about the file");
    assert_eq!(document.attributes[0].name(), "xml:editor");
    let import = document.imports().next().unwrap();
    assert_eq!(
        (import.path.as_str(), import.attributes[0].name()),
        ("other.xml", "xml:ros_pkg")
    );
    let tree = document.tree("Guard").unwrap();
    assert_eq!(
        (tree.doc.as_deref(), tree.attributes[0].name()),
        (Some("keeps watch"), "favorite")
    );
    let root = &tree.body[0];
    assert_eq!(root.name.as_ref().unwrap(), &"choose");
    assert_eq!(root.trivia.leading[0].text, "choose");
    assert!(root.children[0].trivia.leading[0].blank_after);
    assert!(import.trivia.blank_before && !root.trivia.blank_before);
    let sequence = &root.children[0];
    assert_eq!(
        sequence.hook(Hook::SkipIf).unwrap().to_attribute(),
        "ammo<1 && !brave"
    );
    assert_eq!(sequence.inner[0].text, "last");
    let arguments: Vec<_> = sequence.children[0]
        .arguments()
        .map(Attribute::name)
        .collect();
    assert_eq!(arguments, ["goal", "within", "frame", "map"]);
    let place = sequence.children[0].argument("goal").unwrap().span;
    assert_eq!(&GUARD[place.range()], "{target}");
    assert_eq!(root.children[1].option("autoremap").unwrap().value, None);
    let model = document.models().next().unwrap();
    assert_eq!(
        (model.ports[0].doc.as_deref(), model.ports.len()),
        (Some("where to"), 2)
    );
    let names: Vec<_> = model.attributes.iter().map(Attribute::name).collect();
    assert_eq!(names, ["xml:editable", "group"]);
}

#[test]
fn edits_leave_the_rest_alone() {
    let check = |edit: fn(&mut Document), changes: &[(&str, &str)]| {
        let mut document = parse(GUARD);
        edit(&mut document);
        let expected = changes.iter().fold(GUARD.to_owned(), |text, (from, to)| {
            assert!(text.contains(from));
            text.replacen(from, to, 1)
        });
        assert_eq!(update(GUARD, &document), expected);
    };
    fn root(document: &mut Document) -> &mut Node {
        let trees = document.items.iter_mut().filter_map(|item| match item {
            Item::Tree(tree) => Some(tree),
            _ => None,
        });
        &mut trees.into_iter().next().unwrap().body[0]
    }
    check(|_| {}, &[]);
    check(
        |d| {
            root(d).children[0].children[0].attributes[1].value =
                Some(Value::text("it's < 2", Span::default()))
        },
        &[("within='1.50'", "within='it&apos;s &lt; 2'")],
    );
    check(
        |d| drop(root(d).children[0].children[0].attributes.remove(0)),
        &[("<MoveTo goal=\"{target}\"", "<MoveTo")],
    );
    check(
        |d| {
            let speed = Attribute::argument(Name::from("speed"), Value::int(2, Span::default()));
            root(d).children[0].children[0].attributes.push(speed);
        },
        &[("map=\"{@map}\"/>", "map=\"{@map}\" speed=\"2\"/>")],
    );
    check(
        |d| drop(root(d).children.remove(1)),
        &[(
            "            <SubTree ID=\"Patrol\" _autoremap=\"true\" speed=\"3\"/>\n",
            "",
        )],
    );
    check(
        |d| {
            root(d).children[0].children.insert(
                1,
                Node {
                    children: vec![Node::new("Stop")],
                    ..Node::new("Inverter")
                },
            )
        },
        &[(
            "                <Action ID=\"Attack\"",
            "                <Inverter>\n                  <Stop/>\n                </Inverter>\n                <Action ID=\"Attack\"",
        )],
    );
    check(
        |d| root(d).children.swap(0, 1),
        &[
            (
                "            <SubTree ID=\"Patrol\" _autoremap=\"true\" speed=\"3\"/>\n",
                "",
            ),
            (
                "  <!-- the heart -->\n\n            <Sequence",
                "\n            <SubTree ID=\"Patrol\" _autoremap=\"true\" speed=\"3\"/>\n            <!-- the heart -->\n\n            <Sequence",
            ),
        ],
    );
    check(
        |d| root(d).children[0].name = Some("fight".into()),
        &[("_onSuccess=\"n:=1\"", "_onSuccess=\"n:=1\" name=\"fight\"")],
    );
    check(
        |d| d.main = Some("Other".into()),
        &[("\"Guard\" editor", "\"Other\" editor")],
    );
    check(
        |d| {
            let tree = Tree {
                name: "New".into(),
                body: vec![Node::new("Stop")],
                ..Tree::default()
            };
            d.items.push(Item::Tree(tree));
        },
        &[(
            "    </TreeNodesModel>\n",
            "    </TreeNodesModel>\n    <BehaviorTree ID=\"New\">\n      <Stop/>\n    </BehaviorTree>\n",
        )],
    );
    // Children in an element that had none.
    let mut document =
        parse("<root><BehaviorTree ID='A'><Inverter  a='1' /></BehaviorTree></root>");
    root(&mut document).children.push(Node::new("Stop"));
    let saved = update(
        "<root><BehaviorTree ID='A'><Inverter  a='1' /></BehaviorTree></root>",
        &document,
    );
    assert_eq!(
        saved,
        "<root><BehaviorTree ID='A'><Inverter  a='1' >\n  <Stop/>\n</Inverter></BehaviorTree></root>"
    );
}

#[test]
fn a_file_without_a_tree_is_refused_with_a_reason() {
    let check =
        |source: &str, expected: &[&str]| assert_eq!(messages(source), expected, "{source}");
    let missing = "Invalid XML: missing root element, expected <root BTCPP_format=\"4\">";
    check("", &[&format!("1:1 E {missing}")]);
    check("  \n", &[&format!("1:1 E {missing}")]);
    check("just text", &[&format!("1:1 E {missing}")]);
    check(
        "trees/main.xml",
        &[&format!(
            "1:1 E {missing} (this looks like the path of a file: use the function that loads files)"
        )],
    );
    check("<!-- nothing -->", &[&format!("1:1 E {missing}")]);
    check(
        "<tree/>",
        &["1:2 E The XML must have a root node called <root>, found <tree>"],
    );
    check(
        "\0\u{1}\u{7f}",
        &["1:1 E a NUL character: this does not look like a text file"],
    );
    check(
        "<root><BehaviorTree/><BehaviorTree ID='B'><A/></BehaviorTree></root>",
        &[
            "1:7 E The tag <BehaviorTree> must have the attribute [ID]",
            "1:7 E The tag <BehaviorTree> with ID '' must have exactly 1 child, found 0",
        ],
    );
    check(
        "<root>\n<BehaviorTree ID='M'><A/><B/></BehaviorTree></root>",
        &["2:19 E The tag <BehaviorTree> with ID 'M' must have exactly 1 child, found 2"],
    );
    check(
        "<root><include/></root>",
        &["1:7 E Invalid <include> tag: missing 'path' attribute"],
    );
    check(
        "<root><TreeNodesModel/><TreeNodesModel/></root>",
        &["1:24 E Only a single node <TreeNodesModel> is supported"],
    );
    check(
        "<root/><root/>",
        &["1:8 W only the first top-level element counts: this one is ignored"],
    );
    check(
        "<root>x<BehaviorTre ID='M'/></root>",
        &[
            "1:7 W text between elements is ignored",
            "1:8 W <BehaviorTre> means nothing inside <root> and is ignored (did you mean <BehaviorTree>?)",
        ],
    );
    assert_eq!(
        parse("<root><BehaviorTree><A/></BehaviorTree></root>")
            .trees()
            .next()
            .unwrap()
            .name,
        "BehaviorTree_0"
    );
}

/// Messages about nodes, for a tree `M` with this body on line 2.
fn about(body: &str) -> Vec<String> {
    messages(&format!(
        "<root BTCPP_format='4'><BehaviorTree ID='M'>\n{body}</BehaviorTree></root>"
    ))
}

#[test]
fn nodes_are_checked_as_the_reference_does() {
    let check = |body: &str, expected: &[&str]| assert_eq!(about(body), expected, "{body}");
    check(
        "<Action/>",
        &["2:1 E The tag <Action> must have the attribute [ID]"],
    );
    check(
        "<MoveTo ID='x'/>",
        &["2:13 E Attribute [ID] is not allowed in <MoveTo>"],
    );
    check(
        "<SubTree ID='S'><A/></SubTree>",
        &["2:14 E <SubTree> with ID 'S' should not have any child, found 1"]
            .map(|m| m.trim_end_matches(", found 1")),
    );
    check(
        "<SubTree ID='Sequence'/>",
        &["2:14 E The attribute [ID] of tag <SubTree> must not use the name of a registered Node"],
    );
    check(
        "<Inverter/>",
        &["2:2 E The node 'Inverter' must have exactly 1 child, found 0"],
    );
    check(
        "<Inverter><A/><B/></Inverter>",
        &["2:2 E The node 'Inverter' must have exactly 1 child, found 2"],
    );
    check(
        "<Decorator ID='Mine'/>",
        &["2:16 E The node 'Mine' must have exactly 1 child, found 0"],
    );
    check(
        "<Sequence/>",
        &["2:2 E The node 'Sequence' must have 1 or more children, found 0"],
    );
    check(
        "<AlwaysSuccess><A/></AlwaysSuccess>",
        &["2:2 E The node 'AlwaysSuccess' must not have any child, found 1"],
    );
    check(
        "<TryCatch><A/></TryCatch>",
        &["2:2 E The node 'TryCatch' must have at least 2 children, found 1"],
    );
    check(
        "<ReactiveSequence><AsyncSequence><A/></AsyncSequence><AsyncSequence><A/></AsyncSequence></ReactiveSequence>",
        &["2:55 E A ReactiveSequence cannot have more than one async child."],
    );
    check(
        "<Sequence><SubTree ID='S' name='one'/><SubTree ID='S' name='one'/></Sequence>",
        &[
            "2:61 W Duplicate SubTree path detected: 'one'. Two uses of trees have the same name in one tree \
           (BehaviorTree.CPP 4.8.4 and later refuse this: name them differently or not at all)",
        ],
    );
    // The reference fails here, by mistake: many files have it.
    check(
        "<ReactiveSequence><Action ID='Act'/></ReactiveSequence>",
        &[],
    );
    check("<A _while='x' code='y'/>", &[]);
    check("<Script code='x:=1'/>", &[]);
    let own = "<root><BehaviorTree ID='M'><Own/></BehaviorTree><TreeNodesModel><Control ID='Own'/></TreeNodesModel></root>";
    assert_eq!(
        messages(own),
        ["1:29 E The node 'Own' must have 1 or more children, found 0"]
    );
    let clash = "<root><BehaviorTree ID='Sequence'><A/></BehaviorTree></root>";
    assert_eq!(
        messages(clash),
        [
            "1:25 E The attribute [ID] of tag <BehaviorTree> must not use the name of a registered Node"
        ]
    );
}

#[test]
fn names_the_reference_refuses_are_errors_on_demand() {
    let named = |name: &str, strict_names: bool| {
        let source = format!("<root><BehaviorTree ID=\"{name}\"><A/></BehaviorTree></root>");
        messages_with(
            &source,
            &Options {
                strict_names,
                ..Options::default()
            },
        )
    };
    assert_eq!(
        named("My Tree", true),
        ["1:25 E Model name 'My Tree' contains forbidden character ' '"]
    );
    assert_eq!(
        named("My Tree", false),
        [
            "1:25 W Model name 'My Tree' contains forbidden character ' ' (BehaviorTree.CPP 4.8.4 and later refuse this name)",
        ]
    );
    assert_eq!(
        named("root", true),
        ["1:25 E Model name 'root' is a reserved name"]
    );
    assert_eq!(
        named("a.b", true),
        ["1:25 E Model name 'a.b' contains forbidden character '.'"]
    );
    assert_eq!(named("中文", true), [""; 0]);
    let port = |name: &str| {
        let model = format!("<Action ID='A'><input_port name='{name}'/></Action>");
        messages(&format!(
            "<root><TreeNodesModel>{model}</TreeNodesModel></root>"
        ))
        .concat()
    };
    assert!(port("1st").contains("Port name '1st' cannot start with a digit"));
    assert!(port("ID").contains("Port name 'ID' is a reserved attribute name"));
    assert_eq!(port("good"), "");
}

/// Each required attribute of the model section removed in turn (case X04).
#[test]
fn incomplete_models_are_named() {
    let model = |inner: &str| {
        messages(&format!(
            "<root><TreeNodesModel>{inner}</TreeNodesModel></root>"
        ))
    };
    assert_eq!(
        model("<SubTree/>"),
        ["1:23 E Missing attribute 'ID' in SubTree element within TreeNodesModel"]
    );
    assert_eq!(
        model("<Action/>"),
        ["1:23 E Missing attribute 'ID' in Action element within TreeNodesModel"]
    );
    assert_eq!(
        model("<SubTree ID='a'><input_port/></SubTree>"),
        ["1:39 E Missing attribute [name] in port"]
    );
    assert_eq!(
        model("<SubTree ID='a'><input_prt name='x'/></SubTree>"),
        ["1:39 W <input_prt> means nothing in a node model and is ignored",]
    );
    assert_eq!(
        model("<Leaf ID='a'/>"),
        [
            "1:23 W <Leaf> describes no node: expected Action, Condition, Control, Decorator or SubTree",
        ]
    );
}

#[test]
fn version_3_is_read_with_a_warning_for_each_spelling() {
    let source = "<root main_tree_to_execute='A'>
<BehaviorTree ID='A'><SequenceStar><SubTreePlus ID='B' __autoremap='1'/>
<SubTree ID='B' __shared_blackboard='true'/><B/>
<RetryUntilSuccesful num_attempts='3'><Control ID='SequenceStar'><B/></Control></RetryUntilSuccesful>
<Parallel threshold='2'><A1/><A1/></Parallel></SequenceStar></BehaviorTree>
<BehaviorTree ID='B'><Stop/></BehaviorTree></root>";
    assert_eq!(
        messages(source),
        [
            "2:23 W `SequenceStar` is an old spelling (2 times in this file); it is read as `SequenceWithMemory`",
            "2:37 W `SubTreePlus` is an old spelling; it is read as `SubTree`",
            "2:56 W `__autoremap` is an old spelling; it is read as `_autoremap`",
            "3:17 W `__shared_blackboard` is an old spelling; it is read as `_autoremap`",
            "3:46 W <B> is a tree: version 4 writes <SubTree ID=\"B\"/>",
            "4:2 W `RetryUntilSuccesful` is an old spelling; it is read as `RetryUntilSuccessful`",
            "4:67 W <B> is a tree: version 4 writes <SubTree ID=\"B\"/>",
            "5:11 W `threshold` is an old spelling; it is read as `success_count`",
        ]
    );
    let written = write(&parse(source));
    for part in [
        "BTCPP_format=\"4\"",
        "<SequenceWithMemory>",
        "<SubTree ID=\"B\" _autoremap=\"1\"/>",
        "<SubTree ID=\"B\" _autoremap=\"true\"/>",
        "<SubTree ID=\"B\"/>",
        "<RetryUntilSuccessful ",
        "<Control ID=\"SequenceWithMemory\">",
        "success_count=\"2\"",
    ] {
        assert!(written.contains(part), "{part}\n{written}");
    }
    assert_eq!(messages(&written), [""; 0]);
    assert!(parse(&written).same_meaning(&parse(source)));
    assert_eq!(update(source, &parse(source)), source);
}

#[test]
fn empty_and_missing_attributes_stay_apart() {
    let source = "<root><BehaviorTree ID=\"M\"><A p=\"\" name=\"\"/></BehaviorTree></root>";
    let document = parse(source);
    let node = &document.tree("M").unwrap().body[0];
    assert_eq!(node.argument("p").unwrap().to_attribute(), "");
    assert!(node.argument("q").is_none());
    assert!(write(&document).contains("<A name=\"\" p=\"\"/>"));
}

/// The engine's own limit, both ways of it (case X03).
#[test]
fn depth_is_limited_to_256_nodes() {
    let nested = |n: usize| {
        let body = "<Inverter>".repeat(n - 1) + "<A/>" + &"</Inverter>".repeat(n - 1);
        messages(&format!(
            "<root><BehaviorTree ID='M'>{body}</BehaviorTree></root>"
        ))
    };
    assert_eq!(nested(255), [""; 0]);
    assert_eq!(nested(256), [""; 0]);
    for n in [257, 100_000] {
        let messages = nested(n);
        assert_eq!(messages.len(), 1);
        assert!(messages[0].contains("Maximum XML nesting depth exceeded (limit: 256)"));
    }
}

/// What only `.tick` has goes through XML in attributes that BehaviorTree.CPP ignores.
#[test]
fn tick_constructs_are_readable_in_xml() {
    let node = Node {
        attributes: vec![
            Attribute::positional(Value::key("target", Span::default())),
            Attribute::option("reactive".into(), None),
            Attribute::option("drain".into(), Some(Value::int(100, Span::default()))),
        ],
        disabled: true,
        ..Node::new("selector")
    };
    let tree = Tree {
        name: "A".into(),
        body: vec![node],
        ..Tree::default()
    };
    let text = write(&Document {
        items: vec![Item::Tree(tree)],
        ..Document::default()
    });
    let expected = "    <selector _tick.attribute.0='{ \"argument\": null, \"value\": { \"key\": \"target\" } }' \
        _option.reactive=\"\" _option.drain=\"100\" _disabled=\"true\" _skipIf=\"true\"/>";
    assert!(text.contains(expected), "{text}");
    // Edited by someone who does not know the exact value beside it: the edit counts.
    let exact = "<root><BehaviorTree ID='M'><A t='800ms' _tick.value.t='{\"duration\": \"800ms\"}'/></BehaviorTree></root>";
    let value = |text: &str| {
        crate::json::write_value(
            parse(text).tree("M").unwrap().body[0]
                .argument("t")
                .unwrap(),
        )
    };
    assert_eq!(value(exact), "{ \"duration\": \"800ms\" }");
    assert_eq!(value(&exact.replace("t='800ms'", "t='900ms'")), "\"900ms\"");
}

/// Inputs that make careless readers quadratic: they would take many minutes.
#[test]
fn hostile_input_takes_linear_time() {
    let n = 200_000;
    let many = |one: &dyn Fn(usize) -> String| (0..n).map(one).collect::<String>();
    let exact = many(&|i| format!(" a{i}='1' _tick.value.a{i}='1'"));
    let placed = many(&|i| format!(" _tick.attribute.{}='{{\"option\": null}}'", n - i));
    let params = many(&|i| format!("<SubTree ID='T' _tick.params='{i}'/>"));
    let trees = many(&|_| "<BehaviorTree ID='T'><A/></BehaviorTree>".to_owned());
    for inner in [
        format!("<BehaviorTree ID='M'><A{exact}/></BehaviorTree>"),
        format!("<BehaviorTree ID='M'><A{placed}/></BehaviorTree>"),
        format!("{trees}<TreeNodesModel>{params}</TreeNodesModel>"),
        "<BehaviorTree/>".repeat(n),
        "<!-- c --><unknown/>".repeat(n),
        "<BehaviorTree ID='M'><SubTree ID='a' name='b'/></BehaviorTree>".repeat(n),
    ] {
        let source = format!("<root>{inner}</root>");
        let start = std::time::Instant::now();
        let _ = read(&source, FileId(0), &Options::default());
        assert!(start.elapsed().as_secs() < 60, "{}", &source[..60]);
    }
}
