//! Binary: no panic, with the header as it comes and with a right one; what was read is written and
//! read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tickseed_lang::binary;

fuzz_target!(|data: &[u8]| {
    let _ = binary::read(data);
    if let Ok(document) = binary::read(&binary::seal(data)) {
        let bytes = binary::write(&document);
        assert_eq!(binary::write(&binary::read(&bytes).expect("written by us")), bytes);
    }
});
