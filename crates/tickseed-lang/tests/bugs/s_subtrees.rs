//! S: subtrees, includes, recursion.

use crate::reading::{good, load_files, shown};
use tickseed_lang::board::Board;
use tickseed_lang::build::{Options, from_loaded};
use tickseed_lang::load::{Duplicates, Loaded};
use tickseed_lang::model::Format;
use tickseed_lang::registry::Registry;

fn tree_messages(loaded: &Loaded, duplicates: Duplicates) -> Vec<String> {
    let diagnostics = loaded.trees(duplicates).1;
    diagnostics
        .iter()
        .map(|d| shown(d, &loaded.sources))
        .collect()
}

/// A tree in both languages that uses the named ones.
fn uses(format: Format, trees: &[(&str, &[&str])]) -> String {
    let trees = trees.iter().map(|(name, used)| match format {
        Format::Xml => {
            let used: String = used.iter().map(|u| format!("<SubTree ID=\"{u}\"/>")).collect();
            format!("<BehaviorTree ID=\"{name}\"><Sequence><AlwaysSuccess/>{used}</Sequence></BehaviorTree>\n")
        }
        _ => format!("tree {name} {{ sequence {{ success; {} }} }}\n", used.join("; ")),
    });
    let trees: String = trees.collect();
    match format {
        Format::Xml => format!("<root BTCPP_format=\"4\">\n{trees}</root>"),
        _ => trees,
    }
}

#[test]
fn s01_circles_of_any_length_are_shown_in_both_languages() {
    for format in [Format::Tick, Format::Xml] {
        let name = if format == Format::Xml {
            "t.xml"
        } else {
            "t.tick"
        };
        for length in 1..12 {
            let names: Vec<String> = (0..length).map(|i| format!("T{i}")).collect();
            let trees: Vec<(&str, Vec<&str>)> = (0..length)
                .map(|i| (names[i].as_str(), vec![names[(i + 1) % length].as_str()]))
                .collect();
            let trees: Vec<(&str, &[&str])> = trees
                .iter()
                .map(|(name, used)| (*name, used.as_slice()))
                .collect();
            let loaded = load_files(&[(name, &uses(format, &trees))]);
            let found = tree_messages(&loaded, Duplicates::Error);
            assert_eq!(found.len(), 1, "{found:?}");
            let mut circle = names.join(" -> ");
            circle.push_str(" -> T0");
            assert!(found[0].contains(&circle), "{} in {}", circle, found[0]);
            let line = length + usize::from(format == Format::Xml);
            assert!(found[0].starts_with(&format!("{line}:")), "{}", found[0]);
        }
    }
}

#[test]
fn s01_diamonds_and_two_circles() {
    for format in [Format::Tick, Format::Xml] {
        let name = if format == Format::Xml {
            "t.xml"
        } else {
            "t.tick"
        };
        let text = uses(
            format,
            &[
                ("A", &["B", "C", "D"]),
                ("B", &["D"]),
                ("C", &["D", "D"]),
                ("D", &[]),
            ],
        );
        assert!(tree_messages(&load_files(&[(name, &text)]), Duplicates::Error).is_empty());
        let text = uses(format, &[("A", &["B", "C"]), ("B", &["A"]), ("C", &["C"])]);
        let found = tree_messages(&load_files(&[(name, &text)]), Duplicates::Error);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|m| m.contains("A -> B -> A")));
        assert!(found.iter().any(|m| m.contains("C -> C")));
    }
}

/// A circle through files of two formats.
#[test]
fn s01_a_circle_through_two_files() {
    let loaded = load_files(&[
        ("main.tick", "import \"b.xml\"\nmain tree A { subtree B }\n"),
        (
            "b.xml",
            "<root><BehaviorTree ID='B'><SubTree ID='A'/></BehaviorTree></root>",
        ),
    ]);
    assert!(loaded.is_ok(), "{}", loaded.render());
    let found = tree_messages(&loaded, Duplicates::Error);
    assert!(found[0].contains("A -> B -> A"), "{found:?}");
}

