//! E: what editors do: load, change a little, save.

use crate::reading::{TEXT_FORMATS, good, through, write};
use tickseed_lang::model::{Document, Format, Item, Name, Node, Span, Value};
use tickseed_lang::xml;

fn corpus() -> Vec<(String, String)> {
    let shared = std::path::Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/corpus/xml"
    ));
    let Ok(folder) = std::fs::read_dir(shared) else {
        assert!(
            std::env::var_os("TICKSEED_REQUIRE_SHARED").is_none(),
            "{} is missing",
            shared.display()
        );
        eprintln!("skipped: the shared corpus is not here");
        return Vec::new();
    };
    let files = folder.filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some((name, std::fs::read_to_string(&path).ok()?))
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

/// Numbers that look random and are the same in every run, unless `TICKSEED_SEED` says otherwise.
struct Random(u64);

impl Random {
    fn new(offset: u64) -> Self {
        let seed = std::env::var("TICKSEED_SEED")
            .ok()
            .and_then(|s| s.parse().ok())
            .unwrap_or(1_u64);
        Random(
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ offset.wrapping_mul(0xD1B5_4A32_D192_ED03),
        )
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

fn count(node: &Node) -> usize {
    1 + node.children.iter().map(count).sum::<usize>()
}

fn nth(node: &mut Node, n: usize) -> Option<&mut Node> {
    if n == 0 {
        return Some(node);
    }
    let mut left = n - 1;
    for child in &mut node.children {
        let size = count(child);
        if left < size {
            return nth(child, left);
        }
        left -= size;
    }
    None
}

/// One edit as an editor would make it.
fn edit(document: &mut Document, donor: &Node, r: &mut Random) {
    let trees: Vec<usize> = (0..document.items.len())
        .filter(|&i| matches!(&document.items[i], Item::Tree(tree) if !tree.body.is_empty()))
        .collect();
    if trees.is_empty() {
        return;
    }
    let place = trees[r.below(trees.len())];
    let Item::Tree(tree) = &mut document.items[place] else {
        return;
    };
    if r.below(12) == 0 {
        tree.doc = Some("a new description\nof two lines".into());
        return;
    }
    let size = count(&tree.body[0]);
    let Some(node) = nth(&mut tree.body[0], r.below(size)) else {
        return;
    };
    let at = r.below(node.children.len() + 1);
    match r.below(9) {
        0 => node.children.insert(at, donor.clone()),
        1 if at < node.children.len() => drop(node.children.remove(at)),
        2 if node.children.len() > 1 => node.children.rotate_left(1),
        3 => node.name = Some(Name::from("a <new> & \"strange\" name")),
        4 => node.name = None,
        5 => {
            let n = r.below(node.attributes.len());
            if let Some(attribute) = node.attributes.get_mut(n).filter(|a| a.value.is_some()) {
                attribute.value = Some(Value::text("new 'text' < & \" {x}", Span::default()));
            }
        }
        6 if !node.attributes.is_empty() => {
            drop(node.attributes.remove(r.below(node.attributes.len())))
        }
        7 => node.attributes = donor.attributes.clone(),
        _ => node.disabled = !node.disabled,
    }
}

fn donors(files: &[(String, String)]) -> Vec<Node> {
    let nodes = files.iter().filter_map(|(_, text)| {
        let document = xml::read(
            text,
            tickseed_lang::model::FileId(0),
            &xml::Options::default(),
        )
        .0;
        document.trees().find_map(|tree| tree.body.first().cloned())
    });
    nodes.filter(|node| count(node) < 20).take(60).collect()
}

/// Every format tells the same of every edited file, and saving keeps all that was not edited.
#[test]
fn e05_edited_files_come_back_the_same_through_every_format() {
    let files = corpus();
    let donors = donors(&files);
    let rounds: u64 = std::env::var("TICKSEED_ROUNDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1);
    for (index, (name, text)) in files.iter().enumerate() {
        let (original, diagnostics) = xml::read(
            text,
            tickseed_lang::model::FileId(0),
            &xml::Options::default(),
        );
        if diagnostics.iter().any(|d| d.is_error()) {
            continue;
        }
        for round in 0..rounds {
            let mut r = Random::new(index as u64 * 1_000 + round);
            let mut document = original.clone();
            for _ in 0..=r.below(3) {
                let donor = &donors[r.below(donors.len())];
                edit(&mut document, donor, &mut r);
            }
            let saved = xml::update(text, &document);
            let (back, _) = xml::read(
                &saved,
                tickseed_lang::model::FileId(0),
                &xml::Options::default(),
            );
            assert!(
                back.same_meaning(&document),
                "{name} {round}: saved\n{saved}"
            );
            let mut chain = document.clone();
            for format in [
                Format::Tick,
                Format::Json,
                Format::Xml,
                Format::Binary,
                Format::Tick,
                Format::Xml,
            ] {
                let (next, messages) = through(format, &chain);
                assert!(
                    next.same_meaning(&document),
                    "{name} {round}: {format:?}\n{}\n{messages:#?}",
                    write(format, &chain)
                );
                chain = next;
            }
        }
    }
}

/// Nothing is added that was not there: no empty attributes, no defaults.
#[test]
fn e05_saving_adds_nothing() {
    for text in [
        "<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"A\">\n    <Act/>\n  </BehaviorTree>\n</root>\n",
        "<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"A\">\n    <Act p=\"\"/>\n  </BehaviorTree>\n  <TreeNodesModel>\n    <Action ID=\"Act\">\n      <input_port name=\"p\" default=\"7\"/>\n      <input_port name=\"q\" default=\"\"/>\n    </Action>\n  </TreeNodesModel>\n</root>\n",
    ] {
        let document = good(Format::Xml, text);
        for format in TEXT_FORMATS {
            let (back, _) = through(format, &document);
            let written = xml::write(&back);
            let written_body =
                written.trim_start_matches("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
            assert_eq!(
                written_body.matches("=\"").count(),
                text.matches("=\"").count(),
                "{format:?}\n{written}"
            );
            assert!(back.same_meaning(&document));
        }
        assert_eq!(xml::update(text, &document), text);
    }
}

/// A port of a subtree is changed: its body and all others stay.
#[test]
fn e05_changing_a_subtrees_port_keeps_the_rest() {
    let text = "<root BTCPP_format=\"4\">\n  <!-- one -->\n  <BehaviorTree ID=\"Main\">\n    <SubTree ID=\"Sub\" in=\"{a}\" out='{b}'/> <!-- use -->\n  </BehaviorTree>\n\n  <BehaviorTree ID=\"Sub\">\n    <Sequence> <!-- body -->\n      <Act x=\"{in}\"/>\n    </Sequence>\n  </BehaviorTree>\n</root>\n";
    let mut document = good(Format::Xml, text);
    let Item::Tree(tree) = &mut document.items[0] else {
        panic!("a tree")
    };
    tree.body[0].attributes[0].value = Some(Value::key("c", Span::default()));
    assert_eq!(xml::update(text, &document), text.replace("{a}", "{c}"));
}
