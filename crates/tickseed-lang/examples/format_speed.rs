//! How long each format takes to read and write a tree of 2,000 nodes:
//! `cargo run --profile fast -p tickseed-lang --example format_speed`.

use std::time::{Duration, Instant};
use tickseed_lang::model::{Attribute, Document, FileId, Item, Name, Node, Span, Tree, Value};
use tickseed_lang::{binary, fmt, json, tick, xml};

/// 2,000 nodes as files have them: groups of ten leaves, two arguments each.
fn sample() -> Document {
    let span = Span::default();
    let leaf = |i: usize| Node {
        name: i
            .is_multiple_of(3)
            .then(|| Name::from(format!("step {i}").as_str())),
        attributes: vec![
            Attribute::argument(Name::from("goal"), Value::key("target_pose", span)),
            Attribute::argument(Name::from("tolerance"), Value::from_attribute("0.25", span)),
        ],
        ..Node::new("MoveToPose")
    };
    let group = |i: usize| Node {
        children: (0..9).map(|j| leaf(i * 9 + j)).collect(),
        ..Node::new("Sequence")
    };
    let root = Node {
        children: (0..200).map(group).collect(),
        ..Node::new("Fallback")
    };
    let tree = Tree {
        name: "Main".into(),
        body: vec![root],
        ..Tree::default()
    };
    Document {
        items: vec![Item::Tree(tree)],
        ..Document::default()
    }
}

/// The best of many runs: the one the machine disturbed least. Dropping the result does not count.
fn best<T>(mut run: impl FnMut() -> T) -> Duration {
    let times = (0..100).map(|_| {
        let start = Instant::now();
        let result = std::hint::black_box(run());
        let time = start.elapsed();
        drop(result);
        time
    });
    times.min().unwrap_or_default()
}

fn main() {
    let document = sample();
    let options = xml::Options::default();
    let xml_text = xml::write(&document);
    let json_text = json::write(&document);
    let tick_text = fmt::format(&document);
    let bytes = binary::write(&document);
    println!("format      bytes   read us  write us");
    let row = |name: &str, size: usize, read: Duration, write: Duration| {
        println!(
            "{name:8} {size:8} {:9} {:9}",
            read.as_micros(),
            write.as_micros()
        );
    };
    let read = best(|| xml::read(&xml_text, FileId(0), &options));
    row("xml", xml_text.len(), read, best(|| xml::write(&document)));
    let syntax = best(|| xml::syntax::Syntax::parse(&xml_text, options.limits));
    row("xml syntax", xml_text.len(), syntax, Duration::ZERO);
    let read = best(|| json::read(&json_text, FileId(0)));
    row(
        "json",
        json_text.len(),
        read,
        best(|| json::write(&document)),
    );
    let read = best(|| tick::parse_text(&tick_text, FileId(0)));
    row(
        "tick",
        tick_text.len(),
        read,
        best(|| fmt::format(&document)),
    );
    let read = best(|| binary::read(&bytes));
    row(
        "binary",
        bytes.len(),
        read,
        best(|| binary::write(&document)),
    );
    let same = best(|| xml::update(&xml_text, &document));
    println!("saving an unchanged xml file: {} us", same.as_micros());
}
