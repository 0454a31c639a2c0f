//! XML: no panic; what was read without syntax errors is written and read back the same; saving
//! without an edit is the identity.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tickseed_lang::{model::FileId, xml};

fuzz_target!(|text: &str| {
    let read = |text: &str| xml::read(text, FileId(0), &xml::Options::default());
    let (document, diagnostics) = read(text);
    assert_eq!(xml::update(text, &document), text);
    if !diagnostics.iter().any(|d| d.code == "xml::syntax" || d.code == "xml::no-root") {
        assert!(read(&xml::write(&document)).0.same_meaning(&document));
    }
});
