//! Golden traces: the same commands give the same ticks here and in the page's engine, which
//! runs them in `crates/tickseed-studio/web/test/engine.test.mjs`.
//!
//! `TICKSEED_MINT=1 cargo test -p tickseed-play --test golden` writes them anew; say why in the
//! commit.

use serde_json::{Value, json};
use tickseed_play::Player;

/// Every one of so many ticks is kept, and every one with an input.
const EVERY: u64 = 25;

fn file() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden.json")
}

/// What a story's ticks did.
fn played(story: &Value) -> Vec<Value> {
    let mut player = Player::default();
    let mut kept = Vec::new();
    for command in story["commands"].as_array().unwrap() {
        let answer = player.handle_json(command.to_string().as_bytes());
        let events: Vec<Value> = serde_json::from_str(&answer).unwrap();
        for event in events {
            assert_ne!(event["event"], "error", "{command}: {event}");
            let input = !event["inputs"].is_null();
            let tick = event["tick"].as_u64().unwrap_or(1);
            if event["event"] == "tick" && (input || tick.is_multiple_of(EVERY)) {
                kept.push(json!({
                    "tick": tick,
                    "status": event["status"],
                    "leaves": event["leaves"],
                    "deciding": event["deciding"],
                    "fingerprint": event["fingerprint"],
                }));
            }
        }
    }
    kept
}

#[test]
fn golden_traces_are_played_again() {
    let text = std::fs::read_to_string(file()).unwrap();
    let mut stories: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(stories.len(), tickseed_worlds::WORLDS.len());
    if std::env::var_os("TICKSEED_MINT").is_some() {
        for story in &mut stories {
            story["ticks"] = played(story).into();
        }
        let lines: Vec<String> = stories.iter().map(Value::to_string).collect();
        std::fs::write(file(), format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
        return;
    }
    for story in &stories {
        let ticks = played(story);
        assert!(ticks.len() > 10, "{}", story["commands"][0]);
        for (expected, found) in story["ticks"].as_array().unwrap().iter().zip(&ticks) {
            assert_eq!(expected, found, "{}", story["commands"][0]);
        }
        assert_eq!(story["ticks"].as_array().unwrap().len(), ticks.len());
    }
}
