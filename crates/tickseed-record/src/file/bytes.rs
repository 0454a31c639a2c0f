//! Numbers and ticks as bytes.

use crate::message::{Failure, KeyChange, Outside, Status, Step, Tick, Value, Writer};

/// Bytes that are no tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Garbled;

/// Reads from the front of bytes.
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl Bytes<'_> {
    pub(super) fn byte(&mut self) -> Result<u8, Garbled> {
        let (first, rest) = self.0.split_first().ok_or(Garbled)?;
        self.0 = rest;
        Ok(*first)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Garbled> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Garbled)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn number(&mut self) -> Result<u64, Garbled> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(Garbled)
    }

    pub(super) fn small(&mut self) -> Result<u32, Garbled> {
        u32::try_from(self.number()?).map_err(|_| Garbled)
    }

    fn signed(&mut self) -> Result<i64, Garbled> {
        let n = self.number()?;
        Ok((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    /// How many things follow; never more than there are bytes left.
    pub(super) fn count(&mut self) -> Result<usize, Garbled> {
        let n = usize::try_from(self.number()?).map_err(|_| Garbled)?;
        if n <= self.0.len() {
            Ok(n)
        } else {
            Err(Garbled)
        }
    }

    fn text(&mut self) -> Result<String, Garbled> {
        let n = self.count()?;
        let (text, rest) = self.0.split_at(n);
        self.0 = rest;
        String::from_utf8(text.to_vec()).map_err(|_| Garbled)
    }

    fn status(&mut self) -> Result<Option<Status>, Garbled> {
        Ok(match self.byte()? {
            0 => Some(Status::Success),
            1 => Some(Status::Failure),
            2 => Some(Status::Running),
            3 => Some(Status::Skipped),
            4 => None,
            _ => return Err(Garbled),
        })
    }

    pub(super) fn value(&mut self) -> Result<Value, Garbled> {
        Ok(match self.byte()? {
            0 => Value::Null,
            1 => Value::Bool(false),
            2 => Value::Bool(true),
            3 => Value::Int(self.signed()?),
            4 => Value::Float(f32::from_le_bytes(self.take()?).into()),
            5 => Value::Float(f64::from_le_bytes(self.take()?)),
            6 => Value::Text(self.text()?),
            _ => return Err(Garbled),
        })
    }
}

pub(super) fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn put_signed(out: &mut Vec<u8>, n: i64) {
    put_number(out, (n << 1) as u64 ^ (n >> 63) as u64);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn put_status(out: &mut Vec<u8>, status: Option<Status>) {
    out.push(match status {
        Some(Status::Success) => 0,
        Some(Status::Failure) => 1,
        Some(Status::Running) => 2,
        Some(Status::Skipped) => 3,
        None => 4,
    });
}

pub(super) fn put_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.push(0),
        Value::Bool(b) => out.push(1 + u8::from(*b)),
        Value::Int(i) => {
            out.push(3);
            put_signed(out, *i);
        }
        // Most floats of games are single precision: half the bytes.
        Value::Float(f) if f64::from(*f as f32).to_bits() == f.to_bits() => {
            out.push(4);
            out.extend((*f as f32).to_le_bytes());
        }
        Value::Float(f) => {
            out.push(5);
            out.extend(f.to_le_bytes());
        }
        Value::Text(t) => {
            out.push(6);
            put_text(out, t);
        }
    }
}

/// What a tick is written relative to: the one before it, and the agent's last one, both in
/// the same chunk.
#[derive(Clone, Copy, Default)]
pub(super) struct Before<'t> {
    pub(super) tick: u64,
    pub(super) time: u64,
    pub(super) of_agent: Option<&'t Tick>,
}

const SAME: u8 = 1;
const HALTED: u8 = 2;
const KEYS: u8 = 4;
const INPUTS: u8 = 8;
const FAILURE: u8 = 16;
const HEX: u8 = 32;
const TEXT: u8 = 64;

fn same(a: &Tick, b: &Tick) -> bool {
    a.status == b.status
        && a.leaves == b.leaves
        && a.extra == b.extra
        && a.decided == b.decided
        && a.deciding == b.deciding
}

/// A fingerprint in its usual form: sixteen digits.
fn hex(text: &str) -> Option<u64> {
    let n = u64::from_str_radix(text, 16).ok()?;
    (format!("{n:016x}") == text).then_some(n)
}

