//! Snapshots of agents and herds as JSON text.
//!
//! The text names nodes by their paths and can be read, compared and kept under version control. It
//! has a version and a checksum; to edit it by hand, remove the line with the `sum`. Reading gives
//! back what was written, to the last bit.
//!
//! ```
//! use std::time::Duration;
//! use tickseed_core::{Status, Time, nodes};
//! use tickseed_record::snapshot;
//!
//! let tree = nodes::<()>().wait(Duration::from_secs(9)).named("rest").build()?;
//! let mut agent = tree.agent();
//! tree.tick(&mut agent, &mut (), Time::ZERO)?;
//! let text = snapshot::to_json(&tree.snapshot(&agent)?);
//! assert!(text.contains("\"path\": \"rest\""));
//!
//! // In another process, with the same tree or an edited one:
//! let (mut agent, report) = tree.restore(&snapshot::from_json(&text)?, Time::ZERO);
//! assert!(report.is_clean());
//! assert_eq!(tree.tick(&mut agent, &mut (), Time::from_millis(8999))?, Status::Running);
//! assert_eq!(tree.tick(&mut agent, &mut (), Time::from_millis(9000))?, Status::Success);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tickseed_core as core;
use tickseed_core::{Cadence, CatchUp, HerdOptions, Time};

const FORMAT: &str = "tickseed snapshot";
const VERSION: u64 = 1;

/// Why a text was not accepted as a snapshot.
#[derive(Debug)]
#[non_exhaustive]
pub enum SnapshotTextError {
    /// It is not JSON; where and why.
    Syntax(serde_json::Error),
    /// It is JSON, but its `format` is not that of a snapshot.
    Foreign,
    /// An unknown version.
    Version {
        /// The one found.
        found: u64,
        /// The known version.
        known: u64,
    },
    /// It is a snapshot of something else.
    Of {
        /// What it is a snapshot of.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// Something is missing, malformed or unknown.
    Content(serde_json::Error),
    /// The checksum does not fit: the text was changed.
    Sum {
        /// The one in the text.
        found: String,
        /// That of the text.
        expected: String,
    },
}

impl fmt::Display for SnapshotTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(e) => write!(f, "the snapshot is no JSON: {e}"),
            Self::Foreign => write!(f, "this is no snapshot: its `format` is not \"{FORMAT}\""),
            Self::Version { found, known } => write!(
                f,
                "the snapshot has version {found}, only {known} is known here"
            ),
            Self::Of { found, expected } => write!(
                f,
                "this is a snapshot of {found}, and one of {expected} is wanted"
            ),
            Self::Content(e) => write!(f, "the snapshot is damaged: {e}"),
            Self::Sum { found, expected } => write!(
                f,
                "the snapshot is damaged: its checksum is {expected}, and it says {found} (after an edit by hand, take the `sum` out)"
            ),
        }
    }
}

impl std::error::Error for SnapshotTextError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(e) | Self::Content(e) => Some(e),
            _ => None,
        }
    }
}

/// An agent's snapshot as text.
#[must_use]
pub fn to_json(snapshot: &core::Snapshot) -> String {
    write("agent", Agent::of(snapshot))
}

/// Reads what [`to_json`] wrote.
///
/// # Errors
/// The text is something else, of another version, or damaged.
pub fn from_json(text: &str) -> Result<core::Snapshot, SnapshotTextError> {
    Ok(read::<Agent>(text, "agent")?.into())
}

/// A herd's snapshot as text.
#[must_use]
pub fn herd_to_json(snapshot: &core::HerdSnapshot) -> String {
    write("herd", Herd::of(snapshot))
}

/// Reads what [`herd_to_json`] wrote.
///
/// # Errors
/// The text is something else, of another version, or damaged.
pub fn herd_from_json(text: &str) -> Result<core::HerdSnapshot, SnapshotTextError> {
    Ok(read::<Herd>(text, "herd")?.into())
}

#[derive(Serialize)]
struct File<T> {
    format: &'static str,
    version: u64,
    of: &'static str,
    sum: String,
    content: T,
}

