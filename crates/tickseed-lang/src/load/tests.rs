use super::*;

fn xml_tree(name: &str, body: &str) -> String {
    format!("<BehaviorTree ID='{name}'>{body}</BehaviorTree>")
}

fn xml_root(inner: &str) -> String {
    format!("<root BTCPP_format='4'>{inner}</root>")
}

fn memory(files: &[(&str, String)]) -> Memory {
    let mut memory = Memory::default();
    for (path, text) in files {
        memory.add(*path, text.as_str());
    }
    memory
}

fn messages(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics.iter().map(|d| d.message.as_str()).collect()
}

#[test]
fn paths_are_joined() {
    let check = |from: &str, path: &str, expected: &str| {
        assert_eq!(join(from, path), expected, "{from} {path}")
    };
    check("", "main.xml", "main.xml");
    check("main.xml", "a/b.xml", "a/b.xml");
    check("trees/main.xml", "./b.xml", "trees/b.xml");
    check("trees/main.xml", "../b.xml", "b.xml");
    check("main.xml", "../b.xml", "../b.xml");
    check("../x/main.xml", "../../b.xml", "../../b.xml");
    check("/a/main.xml", "b.xml", "/a/b.xml");
    check("/a/main.xml", "../../../b.xml", "/b.xml");
    check("a/main.xml", "/b.xml", "/b.xml");
}

/// Includes are relative to the including file (case S06).
#[test]
fn includes_are_relative_to_the_file_that_says_them() {
    let files = memory(&[
        (
            "main.xml",
            xml_root(&format!(
                "<include path='child/a.xml'/>{}",
                xml_tree("M", "<SubTree ID='A'/>")
            )),
        ),
        (
            "child/a.xml",
            xml_root(&format!(
                "<include path='b.xml'/>{}",
                xml_tree("A", "<SubTree ID='B'/>")
            )),
        ),
        ("child/b.xml", xml_root(&xml_tree("B", "<AlwaysSuccess/>"))),
    ]);
    let loaded = load("./main.xml", &files);
    assert!(loaded.is_ok(), "{}", loaded.render());
    let names: Vec<_> = loaded
        .sources
        .files()
        .map(|(_, file)| file.name().to_owned())
        .collect();
    assert_eq!(names, ["main.xml", "child/a.xml", "child/b.xml"]);
    // What is included comes first.
    let order: Vec<_> = loaded
        .documents
        .iter()
        .flat_map(Document::trees)
        .map(|tree| tree.name.as_str())
        .collect();
    assert_eq!(order, ["B", "A", "M"]);
}

#[test]
fn missing_files_and_circles_name_all_files() {
    let include = |path: &str| xml_root(&format!("<include path='{path}'/>"));
    let loaded = load(
        "main.xml",
        &memory(&[("main.xml", include("lib/gone.xml"))]),
    );
    assert_eq!(
        messages(&loaded.diagnostics),
        ["cannot read `lib/gone.xml`, which `main.xml` includes: no such file"]
    );
    assert!(loaded.render().contains("main.xml:1:"));
    let loaded = load("gone.xml", &memory(&[("done.xml", include("x"))]));
    assert_eq!(
        messages(&loaded.diagnostics),
        ["cannot read `gone.xml`: no such file; did you mean `done.xml`?"]
    );
    let circle = memory(&[
        ("a.xml", include("x/b.xml")),
        ("x/b.xml", include("../a.xml")),
    ]);
    assert_eq!(
        messages(&load("a.xml", &circle).diagnostics),
        ["files include each other in a circle: a.xml -> x/b.xml -> a.xml",]
    );
    let own = memory(&[("a.xml", include("a.xml"))]);
    assert_eq!(
        messages(&load("a.xml", &own).diagnostics),
        ["files include each other in a circle: a.xml -> a.xml"]
    );
    // Named twice is no circle, and read once.
    let twice = xml_root("<include path='b.xml'/><include path='./b.xml'/>");
    let loaded = load(
        "a.xml",
        &memory(&[
            ("a.xml", twice),
            ("b.xml", xml_root(&xml_tree("B", "<A/>"))),
        ]),
    );
    assert_eq!((loaded.is_ok(), loaded.documents.len()), (true, 2));
    let chain: Vec<_> = (0..100)
        .map(|i| (format!("{i}.xml"), include(&format!("{}.xml", i + 1))))
        .collect();
    let mut files = Memory::default();
    chain
        .iter()
        .for_each(|(path, text)| files.add(path.as_str(), text.as_str()));
    assert_eq!(
        messages(&load("0.xml", &files).diagnostics),
        ["more than 64 files include each other in a row"]
    );
}

