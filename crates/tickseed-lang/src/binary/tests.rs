use super::*;
use crate::model::arbitrary::{self, Random};
use crate::model::{Attribute, Item, Name, Node, Span, Tree, Value};

#[test]
fn random_documents_come_back_whole() {
    for seed in arbitrary::seeds(3_000) {
        let document = arbitrary::document(seed);
        let bytes = write(&document);
        let back = read(&bytes).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(back.same_meaning(&document), "seed {seed}");
        // Comments and order of attributes too: the bytes are the same again.
        assert_eq!(write(&back), bytes, "seed {seed}");
    }
}

#[test]
fn every_damaged_byte_and_every_cut_is_noticed() {
    let mut documents = (0..).map(|seed| write(&arbitrary::document(seed)));
    let bytes = documents.find(|bytes| bytes.len() > 400).unwrap();
    assert!(read(&bytes).is_ok());
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            assert!(read(&damaged).is_err(), "byte {at} bit {bit}");
        }
        assert!(read(&bytes[..at]).is_err());
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(matches!(
        read(&longer),
        Err(BinaryError::WrongLength { .. })
    ));
}

/// Behind a right checksum anything may stand, too: a faulty or hostile writer.
#[test]
fn mutated_payloads_never_panic() {
    let mut r = Random::new(7 + arbitrary::lot());
    let mut understood = 0;
    for seed in arbitrary::seeds(4_000) {
        let mut payload = write(&arbitrary::document(seed)).split_off(HEADER);
        for _ in 0..=r.below(3) {
            let at = r.below(payload.len());
            match r.below(4) {
                0 => payload.truncate(at + 1),
                1 => payload.insert(at, r.next() as u8),
                2 => payload[at] = 0xFF,
                _ => payload[at] = r.next() as u8,
            }
        }
        if let Ok(document) = read(&seal(&payload)) {
            understood += 1;
            // Bytes, not documents: a number that is none (NaN) does not equal itself.
            let bytes = write(&document);
            assert_eq!(write(&read(&bytes).unwrap()), bytes);
        }
    }
    assert!(
        understood > 50,
        "the test no longer reaches valid payloads: {understood}"
    );
}

#[test]
fn small_inputs_cannot_ask_for_much() {
    let invalid = |payload: &[u8]| match read(&seal(payload)) {
        Err(BinaryError::Invalid { expected, .. }) => expected,
        other => panic!("{other:?}"),
    };
    let huge = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F];
    // A table with endless strings, one endless string, endless items, a number beyond 64 bits.
    assert_eq!(invalid(&huge), "a smaller number");
    assert_eq!(invalid(&[1, 0xFF, 0x7F]), "a short string");
    assert_eq!(
        invalid(&[&[0, 0, 0][..], &huge].concat()),
        "a smaller number"
    );
    assert_eq!(invalid(&[0xFF; 12]), "a number of 64 bits");
    assert_eq!(invalid(&[]), "a byte");
    // Parts: version; a string far longer than the data.
    assert_eq!(invalid(&[0, 1, 0xFF, 0xFF, 0x7F]), "more bytes");
    assert_eq!(invalid(&[0, 1, 0x02]), "a shared string");
    assert_eq!(invalid(&[1, 1, 0xFF, 0]), "UTF-8");
}

/// A byte of input for each of millions of attributes, which are far larger in memory.
#[test]
fn things_are_counted() {
    let mut payload = vec![0, 0, 0x81, 0x80, 0x80, 0x02];
    payload.resize(payload.len() + MAX_THINGS + 10, 0);
    assert_eq!(
        read(&seal(&payload)),
        Err(BinaryError::TooLarge { limit: MAX_THINGS })
    );
}

#[test]
fn deep_nodes_are_refused() {
    let nested = |depth: usize| {
        let node = (1..depth).fold(Node::new("a"), |child, _| Node {
            children: vec![child],
            ..Node::new("a")
        });
        write(&document_of(vec![node]))
    };
    assert!(read(&nested(256)).is_ok());
    assert!(matches!(
        read(&nested(257)),
        Err(BinaryError::Invalid { .. })
    ));
    // 100,000 levels as a hostile writer would write them: one shared string "a", then for each
    // level "has children", the kind, one child.
    let mut payload = vec![1, 1, b'a', 0, 0, 1, 1, 0, 0, 0, 0, 0, 1];
    payload.extend([0x10, 0, 1].repeat(100_000));
    assert!(matches!(
        read(&seal(&payload)),
        Err(BinaryError::Invalid {
            expected: "less deeply nested nodes",
            ..
        })
    ));
}

#[test]
fn other_files_and_newer_versions_are_named() {
    assert_eq!(read(b""), Err(BinaryError::NotTickseed));
    assert_eq!(read(b"<root/>"), Err(BinaryError::NotTickseed));
    assert!(!is_binary(b"tree A {}") && is_binary(&write(&Document::default())));
    let mut newer = write(&Document::default());
    newer[8] = 2;
    let error = read(&newer).unwrap_err();
    assert_eq!(error, BinaryError::NewerVersion { found: 2 });
    assert!(error.to_string().contains("version 2"));
}

fn document_of(body: Vec<Node>) -> Document {
    let tree = Tree {
        name: "Main".into(),
        body,
        ..Tree::default()
    };
    Document {
        items: vec![Item::Tree(tree)],
        ..Document::default()
    }
}

/// A file of version 1 as it was written when version 1 was new: it must be read for ever.
#[test]
fn version_1_stays_readable() {
    let leaf = Node {
        name: Some("go".into()),
        attributes: vec![Attribute::argument(
            Name::from("goal"),
            Value::key("target", Span::default()),
        )],
        ..Node::new("MoveTo")
    };
    let document = document_of(vec![Node {
        children: vec![leaf],
        ..Node::new("Inverter")
    }]);
    let golden: &[u8] = include_bytes!("../../testdata/v1.tickb");
    assert!(read(golden).unwrap().same_meaning(&document));
    assert_eq!(
        write(&document),
        golden,
        "the format changed: raise the version and keep the old file"
    );
}

#[test]
fn large_documents_stay_small() {
    let leaf = |i: usize| Node {
        name: Some(Name::from(format!("step {i}").as_str())),
        attributes: vec![Attribute::argument(
            Name::from("goal"),
            Value::key("target", Span::default()),
        )],
        ..Node::new("MoveTo")
    };
    let document = document_of((0..70_000).map(leaf).collect());
    let bytes = write(&document);
    assert!(bytes.len() < 70_000 * 24, "{}", bytes.len());
    assert!(read(&bytes).unwrap().same_meaning(&document));
}
