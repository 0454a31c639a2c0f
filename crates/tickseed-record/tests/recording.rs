//! Recordings: what was written is read; what was damaged is not believed.

use std::cell::Cell;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tickseed_core::{Rng, Time};
use tickseed_record::message::{
    AgentInfo, Event, Failure, KeyChange, Status, Step, Tick, TreeDef, Value, Writer,
};
use tickseed_record::{
    Head, Item, Limits, OpenError, Recorded, Recorder, Recording, Sink, key_changes,
};
use tickseed_testkit::random::Spec;
use tickseed_testkit::script::World;

/// Ticks of three agents with everything that a tick can have.
fn ticks(seed: u64, count: u64) -> Vec<Tick> {
    let mut rng = Rng::new(seed);
    let mut keys = [const { Vec::new() }; 3];
    let mut all = Vec::new();
    for tick in 1..=count {
        for agent in 0..3 {
            let calm = rng.below(3) > 0;
            let mut draw = |n: u64| if calm { 1 % n } else { rng.below(n) };
            let values = [
                Value::Bool(draw(2) == 0),
                Value::Int(-(draw(1000) as i64)),
                Value::Float(draw(10) as f64 / 3.0),
                Value::Float([0.5, f64::NAN, -0.0][draw(3) as usize]),
                Value::Text(format!("t{}", draw(3))),
                Value::Null,
            ];
            all.push(Tick {
                agent,
                tick,
                time: tick * 50_000_000 + draw(3),
                status: Some(Status::Running).filter(|_| draw(5) != 0),
                leaves: vec![(draw(300) as u32, Some(Status::Failure)), (7, None)],
                extra: vec![
                    (draw(2) as u32, Step::GoOn),
                    (3, Step::Broke),
                    (4, Step::Answer(Status::Skipped)),
                ],
                halted: vec![9; draw(3) as usize],
                decided: vec![(1, draw(4) as u32)],
                deciding: Some(draw(300) as u32),
                failure: (draw(9) == 0).then(|| Failure {
                    node: 3,
                    text: "no route".to_owned(),
                }),
                keys: key_changes(&mut keys[agent as usize], values, |_| None),
                inputs: vec![json!({"input": "click", "x": draw(9)}); draw(2) as usize],
                fingerprint: [None, Some(format!("{tick:016x}")), Some("other".to_owned())]
                    [draw(3) as usize]
                    .clone(),
                nodes: Vec::new(),
            });
        }
    }
    all
}

fn head() -> Head {
    let tree = Spec::random(1, 3).build_lenient().unwrap();
    Head::new("test", TreeDef::of(0, "random", &tree))
}

fn limits() -> Limits {
    Limits {
        ticks: 64,
        ..Limits::default()
    }
}

fn file(ticks: &[Tick]) -> Vec<u8> {
    let mut recorder = Recorder::with_limits(Vec::new(), &head(), limits()).unwrap();
    for tick in ticks {
        recorder.record(tick).unwrap();
    }
    recorder.finish().unwrap()
}

fn same(a: &Tick, b: &Tick) -> bool {
    // As text: a NaN is not equal to itself.
    format!("{a:?}") == format!("{b:?}")
}

/// The ticks that can be read, and why there are no more.
fn read(bytes: &[u8], from: u64) -> Result<(Vec<Tick>, Option<String>), OpenError> {
    let mut recording = Recording::open(Cursor::new(bytes))?;
    let (mut ticks, mut end) = (Vec::new(), None);
    for item in recording.items(from) {
        match item {
            Ok(Item::Tick(tick)) => ticks.push(tick),
            Ok(Item::Event(_)) => {}
            Err(damage) => end = Some(damage.to_string()),
        }
    }
    Ok((ticks, end))
}

#[test]
fn what_was_written_is_read() {
    let all = ticks(1, 500);
    let bytes = file(&all);
    let (got, end) = read(&bytes, 0).unwrap();
    assert_eq!(end, None);
    assert_eq!(got.len(), all.len());
    assert!(got.iter().zip(&all).all(|(a, b)| same(a, b)));
    let (late, _) = read(&bytes, 400).unwrap();
    assert!(late.iter().zip(&all[399 * 3..]).all(|(a, b)| same(a, b)));
    assert_eq!(late.len(), 101 * 3);
    let recording = Recording::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(recording.range(), Some((1, 500)));
    assert_eq!(recording.head(), &head());
    let plain: usize = all
        .iter()
        .map(|t| serde_json::to_vec(t).unwrap().len())
        .sum();
    assert!(bytes.len() * 6 < plain, "{} of {plain}", bytes.len());
}