/// All orders of four trees, over one file and over two, give the same trees.
#[test]
fn s03_every_order_of_definitions() {
    let trees: [(&str, &[&str]); 4] = [
        ("Main", &["A", "B"]),
        ("A", &["C"]),
        ("B", &["C"]),
        ("C", &[]),
    ];
    let mut orders = vec![Vec::new()];
    for _ in 0..4 {
        orders = orders
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..4).filter_map(move |i| {
                    let mut order = order.clone();
                    (!order.contains(&i)).then(|| {
                        order.push(i);
                        order
                    })
                })
            })
            .collect();
    }
    assert_eq!(orders.len(), 24);
    for format in [Format::Tick, Format::Xml] {
        let name = if format == Format::Xml {
            "t.xml"
        } else {
            "t.tick"
        };
        for order in &orders {
            let shuffled: Vec<_> = order.iter().map(|&i| trees[i]).collect();
            for cut in 0..4 {
                let rest = uses(format, &shuffled[..cut]);
                let (import, close) = match format {
                    Format::Xml => ("<root><include path='rest'/>", "</root>"),
                    _ => ("import \"rest\"\n", ""),
                };
                let body = uses(format, &shuffled[cut..])
                    .replace("<root BTCPP_format=\"4\">", "")
                    .replace("</root>", "");
                let text = format!("{import}{body}{close}");
                let loaded = load_files(&[(name, &text), ("rest", &rest)]);
                assert!(loaded.is_ok(), "{}", loaded.render());
                let (found, messages) = loaded.trees(Duplicates::Error);
                assert!(messages.is_empty(), "{messages:?}");
                assert_eq!(
                    found.keys().copied().collect::<Vec<_>>(),
                    ["A", "B", "C", "Main"]
                );
            }
        }
    }
}

/// Guards on the use of a tree are kept in both languages and through each other.
#[test]
fn s05_guards_on_uses_of_trees_are_kept() {
    let text = "tree A {\n  subtree B fail if a succeed if b skip if c while d on success { x = 1 } on halt { x = 2 }\n}\n";
    let document = good(Format::Tick, text);
    for format in crate::reading::TEXT_FORMATS {
        let (back, _) = crate::reading::through(format, &document);
        assert!(back.same_meaning(&document), "{format:?}");
    }
}

#[test]
fn s06_includes_from_any_folder_and_both_paths_in_the_message() {
    for base in ["", "x/", "./x/", "../x/", "/x/y/"] {
        let main = format!("{base}main.xml");
        let normal = base.trim_start_matches("./");
        let (a, b) = (
            format!("{normal}child/a.tick"),
            format!("{normal}child/deeper/b.xml"),
        );
        let text = "<root main_tree_to_execute='M'><include path='child/a.tick'/><BehaviorTree ID='M'><SubTree ID='A'/></BehaviorTree></root>";
        let mut files = tickseed_lang::load::Memory::default();
        files.add(main.trim_start_matches("./"), text);
        files.add(
            a.as_str(),
            "import \"deeper/b.xml\"\nimport \"../child/./deeper/b.xml\"\ntree A { subtree B }\n",
        );
        files.add(
            b.as_str(),
            "<root><BehaviorTree ID='B'><AlwaysSuccess/></BehaviorTree></root>",
        );
        let loaded = tickseed_lang::load::load(&main, &files);
        assert!(loaded.is_ok(), "{main}: {}", loaded.render());
        assert_eq!(loaded.documents.len(), 3, "{main}");
        assert!(loaded.trees(Duplicates::Error).1.is_empty());
    }
    let loaded = load_files(&[
        (
            "main.tick",
            "// one\nimport \"child/a.tick\"\nmain tree M { success }\n",
        ),
        ("child/a.tick", "import \"bb.tick\"\n"),
        ("child/b.tick", "tree B { success }\n"),
    ]);
    assert_eq!(
        loaded
            .diagnostics
            .iter()
            .map(|d| shown(d, &loaded.sources))
            .collect::<Vec<_>>(),
        [
            "1:8 cannot read `child/bb.tick`, which `child/a.tick` includes: no such file; did you mean `child/b.tick`?"
        ]
    );
}

/// Circles of files are found on disk too, under whatever names the system gives one file.
#[cfg(unix)]
#[test]
fn s06_circles_through_links_are_found() {
    use std::fs;
    let folder = std::env::temp_dir().join(format!("tickseed-links-{}", std::process::id()));
    fs::create_dir_all(folder.join("a")).unwrap();
    std::os::unix::fs::symlink(folder.join("a"), folder.join("a/again")).unwrap();
    std::os::unix::fs::symlink(folder.join("a/main.tick"), folder.join("a/other.tick")).unwrap();
    fs::write(
        folder.join("a/main.tick"),
        "import \"again/main.tick\"\nmain tree M { success }\n",
    )
    .unwrap();
    fs::write(folder.join("a/two.tick"), "import \"one.tick\"\nimport \"again/one.tick\"\nimport \"again/again/one.tick\"\nmain tree M { One }\n").unwrap();
    fs::write(folder.join("a/one.tick"), "tree One { success }\n").unwrap();
    fs::write(
        folder.join("a/three.tick"),
        "import \"three.tick\"\nmain tree M { success }\n",
    )
    .unwrap();
    let load = |name: &str| {
        let path = folder.join(name).to_string_lossy().into_owned();
        tickseed_lang::load::load(&path, &tickseed_lang::load::Disk)
    };
    let (circle, twice, own) = (
        load("a/main.tick"),
        load("a/two.tick"),
        load("a/three.tick"),
    );
    fs::remove_dir_all(&folder).unwrap();
    for loaded in [circle, own] {
        assert_eq!(loaded.diagnostics.len(), 1, "{}", loaded.render());
        assert_eq!(loaded.diagnostics[0].code, "load::include-cycle");
    }
    // One file under three names is one file: its tree is no duplicate.
    assert!(twice.is_ok(), "{}", twice.render());
    assert_eq!(twice.documents.len(), 2);
    assert!(tree_messages(&twice, Duplicates::Error).is_empty());
}

