//! From text to a tree that runs: no panic in building or in ticks, whatever the file says. The
//! first byte decides whether it is read as `.tick` or as XML.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tickseed_core::Time;
use tickseed_lang::build::{self, Options};
use tickseed_lang::load::{Memory, load_text};
use tickseed_lang::simulate::{Plan, Sim, registry};

fuzz_target!(|text: &str| {
    let Some(first) = text.bytes().next() else {
        return;
    };
    let name = if first.is_ascii_uppercase() || first == b'<' { "a.xml" } else { "a.tick" };
    let text = text.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(text);
    let files = load_text(name, text, &Memory::default());
    let registry = registry(&files.documents, &Plan::default());
    let mut options = Options::default();
    options.max_nodes = 2_000;
    options.every_node = first % 2 == 0;
    let Ok(loaded) = build::from_loaded(files, &registry, &options) else {
        return;
    };
    let mut agent = loaded.tree.agent();
    let mut sim = Sim::new(loaded.board());
    for i in 0..8 {
        if loaded.tree.tick(&mut agent, &mut sim, Time::from_millis(i * 250)).is_err() {
            let _ = loaded.tree.recover(&mut agent, &mut sim, Time::from_millis(i * 250));
        }
    }
    let _ = loaded.tree.halt(&mut agent, &mut sim, Time::from_millis(9_000));
    let (saved, _) = sim.board.save();
    let mut fresh = loaded.board();
    assert!(fresh.restore(&saved).is_ok(), "{saved}");
});
