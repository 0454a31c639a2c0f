//! The lines of `docs/protocol.md` are what is really sent and understood.

use serde_json::Value;
use tickseed_record::message::{Event, Request};

/// Whether everything in `shown` stands in `told` as well: what is told may say more, since
/// the page leaves out what has its usual value.
fn within(shown: &Value, told: &Value) -> bool {
    match (shown, told) {
        (Value::Object(a), Value::Object(b)) => a.iter().all(|(k, v)| match b.get(k) {
            Some(w) => within(v, w),
            None => v.as_array().is_some_and(Vec::is_empty),
        }),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| within(a, b))
        }
        (a, b) => a == b,
    }
}

#[test]
fn every_line_of_the_page_is_understood_and_said_the_same_way() {
    let page = include_str!("../../../docs/protocol.md");
    let (mut events, mut requests) = (0, 0);
    for line in page.lines().filter(|l| l.starts_with('{')) {
        let shown: Value = serde_json::from_str(line).unwrap();
        let told = if shown.get("event").is_some() {
            events += 1;
            let event: Event = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            serde_json::to_value(event).unwrap()
        } else {
            requests += 1;
            let request: Request =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            serde_json::to_value(request).unwrap()
        };
        assert!(within(&shown, &told), "{line}\nis told as\n{told}");
    }
    assert!(events >= 15 && requests >= 25, "{events} {requests}");
}

#[test]
fn what_is_not_known_is_passed_over_or_refused() {
    let more = r#"{"event":"done","id":1,"colour":"blue"}"#;
    assert!(serde_json::from_str::<Event>(more).is_ok());
    let unknown = r#"{"do":"fly"}"#;
    let refusal = serde_json::from_str::<Request>(unknown).unwrap_err();
    assert!(refusal.to_string().contains("fly"), "{refusal}");
}