fn write<T: Serialize>(of: &'static str, content: T) -> String {
    let file = File {
        format: FORMAT,
        version: VERSION,
        of,
        sum: sum(&content),
        content,
    };
    serde_json::to_string_pretty(&file).unwrap_or_default()
}

fn read<T: Serialize + DeserializeOwned>(
    text: &str,
    expected: &'static str,
) -> Result<T, SnapshotTextError> {
    let mut file: serde_json::Value =
        serde_json::from_str(text).map_err(SnapshotTextError::Syntax)?;
    if file["format"] != FORMAT {
        return Err(SnapshotTextError::Foreign);
    }
    match file["version"].as_u64() {
        Some(VERSION) => {}
        found => {
            return Err(SnapshotTextError::Version {
                found: found.unwrap_or(0),
                known: VERSION,
            });
        }
    }
    if file["of"] != expected {
        let found = file["of"].as_str().unwrap_or("nothing known").to_owned();
        return Err(SnapshotTextError::Of { found, expected });
    }
    let said = file["sum"].as_str().map(str::to_owned);
    let content = file["content"].take();
    let content: T = serde_json::from_value(content).map_err(SnapshotTextError::Content)?;
    let expected = sum(&content);
    match said {
        Some(found) if found != expected => Err(SnapshotTextError::Sum { found, expected }),
        _ => Ok(content),
    }
}

/// A checksum of the content, independent of layout (FNV-1a).
fn sum(content: &impl Serialize) -> String {
    let text = serde_json::to_vec(content).unwrap_or_default();
    let sum = text.iter().fold(0xcbf2_9ce4_8422_2325u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{sum:016x}")
}

/// A number that uses all its bits, which not every reader of JSON keeps.
#[derive(Clone, Copy)]
struct Bits(u64);

impl Serialize for Bits {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&format!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        match u64::from_str_radix(&text, 16) {
            Ok(bits) if text.len() == 16 => Ok(Bits(bits)),
            _ => Err(serde::de::Error::custom(format!(
                "`{text}` is not sixteen hexadecimal digits"
            ))),
        }
    }
}