#[test]
fn ros_packages_need_a_loader_that_knows_them() {
    struct Ros(Memory);
    impl Loader for Ros {
        fn read(&self, path: &str) -> Result<Vec<u8>, String> {
            self.0.read(path)
        }
        fn resolve_package(&self, package: &str, path: &str) -> Option<String> {
            Some(format!("/ros/{package}/{path}"))
        }
    }
    let files = memory(&[
        (
            "a.xml",
            xml_root("<include ros_pkg='legs' path='walk.xml'/>"),
        ),
        ("/ros/legs/walk.xml", xml_root(&xml_tree("Walk", "<A/>"))),
    ]);
    assert_eq!(
        messages(&load("a.xml", &files).diagnostics),
        ["`walk.xml` lies in the ROS package `legs`, and no ROS is at hand",]
    );
    assert_eq!(load("a.xml", &Ros(files)).documents.len(), 2);
}

/// Only the top file's main tree counts (case S07).
#[test]
fn the_main_tree_is_the_top_files() {
    let root =
        |main: &str, inner: &str| format!("<root main_tree_to_execute='{main}'>{inner}</root>");
    let files = memory(&[
        (
            "main.xml",
            root(
                "M",
                &format!("<include path='sub.xml'/>{}", xml_tree("M", "<A/>")),
            ),
        ),
        ("sub.xml", root("S", &xml_tree("S", "<A/>"))),
    ]);
    let main = |path| {
        let loaded = load(path, &files);
        loaded
            .main_tree(Duplicates::Error)
            .map(|found| found.tree.name.text.clone())
            .ok()
    };
    assert_eq!(
        (main("main.xml").as_deref(), main("sub.xml").as_deref()),
        (Some("M"), Some("S"))
    );
}

#[test]
fn without_a_main_tree_the_only_one_is_it() {
    let main = |text: &str| {
        let loaded = load_text("t.xml", text, &Memory::default());
        loaded
            .main_tree(Duplicates::Error)
            .map(|found| found.tree.name.text.clone())
            .map_err(|d| d.to_string())
    };
    let [a, b] = ["A", "B"].map(|name| xml_tree(name, "<X/>"));
    assert_eq!(main(&xml_root(&a)).as_deref(), Ok("A"));
    let error = main(&xml_root(&format!("{a}{b}"))).unwrap_err();
    assert!(
        error.contains("[main_tree_to_execute] was not specified correctly")
            && error.contains("A, B"),
        "{error}"
    );
    assert!(main(&xml_root("")).unwrap_err().contains("no tree"));
    assert!(
        main("<root main_tree_to_execute='C'/>")
            .unwrap_err()
            .contains("Can't find a tree with name: C")
    );
}

/// Two files define one tree: the caller chooses (case S08).
#[test]
fn duplicate_trees_are_the_callers_choice() {
    let files = memory(&[
        (
            "a.xml",
            xml_root(&format!(
                "<include path='b.xml'/>\n{}",
                xml_tree("Main", "<FromA/>")
            )),
        ),
        ("b.xml", xml_root(&xml_tree("Main", "<FromB/>"))),
    ]);
    let loaded = load("a.xml", &files);
    let outcome = |duplicates| {
        let (trees, diagnostics) = loaded.trees(duplicates);
        let [diagnostic] = &diagnostics[..] else {
            panic!("{diagnostics:?}")
        };
        (
            trees["Main"].tree.body[0].kind.text.clone(),
            diagnostic.is_error(),
            diagnostic.message.clone(),
        )
    };
    assert_eq!(
        outcome(Duplicates::Error),
        (
            "FromB".into(),
            true,
            "two trees are called `Main`: in b.xml:1 and in a.xml:2".into()
        )
    );
    assert_eq!(
        outcome(Duplicates::Replace),
        (
            "FromA".into(),
            false,
            "two trees are called `Main`: the one in a.xml:2 replaces the one in b.xml:1".into(),
        )
    );
    assert_eq!(outcome(Duplicates::Keep).0, "FromB");
}