#[test]
fn s07_marks_of_included_files_do_not_count_in_any_format() {
    let included = [
        ("sub.tick", "main tree S { success }\n"),
        (
            "sub.xml",
            "<root main_tree_to_execute='S'><BehaviorTree ID='S'><AlwaysSuccess/></BehaviorTree></root>",
        ),
        (
            "sub.json",
            r#"{"tickseed": 1, "main": "S", "items": [{"tree": {"name": "S", "body": [{"kind": "success"}]}}]}"#,
        ),
    ];
    for (path, text) in included {
        let xml = format!(
            "<root main_tree_to_execute='M'><include path='{path}'/><BehaviorTree ID='M'><SubTree ID='S'/></BehaviorTree></root>"
        );
        let tick = format!("import \"{path}\"\nmain tree M {{ subtree S }}\n");
        // One own tree and no mark: the file's only tree is meant.
        let unmarked = format!("import \"{path}\"\ntree M {{ subtree S }}\n");
        for (name, main) in [
            ("main.xml", &xml),
            ("main.tick", &tick),
            ("main.tick", &unmarked),
        ] {
            let loaded = load_files(&[(name, main), (path, text)]);
            assert!(loaded.is_ok(), "{}", loaded.render());
            let main = loaded.main_tree(Duplicates::Error).expect("a main tree");
            assert_eq!(main.tree.name, "M", "{name} {path}");
            let alone = load_files(&[(path, text)]);
            assert_eq!(
                alone
                    .main_tree(Duplicates::Error)
                    .expect("a main tree")
                    .tree
                    .name,
                "S"
            );
        }
    }
}

/// A project of Groot holds includes and descriptions only: the one tree that it includes is meant,
/// and of several none is guessed.
#[test]
fn s07_a_file_without_trees_runs_the_only_one_it_includes() {
    let project =
        "<root BTCPP_format='4' project_name='P'><include path='a.xml'/><TreeNodesModel/></root>";
    let tree = |id: &str| format!("<BehaviorTree ID='{id}'><AlwaysSuccess/></BehaviorTree>");
    let file = |trees: String| format!("<root BTCPP_format='4'>{trees}</root>");
    let one = file(tree("A"));
    let loaded = load_files(&[("p.btproj", project), ("a.xml", &one)]);
    let found = loaded.main_tree(Duplicates::Error).expect("the only tree");
    assert_eq!(found.tree.name, "A");
    let registry = Registry::<Board>::new();
    let built = from_loaded(loaded, &registry, &Options::default()).expect("it is built");
    assert_eq!(built.instances.len(), 1);

    let two = file(tree("A") + &tree("B"));
    let loaded = load_files(&[("p.btproj", project), ("a.xml", &two)]);
    let error = loaded.main_tree(Duplicates::Error).unwrap_err();
    assert_eq!(error.message, "the file has no tree of its own");
    let failed = from_loaded(loaded, &registry, &Options::default()).unwrap_err();
    let text = failed.to_string();
    assert!(
        text.contains("say which to run of those it includes: A, B"),
        "{text}"
    );
}

/// Three files define one tree: each mode gives one of them and all places are named.
#[test]
fn s08_duplicates_over_three_files_and_within_one() {
    let loaded = load_files(&[
        (
            "main.tick",
            "import \"a.tick\"\nimport \"b.tick\"\nmain tree M { T }\ntree T { FromMain }\n",
        ),
        ("a.tick", "tree T { FromA }\n"),
        ("b.tick", "\n\ntree T { FromB }\n"),
    ]);
    let kind = |mode| {
        let (trees, messages) = loaded.trees(mode);
        assert_eq!(messages.len(), 2, "{messages:?}");
        for (message, places) in messages
            .iter()
            .zip([["a.tick:1", "b.tick:3"], ["main.tick:4", ".tick:"]])
        {
            for place in places {
                assert!(message.message.contains(place), "{}", message.message);
            }
            assert_eq!(message.is_error(), mode == Duplicates::Error);
        }
        trees["T"].tree.body[0].kind.text.clone()
    };
    assert_eq!(kind(Duplicates::Replace), "FromMain");
    assert_eq!(kind(Duplicates::Keep), "FromA");
    assert_eq!(kind(Duplicates::Error), "FromA");
    let one = load_files(&[("t.tick", "tree T { A }\ntree T { B }\n")]);
    assert_eq!(
        tree_messages(&one, Duplicates::Error),
        [
            "2:6 two trees are called `T`: in t.tick:1 and in t.tick:2 (rename one, or choose which of them counts)"
        ]
    );
}
