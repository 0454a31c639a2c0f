//! `.tick`: no panic; what was read without errors is written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tickseed_lang::{fmt, model::FileId, tick};

fuzz_target!(|text: &str| {
    let parsed = tick::parse_text(text, FileId(0));
    if parsed.is_ok() {
        let written = fmt::format(&parsed.document);
        assert!(tick::parse_text(&written, FileId(0)).document.same_meaning(&parsed.document));
    }
});