/// Trees that use themselves (case S01); the order of definitions does not matter (case S03).
#[test]
fn recursion_is_found_and_shown() {
    let uses = |of: &[(&str, &[&str])]| {
        let trees = of.iter().map(|(name, used)| {
            let body: String = used
                .iter()
                .map(|name| format!("<SubTree ID='{name}'/>"))
                .collect();
            xml_tree(name, &format!("<Sequence><X/>{body}</Sequence>"))
        });
        let loaded = load_text(
            "t.xml",
            &xml_root(&trees.collect::<String>()),
            &Memory::default(),
        );
        assert!(loaded.is_ok());
        loaded
            .trees(Duplicates::Error)
            .1
            .into_iter()
            .map(|d| d.message)
            .collect::<Vec<_>>()
    };
    let cycle = |names: &str| {
        let first = &names[..1];
        [format!(
            "Recursive behavior tree cycle detected: tree '{first}' references itself (directly or indirectly): {names}"
        )]
    };
    assert_eq!(uses(&[("A", &["A"])]), cycle("A -> A"));
    assert_eq!(
        uses(&[("A", &["B"]), ("B", &["C"]), ("C", &["A"])]),
        cycle("A -> B -> C -> A")
    );
    assert_eq!(
        uses(&[("C", &["A"]), ("B", &["C"]), ("A", &["B"])]),
        cycle("A -> B -> C -> A")
    );
    assert_eq!(
        uses(&[("A", &["D", "D", "B"]), ("B", &["D"]), ("D", &[])]),
        [""; 0]
    );
    // A long chain, each also using the first: no recursion of ours, and no endless messages.
    let chain =
        (0..20_000).map(|i| format!("tree T{i} {{ sequence {{ T{}; T0 }} }}\n", (i + 1) % 20_000));
    let loaded = load_text("t.tick", &chain.collect::<String>(), &Memory::default());
    let diagnostics = loaded.trees(Duplicates::Error).1;
    assert_eq!(diagnostics.len(), 50);
    assert!(
        diagnostics[0].message.contains("T0 -> T1 ->")
            && diagnostics[0].message.contains(" more) -> ")
    );
}

#[test]
fn unknown_trees_are_reported_with_the_nearest() {
    let text = "<root main_tree_to_execute='Mian'><BehaviorTree ID='Main'><SubTree ID='Man'/></BehaviorTree></root>";
    let loaded = load_text("t.xml", text, &Memory::default());
    let diagnostics = loaded.trees(Duplicates::Error).1;
    assert_eq!(
        messages(&diagnostics),
        [
            "Can't find a tree with name: Mian",
            "Can't find a tree with name: Man"
        ]
    );
    assert!(
        diagnostics
            .iter()
            .all(|d| d.help.as_deref() == Some("did you mean `Main`?"))
    );
}

#[test]
fn every_format_is_recognized() {
    let document = load_text(
        "t.xml",
        &xml_root(&xml_tree("A", "<X/>")),
        &Memory::default(),
    )
    .documents
    .remove(0);
    let mut files = Memory::default();
    files.add("a", xml::write(&document));
    files.add("b", json::write(&document));
    files.add("c", binary::write(&document));
    files.add("d", crate::fmt::format(&document));
    for path in ["a", "b", "c", "d"] {
        let loaded = load(path, &files);
        assert!(loaded.is_ok(), "{}", loaded.render());
        assert!(loaded.documents[0].same_meaning(&document), "{path}");
    }
    let mut damaged = binary::write(&document);
    damaged[30] ^= 1;
    files.add("damaged.tickb", damaged);
    files.add("text.tickb", "tree A {}");
    assert!(
        messages(&load("damaged.tickb", &files).diagnostics)[0]
            .contains("`damaged.tickb`: the file is damaged")
    );
    assert!(
        messages(&load("text.tickb", &files).diagnostics)[0].contains("no binary Tickseed file")
    );
}

#[test]
fn text_in_another_encoding_is_named_with_its_place() {
    let mut files = Memory::default();
    files.add(
        "latin.xml",
        b"<root>\n  <!-- caf\xE9 -->\n</root>".as_slice(),
    );
    files.add("wide.xml", b"\xFF\xFE<\0r\0".as_slice());
    let loaded = load("latin.xml", &files);
    assert_eq!(
        messages(&loaded.diagnostics),
        ["the byte 0xE9 is no UTF-8 text here"]
    );
    let shown = loaded.render();
    assert!(
        shown.contains("latin.xml:2:11") && shown.contains("caf") && shown.contains("Latin-1"),
        "{shown}"
    );
    assert_eq!(
        messages(&load("wide.xml", &files).diagnostics),
        ["the file is UTF-16; expected UTF-8"]
    );
}

#[test]
fn files_on_disk_are_read() {
    let folder = std::env::temp_dir().join(format!("tickseed-load-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("lib")).unwrap();
    std::fs::write(
        folder.join("main.tick"),
        "import \"lib/a.tick\"\nmain tree M { A }\n",
    )
    .unwrap();
    std::fs::write(folder.join("lib/a.tick"), "tree A { X }\n").unwrap();
    let path = folder
        .join("main.tick")
        .to_string_lossy()
        .replace('\\', "/");
    let loaded = load(&path, &Disk);
    let gone = load(&folder.join("gone.tick").to_string_lossy(), &Disk);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(loaded.is_ok(), "{}", loaded.render());
    assert_eq!(loaded.documents.len(), 2);
    assert!(!gone.is_ok());
}