pub(super) fn put_tick(out: &mut Vec<u8>, t: &Tick, before: Before<'_>) {
    let mut flags = 0;
    let same = before.of_agent.is_some_and(|b| same(b, t));
    let fingerprint = t.fingerprint.as_deref();
    let number = fingerprint.and_then(hex);
    for (flag, set) in [
        (SAME, same),
        (HALTED, !t.halted.is_empty()),
        (KEYS, !t.keys.is_empty()),
        (INPUTS, !t.inputs.is_empty()),
        (FAILURE, t.failure.is_some()),
        (HEX, number.is_some()),
        (TEXT, number.is_none() && fingerprint.is_some()),
    ] {
        flags |= flag * u8::from(set);
    }
    out.push(flags);
    put_number(out, t.agent.into());
    put_signed(out, t.tick.wrapping_sub(before.tick) as i64);
    put_signed(out, t.time.wrapping_sub(before.time) as i64);
    if !same {
        put_status(out, t.status);
        put_number(out, t.deciding.map_or(0, |n| u64::from(n) + 1));
        put_number(out, t.leaves.len() as u64);
        for (node, status) in &t.leaves {
            put_number(out, (*node).into());
            put_status(out, *status);
        }
        put_number(out, t.extra.len() as u64);
        for (at, step) in &t.extra {
            put_number(out, (*at).into());
            match step {
                Step::GoOn => out.push(5),
                Step::Answer(status) => put_status(out, Some(*status)),
                Step::Broke => out.push(4),
            }
        }
        put_number(out, t.decided.len() as u64);
        for (node, child) in &t.decided {
            put_number(out, (*node).into());
            put_number(out, (*child).into());
        }
    }
    if flags & HALTED != 0 {
        put_number(out, t.halted.len() as u64);
        for node in &t.halted {
            put_number(out, (*node).into());
        }
    }
    if flags & KEYS != 0 {
        put_number(out, t.keys.len() as u64);
        for change in &t.keys {
            put_number(out, change.key.into());
            put_writer(out, change.writer);
            put_value(out, &change.value);
        }
    }
    if flags & INPUTS != 0 {
        put_number(out, t.inputs.len() as u64);
        for input in &t.inputs {
            put_text(out, &input.to_string());
        }
    }
    if let Some(failure) = &t.failure {
        put_number(out, failure.node.into());
        put_text(out, &failure.text);
    }
    match (number, fingerprint) {
        (Some(n), _) => out.extend(n.to_le_bytes()),
        (None, Some(text)) => put_text(out, text),
        (None, None) => {}
    }
}

/// Reads a tick. `find` finds the agent's last tick in the chunk.
pub(super) fn get_tick<'t>(
    bytes: &mut Bytes<'_>,
    before: (u64, u64),
    find: impl FnOnce(u32) -> Option<&'t Tick>,
) -> Result<Tick, Garbled> {
    let flags = bytes.byte()?;
    let agent = bytes.small()?;
    let mut t = Tick {
        agent,
        tick: before.0.wrapping_add(bytes.signed()? as u64),
        time: before.1.wrapping_add(bytes.signed()? as u64),
        ..Tick::default()
    };
    if flags & SAME != 0 {
        let last = find(agent).ok_or(Garbled)?;
        t.status = last.status;
        t.deciding = last.deciding;
        t.leaves = last.leaves.clone();
        t.extra = last.extra.clone();
        t.decided = last.decided.clone();
    } else {
        t.status = bytes.status()?;
        t.deciding = optional(bytes)?;
        for _ in 0..bytes.count()? {
            t.leaves.push((bytes.small()?, bytes.status()?));
        }
        for _ in 0..bytes.count()? {
            let at = bytes.small()?;
            let step = match bytes.0.first() {
                Some(5) => {
                    bytes.byte()?;
                    Step::GoOn
                }
                _ => bytes.status()?.map_or(Step::Broke, Step::Answer),
            };
            t.extra.push((at, step));
        }
        for _ in 0..bytes.count()? {
            t.decided.push((bytes.small()?, bytes.small()?));
        }
    }
    if flags & HALTED != 0 {
        for _ in 0..bytes.count()? {
            t.halted.push(bytes.small()?);
        }
    }
    if flags & KEYS != 0 {
        for _ in 0..bytes.count()? {
            t.keys.push(KeyChange {
                key: bytes.small()?,
                writer: writer(bytes)?,
                value: bytes.value()?,
                since: None,
            });
        }
    }
    if flags & INPUTS != 0 {
        for _ in 0..bytes.count()? {
            let input = bytes.text()?;
            t.inputs
                .push(serde_json::from_str(&input).map_err(|_| Garbled)?);
        }
    }
    if flags & FAILURE != 0 {
        t.failure = Some(Failure {
            node: bytes.small()?,
            text: bytes.text()?,
        });
    }
    if flags & HEX != 0 {
        t.fingerprint = Some(format!("{:016x}", u64::from_le_bytes(bytes.take()?)));
    } else if flags & TEXT != 0 {
        t.fingerprint = Some(bytes.text()?);
    }
    Ok(t)
}

/// A number of a node, or none.
/// Nobody, an input, or a node.
pub(super) fn put_writer(out: &mut Vec<u8>, writer: Option<Writer>) {
    put_number(
        out,
        match writer {
            None => 0,
            Some(Writer::Outside(Outside::Input)) => 1,
            Some(Writer::Node(node)) => u64::from(node) + 2,
        },
    );
}

pub(super) fn writer(bytes: &mut Bytes<'_>) -> Result<Option<Writer>, Garbled> {
    Ok(match bytes.number()? {
        0 => None,
        1 => Some(Writer::INPUT),
        n => Some(Writer::Node(u32::try_from(n - 2).map_err(|_| Garbled)?)),
    })
}

fn optional(bytes: &mut Bytes<'_>) -> Result<Option<u32>, Garbled> {
    match bytes.number()? {
        0 => Ok(None),
        n => u32::try_from(n - 1).map(Some).map_err(|_| Garbled),
    }
}