#[test]
fn any_tick_is_found_with_all_its_keys() {
    let all = ticks(2, 300);
    let bytes = file(&all);
    let mut recording = Recording::open(Cursor::new(&bytes)).unwrap();
    let mut known: [Vec<Value>; 3] = Default::default();
    for tick in &all {
        let known = &mut known[tick.agent as usize];
        for KeyChange { key, value, .. } in &tick.keys {
            known.resize(known.len().max(*key as usize + 1), Value::Null);
            known[*key as usize] = value.clone();
        }
        let got = recording.tick(tick.tick, tick.agent).unwrap().unwrap();
        let keys: Vec<_> = got.keys.iter().map(|c| c.value.clone()).collect();
        assert_eq!(format!("{keys:?}"), format!("{known:?}"));
        assert_eq!((&got.leaves, got.time), (&tick.leaves, tick.time));
    }
    assert!(recording.tick(301, 0).unwrap().is_none());
    assert!(recording.tick(7, 9).unwrap().is_none());
}

/// Counts what is read.
struct Counting(Cursor<Vec<u8>>, Rc<Cell<usize>>);

impl Read for Counting {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.read(buf)?;
        self.1.set(self.1.get() + n);
        Ok(n)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn seeking_reads_little() {
    let bytes = file(&ticks(3, 5_000));
    let whole = bytes.len();
    let read = Rc::new(Cell::new(0));
    let mut recording = Recording::open(Counting(Cursor::new(bytes), read.clone())).unwrap();
    recording.tick(4_000, 1).unwrap().unwrap();
    assert!(read.get() * 5 < whole, "{} of {whole}", read.get());
    let before = read.get();
    for tick in 4_001..4_021 {
        recording.tick(tick, 1).unwrap().unwrap();
    }
    let chunk = 2_000;
    assert!(read.get() - before < 2 * chunk, "neighbours are at hand");
}

#[test]
fn a_recording_whose_writer_was_killed_is_read_up_to_there() {
    let all = ticks(4, 60);
    let bytes = file(&all);
    let (mut most, mut refused) = (0, 0);
    for length in (0..bytes.len()).step_by(3) {
        match read(&bytes[..length], 0) {
            Ok((got, end)) => {
                assert!(got.iter().zip(&all).all(|(a, b)| same(a, b)), "{length}");
                assert!(got.len() >= most, "{length}: more bytes, fewer ticks");
                most = got.len();
                let end = end.expect("a reason");
                assert!(
                    end.contains("cut off") || end.contains("not ended") || end.contains("index"),
                    "{end}"
                );
                if let Some(last) = got.last() {
                    assert!(end.contains(&format!("up to tick {}", last.tick)), "{end}");
                }
            }
            Err(OpenError::Foreign | OpenError::Head) => refused += 1,
            Err(e) => panic!("{length}: {e}"),
        }
    }
    assert!(most == all.len() && refused > 8, "{most} {refused}");
}

#[test]
fn damage_is_noticed_wherever_it_is() {
    let all = ticks(5, 60);
    let bytes = file(&all);
    for at in (0..bytes.len()).step_by(3) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        match read(&damaged, 0) {
            // Sound as far as it goes; the index can be lost without loss of ticks.
            Ok((got, end)) => {
                assert!(got.iter().zip(&all).all(|(a, b)| same(a, b)), "{at}");
                assert!(got.len() == all.len() || end.is_some(), "{at}");
            }
            Err(OpenError::Foreign | OpenError::Version(_) | OpenError::Head) => {}
            Err(e) => panic!("{at}: {e}"),
        }
    }
    // Noise is refused.
    let mut rng = Rng::new(1);
    for length in 0..200 {
        let mut noise: Vec<u8> = (0..length).map(|_| rng.below(256) as u8).collect();
        assert!(matches!(read(&noise, 0), Err(OpenError::Foreign)));
        noise.splice(0..0, *b"TICKREC1");
        assert!(matches!(read(&noise, 0), Err(OpenError::Head)));
    }
    let text = read(b"TICKREC2....", 0).unwrap_err().to_string();
    assert!(text.contains("version '2'"), "{text}");
}

#[test]
fn events_stand_between_ticks() {
    let all = ticks(6, 20);
    let agents = Event::Agents {
        agents: vec![AgentInfo::default(); 2],
    };
    let mut recorder = Recorder::new(Vec::new(), &head()).unwrap();
    for tick in &all[..30] {
        recorder.record(tick).unwrap();
    }
    recorder.event(&agents).unwrap();
    for tick in &all[30..] {
        recorder.record(tick).unwrap();
    }
    let bytes = recorder.finish().unwrap();
    let mut recording = Recording::open(Cursor::new(&bytes)).unwrap();
    assert_eq!(recording.events().unwrap(), [(10, agents.clone())]);
    let place = recording
        .items(0)
        .position(|i| matches!(i, Ok(Item::Event(_))));
    assert_eq!(place, Some(30));
}

#[test]
fn a_recorded_tree_runs_as_any_other_and_its_file_holds_it_all() {
    let path = std::env::temp_dir().join(format!("tickseed-{}.tickrec", std::process::id()));
    let tree = Arc::new(Spec::random(11, 5).build_lenient().unwrap());
    let (mut a, mut b) = (tree.agent(), tree.agent());
    let (mut plain, mut world) = (World::seeded(3), World::seeded(3));
    let mut recorded = Recorded::to_file(tree.clone(), &path).unwrap();
    for i in 1..=500 {
        let now = Time::from_millis(i * 20);
        let wanted = tree.tick(&mut a, &mut plain, now).unwrap();
        let got = recorded.tick(0, &mut b, &mut world, now).unwrap();
        assert_eq!(got, wanted);
    }
    assert!(recorded.error().is_none());
    drop(recorded);
    let mut recording = Recording::open(std::fs::File::open(&path).unwrap()).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(recording.range(), Some((1, 500)));
    assert!(recording.damage().is_none());
    let tick = recording.tick(250, 0).unwrap().unwrap();
    assert_eq!(Duration::from_nanos(tick.time), Duration::from_secs(5));
    assert_eq!(tick.keys.len(), recording.head().trees[0].keys.len());
}

