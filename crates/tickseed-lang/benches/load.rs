//! How long it takes from a file of 2,000 nodes to a tree that runs, format by format, beside
//! roxmltree's bare parse of the same XML:
//! `cargo bench -p tickseed-lang --bench load`.
//!
//! The machine decides the microseconds, and other work on it adds to the median more than to the
//! fastest; the ratios to roxmltree, measured in turns with it, are what can be compared. The limits are those of the issue that asked for the formats, stated for a
//! machine on which roxmltree takes about half a millisecond.

use std::hint::black_box;
use std::time::{Duration, Instant};

use tickseed_core::Status;
use tickseed_lang::board::Board;
use tickseed_lang::build::{self, Options};
use tickseed_lang::load::{Memory, load};
use tickseed_lang::model::{
    Attribute, Category, Direction, Document, Item, KeyDecl, Keys, Literal, Name, Node, Span, Tree,
    Value,
};
use tickseed_lang::registry::{Model, PortModel, Registry};
use tickseed_lang::{binary, expr, fmt, xml};

/// How often each is measured; of the times the median counts.
const ROUNDS: usize = 101;

/// Groups of nine leaves with two arguments each.
fn sample(native: bool) -> Document {
    let span = Span::default();
    let (all, any) = if native {
        ("sequence", "selector")
    } else {
        ("Sequence", "Fallback")
    };
    let leaf = |i: usize| Node {
        name: i
            .is_multiple_of(3)
            .then(|| Name::from(format!("step {i}").as_str())),
        attributes: vec![
            Attribute::argument(Name::from("goal"), Value::key("target", span)),
            Attribute::argument(Name::from("tolerance"), Value::from_attribute("0.25", span)),
        ],
        ..Node::new("MoveToPose")
    };
    let group = |i: usize| Node {
        children: (0..9).map(|j| leaf(i * 9 + j)).collect(),
        ..Node::new(all)
    };
    let root = Node {
        children: (0..200).map(group).collect(),
        ..Node::new(any)
    };
    let tree = Tree {
        name: "Main".into(),
        body: vec![root],
        ..Tree::default()
    };
    let key = KeyDecl {
        name: "target".into(),
        initial: Some(Value::literal(Literal::Text("home".into()), span)),
        ..KeyDecl::default()
    };
    let keys = Keys {
        keys: vec![key],
        ..Keys::default()
    };
    let mut items = vec![Item::Tree(tree)];
    if native {
        items.insert(0, Item::Keys(keys));
    }
    Document {
        items,
        ..Document::default()
    }
}

fn registry() -> Registry<Board> {
    let mut registry = Registry::new();
    let model = Model::new("MoveToPose", Category::Action)
        .port(PortModel::new("goal", Direction::In, expr::Type::Text))
        .port(PortModel::new("tolerance", Direction::In, expr::Type::Float).or("0.1"));
    registry.node(model, |ports, _| {
        let goal = ports.input::<String>("goal")?;
        let tolerance = ports.input::<f64>("tolerance")?;
        let n = tickseed_core::nodes::<Board>();
        Some(n.action(ports.name.to_owned(), move |_| {
            black_box((&goal, &tolerance));
            Status::Running
        }))
    });
    registry
}

fn once(run: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    // `cargo test --benches` passes this: then one round shows that everything works.
    let rounds = if std::env::args().any(|a| a == "--test") {
        1
    } else {
        ROUNDS
    };
    let registry = registry();
    let native = sample(true);
    let foreign = sample(false);
    let xml_text = xml::write(&foreign);
    let mut files = Memory::default();
    files.add("a.xml", xml_text.clone());
    files.add("a.tick", fmt::format(&native));
    files.add("a.tickb", binary::write(&native));
    println!(
        "{:8} {:>9} {:>9} {:>11} {:>9} {:>9} {:>12}",
        "format", "read us", "load us", "fastest us", "limit us", "x limit", "x roxmltree"
    );
    for (name, limit) in [("a.xml", 5000), ("a.tick", 3000), ("a.tickb", 1000)] {
        let mut bare = || drop(black_box(roxmltree::Document::parse(&xml_text)));
        let mut read = || drop(black_box(load(name, &files)));
        let mut whole = || {
            let built = build::from_loaded(load(name, &files), &registry, &Options::default());
            assert!(
                built.is_ok(),
                "{:?}",
                built.err().map(|failed| failed.to_string())
            );
            drop(black_box(built));
        };
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        // In turns, so that what disturbs the machine disturbs all alike.
        for _ in 0..rounds {
            let runs: [&mut dyn FnMut(); 3] = [&mut bare, &mut read, &mut whole];
            for (run, times) in runs.into_iter().zip(&mut times) {
                times.push(once(run));
            }
        }
        let fastest = times[2].iter().min().copied().unwrap_or_default();
        let [bare, read, whole] = times.map(median);
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "{name:8} {:9.0} {:9.0} {:11.0} {limit:9} {:9.2} {:12.2}",
            us(read),
            us(whole),
            us(fastest),
            us(whole) / f64::from(limit),
            us(whole) / us(bare),
        );
    }
}
