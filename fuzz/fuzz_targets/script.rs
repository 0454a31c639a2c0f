//! Scripts of both dialects: no panic in reading, checking and running; an expression of `.tick` is
//! printed and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tickseed_core::Time;
use tickseed_lang::board::Board;
use tickseed_lang::build::{Options, from_documents};
use tickseed_lang::expr::parse_expression;
use tickseed_lang::model::{
    Attribute, Dialect, Document, Format, Item, Name, Node, SourceMap, Span, Tree, Value,
};
use tickseed_lang::registry::Registry;

fn run(text: &str, dialect: Dialect) {
    let value = Value::code(text, dialect, Span::default());
    let node = match dialect {
        Dialect::BtCpp => Node {
            attributes: vec![Attribute::argument(Name::from("code"), value)],
            ..Node::new("Script")
        },
        Dialect::Tick => Node {
            attributes: vec![Attribute::positional(value)],
            ..Node::new("set")
        },
    };
    let tree = Tree { name: "Main".into(), body: vec![node], ..Tree::default() };
    let format = match dialect {
        Dialect::BtCpp => Format::Xml,
        Dialect::Tick => Format::Tick,
    };
    let document = Document { format, items: vec![Item::Tree(tree)], ..Document::default() };
    let registry = Registry::<Board>::new();
    let documents = [document];
    let Ok(loaded) = from_documents(&documents, SourceMap::new(), &registry, &Options::default())
    else {
        return;
    };
    let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
    for i in 0..3 {
        let now = Time::from_millis(i);
        if loaded.tree.tick(&mut agent, &mut board, now).is_err() {
            let _ = loaded.tree.recover(&mut agent, &mut board, now);
        }
    }
}

fuzz_target!(|text: &str| {
    run(text, Dialect::BtCpp);
    run(text, Dialect::Tick);
    if let Ok(expr) = parse_expression(text, Span::default()) {
        let printed = expr.to_string();
        let again = parse_expression(&printed, Span::default()).expect("printed by us");
        assert_eq!(again.to_string(), printed);
    }
});