/// What a program of a user's lends to its tree.
#[derive(Clone, Default, tickseed_derive::Context)]
#[context(crate = tickseed_core)]
struct Lamp {
    on: bool,
    uses: i32,
    dust: i32,
}

#[test]
fn a_recording_tells_who_wrote_a_key_and_since_when() {
    use tickseed_core::{Status as Answer, nodes};
    let n = nodes::<Lamp>();
    let light = n
        .action("light", |l| {
            if !l.on {
                l.on = true;
                l.uses += 1;
            }
            Answer::Running
        })
        .on_halt(|l| l.on = false);
    let root = n
        .selector([
            n.sequence([
                n.condition("worn", |l| l.uses > 0 && l.dust % 10 == 0),
                n.action("rest", |_| Answer::Running),
            ])
            .reactive(),
            light,
        ])
        .reactive();
    let tree = Arc::new(root.build().unwrap());
    let node = |label: &str| {
        let found = tree.def().iter().find(|(_, n)| n.label() == label);
        Some(Writer::Node(found.unwrap().0.0))
    };
    let (light, mut agent, mut lamp) = (node("light"), tree.agent(), Lamp::default());
    let head = Head::new("lamp", TreeDef::of(0, "lamp", &tree));
    let chunks = Limits {
        ticks: 6,
        ..Limits::default()
    };
    let recorder = Recorder::with_limits(Vec::new(), &head, chunks).unwrap();
    let mut recorded = Recorded::new(tree.clone(), recorder);
    for i in 1..=25 {
        // The program itself: no node's doing.
        lamp.dust += 1;
        let now = Time::from_millis(i * 50);
        recorded.tick(0, &mut agent, &mut lamp, now).unwrap();
    }
    let file = recorded.into_sink().finish().unwrap();
    let mut recording = Recording::open(std::io::Cursor::new(file)).unwrap();
    let mut at = |tick: u64| {
        let keys = recording.tick(tick, 0).unwrap().unwrap().keys;
        let one = |c: KeyChange| (c.value, c.writer, c.since);
        keys.into_iter().map(one).collect::<Vec<_>>()
    };
    // Lit in the first tick, put out by a halt in the tenth, lit again in the next.
    let seven = at(7);
    assert_eq!(seven[0], (Value::Bool(true), light, Some(1)));
    assert_eq!(seven[1], (Value::Int(1), light, Some(1)));
    assert_eq!(seven[2], (Value::Int(7), None, None));
    assert_eq!(at(10)[0], (Value::Bool(false), light, None));
    // In another chunk, which begins with all keys and their histories.
    let late = at(19);
    assert_eq!(late[0], (Value::Bool(true), light, Some(11)));
    assert_eq!(late[1], (Value::Int(2), light, Some(11)));
}

/// Keeps every tick as it is.
struct Kept(Vec<Tick>);

impl Sink for Kept {
    fn wants(&self, _agent: u32) -> bool {
        true
    }
    fn tick(&mut self, tick: &Tick) -> std::io::Result<()> {
        self.0.push(tick.clone());
        Ok(())
    }
}

#[test]
fn a_recording_tells_who_wrote_a_key_that_the_tree_brings() {
    use tickseed_core::{Blackboard, Layout, ScalarType, Status as Answer, TreeKey, nodes};
    let mut keys = Layout::builder();
    keys.scalar("first", 0_i64).unwrap();
    keys.scalar("count", 0_i64).unwrap();
    let layout = keys.finish();
    let n = nodes::<Blackboard>();
    let root = n.sequence([
        n.succeed().named("idle"),
        n.action("counts", |bb| {
            let count = bb.get::<i64>("count").unwrap();
            bb.set("count", count + 1).unwrap();
            Answer::Success
        }),
    ]);
    let own = layout.iter().map(|(id, name)| TreeKey {
        id,
        name: name.into(),
        ty: ScalarType::I64,
    });
    let tree = Arc::new(root.build().unwrap().with_keys(own));
    let mut recorded = Recorded::new(tree.clone(), Kept(Vec::new()));
    let (mut agent, mut bb) = (tree.agent(), Blackboard::new(layout));
    for i in 1..=3 {
        recorded.tick(0, &mut agent, &mut bb, Time(i)).unwrap();
    }
    let tick = recorded.sink().0.last().unwrap();
    let wrote: Vec<_> = tick.keys.iter().map(|k| (k.key, k.writer)).collect();
    assert_eq!(wrote, [(1, Some(Writer::Node(2)))]);
}