/// Bytes in hexadecimal digits.
struct Hex(Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(self.0.len() * 2);
        for byte in &self.0 {
            let _ = write!(text, "{byte:02x}");
        }
        s.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        let digits: Option<Vec<u8>> = text
            .chars()
            .map(|c| c.to_digit(16).map(|d| d as u8))
            .collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => {
                Ok(Hex(digits.chunks(2).map(|d| d[0] << 4 | d[1]).collect()))
            }
            _ => Err(serde::de::Error::custom(format!(
                "`{text}` is not pairs of hexadecimal digits"
            ))),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Agent {
    tree: Bits,
    random: Bits,
    last_tick_ns: Option<u64>,
    nodes: Vec<Node>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    path: String,
    node: u32,
    kind: String,
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    children: Vec<String>,
    active: bool,
    resumes: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    state: Vec<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    history: Vec<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Value {
    DeadlineNs(u64),
    Number(u32),
    Bytes(Hex),
    Children(Vec<u8>),
    Child(u32),
}

impl Value {
    fn of(value: &core::Value) -> Value {
        match value {
            core::Value::Deadline(bits) => Value::DeadlineNs(*bits),
            core::Value::Number(n) => Value::Number(*n),
            core::Value::Bytes(bytes) => Value::Bytes(Hex(bytes.clone())),
            core::Value::Children(bytes) => Value::Children(bytes.clone()),
            core::Value::Child(n) => Value::Child(*n),
        }
    }
}

impl From<Value> for core::Value {
    fn from(value: Value) -> Self {
        match value {
            Value::DeadlineNs(bits) => core::Value::Deadline(bits),
            Value::Number(n) => core::Value::Number(n),
            Value::Bytes(Hex(bytes)) => core::Value::Bytes(bytes),
            Value::Children(bytes) => core::Value::Children(bytes),
            Value::Child(n) => core::Value::Child(n),
        }
    }
}

impl Agent {
    fn of(snapshot: &core::Snapshot) -> Agent {
        let node = |n: &core::NodeState| Node {
            path: n.path.clone(),
            node: n.node,
            kind: n.kind.clone(),
            name: n.name.clone(),
            children: n.children.clone(),
            active: n.active,
            resumes: n.resumes,
            state: n.state.iter().map(Value::of).collect(),
            history: n.history.iter().map(Value::of).collect(),
        };
        Agent {
            tree: Bits(snapshot.tree),
            random: Bits(snapshot.rng),
            last_tick_ns: snapshot.last.map(|t| t.0),
            nodes: snapshot.nodes.iter().map(node).collect(),
        }
    }
}

impl From<Agent> for core::Snapshot {
    fn from(agent: Agent) -> Self {
        let node = |n: Node| core::NodeState {
            node: n.node,
            path: n.path,
            kind: n.kind,
            name: n.name,
            children: n.children,
            active: n.active,
            resumes: n.resumes,
            state: n.state.into_iter().map(Into::into).collect(),
            history: n.history.into_iter().map(Into::into).collect(),
        };
        core::Snapshot {
            tree: agent.tree.0,
            rng: agent.random.0,
            last: agent.last_tick_ns.map(Time),
            nodes: agent.nodes.into_iter().map(node).collect(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Herd {
    tree: Bits,
    capacity: usize,
    fixed: bool,
    seed: Bits,
    streams: bool,
    ticks: u64,
    last_tick_ns: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    levels: Vec<Level>,
    events: Option<Events>,
    generations: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    retired: Vec<u32>,
    agents: Vec<Member>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Level {
    period_ns: u64,
    /// The longest burst; if absent, missed ticks are skipped.
    burst: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Events {
    granule_bits: u32,
    granule: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_last_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_ns: Option<u64>,
    asleep: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    timer: Option<u64>,
    state: Agent,
}

impl Herd {
    fn of(herd: &core::HerdSnapshot) -> Herd {
        let level = |level: &Cadence| Level {
            period_ns: level.period().as_nanos() as u64,
            burst: match level.missed() {
                CatchUp::Skip => None,
                CatchUp::Burst(most) => Some(most),
            },
        };
        let member = |agent: &core::AgentSnapshot| Member {
            index: agent.index,
            own_last_ns: agent.own_last.map(|t| t.0),
            level: agent.level.map(|l| l.0),
            due_ns: agent.level.map(|l| l.1.0),
            asleep: agent.asleep,
            timer: agent.timer,
            state: Agent::of(&agent.state),
        };
        Herd {
            tree: Bits(herd.tree),
            capacity: herd.options.capacity,
            fixed: herd.options.fixed,
            seed: Bits(herd.options.seed),
            streams: herd.options.streams,
            ticks: herd.ticks,
            last_tick_ns: herd.last.map(|t| t.0),
            levels: herd.levels.iter().map(level).collect(),
            events: herd.events.map(|(granule_bits, granule)| Events {
                granule_bits,
                granule,
            }),
            generations: herd.generations.clone(),
            retired: herd.retired.clone(),
            agents: herd.agents.iter().map(member).collect(),
        }
    }
}

impl From<Herd> for core::HerdSnapshot {
    fn from(herd: Herd) -> Self {
        let level = |level: Level| {
            let catch_up = level.burst.map_or(CatchUp::Skip, CatchUp::Burst);
            Cadence::every(Duration::from_nanos(level.period_ns)).catch_up(catch_up)
        };
        let member = |m: Member| core::AgentSnapshot {
            index: m.index,
            own_last: m.own_last_ns.map(Time),
            level: m.level.map(|level| (level, Time(m.due_ns.unwrap_or(0)))),
            asleep: m.asleep,
            timer: m.timer,
            state: m.state.into(),
        };
        core::HerdSnapshot {
            tree: herd.tree.0,
            options: HerdOptions {
                capacity: herd.capacity,
                fixed: herd.fixed,
                seed: herd.seed.0,
                streams: herd.streams,
            },
            ticks: herd.ticks,
            last: herd.last_tick_ns.map(Time),
            levels: herd.levels.into_iter().map(level).collect(),
            events: herd.events.map(|e| (e.granule_bits, e.granule)),
            generations: herd.generations,
            retired: herd.retired,
            agents: herd.agents.into_iter().map(member).collect(),
        }
    }
}
