//! Changes of keys, and their current values.

use std::collections::BTreeMap;

use tickseed_core::{KeyId, TickReport};

use crate::message::{KeyChange, Tick, Value, Writer};

/// The differences between two states of the keys; for the first state, all keys that are set.
/// `writer` returns what gave a key its new value.
///
/// ```
/// use tickseed_record::{key_changes, message::Value};
/// let mut known = Vec::new();
/// assert_eq!(key_changes(&mut known, [Value::Int(1), Value::Bool(true)], |_| None).len(), 2);
/// let changed = key_changes(&mut known, [Value::Int(1), Value::Bool(false)], |_| None);
/// assert_eq!((changed.len(), changed[0].key), (1, 1));
/// ```
pub fn key_changes(
    known: &mut Vec<Value>,
    now: impl IntoIterator<Item = Value>,
    writer: impl Fn(u32) -> Option<Writer>,
) -> Vec<KeyChange> {
    let mut changes = Vec::new();
    for (i, value) in now.into_iter().enumerate() {
        match known.get_mut(i) {
            Some(known) if known.same(&value) => continue,
            Some(known) => known.clone_from(&value),
            None => known.push(value.clone()),
        }
        let key = i as u32;
        changes.push(KeyChange {
            key,
            value,
            writer: writer(key),
            since: None,
        });
    }
    changes
}

/// The node that gave a key its value in a traced tick, as [`key_changes`] asks for it.
#[must_use]
pub fn writer_in(report: &TickReport, key: u32) -> Option<Writer> {
    let key = KeyId(u16::try_from(key).ok()?);
    report.writer(key).map(|node| Writer::Node(node.0))
}

/// The values of an agent's keys, and who wrote them and when, assembled from its ticks.
///
/// ```
/// use tickseed_record::KnownKeys;
/// use tickseed_record::message::{KeyChange, Tick, Value, Writer};
/// let wrote = |tick, value, node| Tick {
///     tick,
///     keys: vec![KeyChange {
///         key: 3,
///         value: Value::Int(value),
///         writer: Some(Writer::Node(node)),
///         since: None,
///     }],
///     ..Tick::default()
/// };
/// let mut keys = KnownKeys::default();
/// keys.take(&wrote(7, 1, 5));
/// keys.take(&wrote(9, 2, 6));
/// let now = keys.at(12);
/// assert_eq!(now[0].writer, Some(Writer::Node(6)));
/// assert_eq!(now[0].since, Some(9));
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct KnownKeys(pub(crate) BTreeMap<u32, KeyChange>);

impl KnownKeys {
    /// Takes in the agent's next tick.
    pub fn take(&mut self, tick: &Tick) {
        for change in &tick.keys {
            let mut change = change.clone();
            change.since = change.since.or(Some(tick.tick));
            self.0.insert(change.key, change);
        }
    }

    /// All keys, in the form for the tick with this number if it is to hold all keys.
    #[must_use]
    pub fn at(&self, tick: u64) -> Vec<KeyChange> {
        let all = self.0.values().cloned();
        all.map(|change| KeyChange {
            since: change.since.filter(|t| *t != tick),
            ..change
        })
        .collect()
    }

    /// Forgets everything, for a different tree or agent.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
