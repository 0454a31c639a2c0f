//! JSON: no panic; what was read without errors is written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tickseed_lang::{json, model::FileId};

fuzz_target!(|text: &str| {
    let (document, diagnostics) = json::read(text, FileId(0));
    let written = json::write(&document);
    if diagnostics.is_empty() {
        assert_eq!(json::write(&json::read(&written, FileId(0)).0), written);
    }
});
