//! A tree whose ticks are recorded.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use tickseed_core::{Agent, Context, KeyId, Status, TickError, TickReport, Time, Tree};

use crate::file::{Head, Recorder, Ring};
use crate::keys::{key_changes, writer_in};
use crate::message::{Failure, KeyDef, Tick, TreeDef, Value, Writer};
use crate::structure::Structure;

/// A receiver of ticks: a file, a ring, a server.
pub trait Sink {
    /// Whether the sink wants this agent's ticks. Asked before every tick; an agent that is not
    /// wanted is ticked without a trace.
    fn wants(&self, agent: u32) -> bool;
    /// Takes a tick.
    ///
    /// # Errors
    /// The tick cannot be kept. Nothing more will be recorded.
    fn tick(&mut self, tick: &Tick) -> io::Result<()>;
}

impl<W: Write> Sink for Recorder<W> {
    fn wants(&self, _agent: u32) -> bool {
        true
    }
    fn tick(&mut self, tick: &Tick) -> io::Result<()> {
        self.record(tick)
    }
}

impl Sink for Ring {
    fn wants(&self, _agent: u32) -> bool {
        true
    }
    fn tick(&mut self, tick: &Tick) -> io::Result<()> {
        self.record(tick);
        Ok(())
    }
}

impl TreeDef {
    /// Describes a built tree with the keys of its context and the keys that it brings along.
    #[must_use]
    pub fn of<C: Context>(id: u32, name: impl Into<String>, tree: &Tree<C>) -> TreeDef {
        let mut def = TreeDef::new(id, name, tree.def()).with_schema(C::schema());
        let schema = def.keys.len();
        for own in tree.keys() {
            def.add_key(&own.name, own.ty);
        }
        // Keys are numbered by their place in the list.
        for read in def.nodes.iter_mut().flat_map(|node| &mut node.reads) {
            let own = tree
                .keys()
                .iter()
                .position(|own| u32::from(own.id.0) == *read);
            if let Some(own) = own {
                *read = (schema + own) as u32;
            }
        }
        def
    }
}

/// A tree that records what its agents do: tick it instead of the tree.
///
/// ```
/// use std::sync::Arc;
/// use tickseed_core::{Status, Time, nodes};
/// use tickseed_record::{Recorded, Ring};
/// let n = nodes::<()>();
/// let tree = Arc::new(n.action("patrol", |_| Status::Running).build()?);
/// let mut agent = tree.agent();
///
/// let mut tree = Recorded::new(tree, Ring::last_minute());
/// for i in 1..=100 {
///     tree.tick(0, &mut agent, &mut (), Time::from_millis(i * 16))?;
/// }
/// let file = tree.sink_mut().save(Vec::new(), &Default::default())?;
/// # assert!(file.len() < 2000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recorded<C: Context, S> {
    tree: Arc<Tree<C>>,
    structure: Structure,
    sink: S,
    failed: Option<io::Error>,
    agents: BTreeMap<u32, Seen>,
    report: TickReport,
    tick: Tick,
    inputs: Vec<serde_json::Value>,
}

/// What is known of an agent.
#[derive(Default)]
struct Seen {
    ticks: u64,
    /// If empty, the next tick holds all keys.
    keys: Vec<Value>,
}

impl<C: Context, S: std::fmt::Debug> std::fmt::Debug for Recorded<C, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorded")
            .field("sink", &self.sink)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

impl<C: Context> Recorded<C, Recorder<BufWriter<File>>> {
    /// Records to a new file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn to_file(tree: Arc<Tree<C>>, path: impl AsRef<Path>) -> io::Result<Self> {
        let name = path.as_ref().file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let out = BufWriter::new(File::create(path.as_ref())?);
        let head = Head::new(name.clone(), TreeDef::of(0, name, &tree));
        Ok(Recorded::new(tree, Recorder::new(out, &head)?))
    }
}

impl<C: Context, S: Sink> Recorded<C, S> {
    /// Records to a sink.
    #[must_use]
    pub fn new(tree: Arc<Tree<C>>, sink: S) -> Self {
        Recorded {
            structure: Structure::of(tree.def()),
            tree,
            sink,
            failed: None,
            agents: BTreeMap::new(),
            report: TickReport::new(),
            tick: Tick::default(),
            inputs: Vec::new(),
        }
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Arc<Tree<C>> {
        &self.tree
    }

    /// The sink.
    #[must_use]
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// The sink.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// The sink, when nothing more is to be recorded.
    #[must_use]
    pub fn into_sink(self) -> S {
        self.sink
    }

    /// Why nothing is recorded any more; `None` while all is well. Ticks go on regardless.
    #[must_use]
    pub fn error(&self) -> Option<&io::Error> {
        self.failed.as_ref()
    }

    /// Adds an input that reached the world from outside; the next recorded tick includes it.
    pub fn input(&mut self, input: serde_json::Value) {
        self.inputs.push(input);
    }

    /// Ticks the tree and records the tick if the sink wants it. `id` identifies the agent.
    ///
    /// # Errors
    /// As [`Tree::tick`].
    pub fn tick(
        &mut self,
        id: u32,
        agent: &mut Agent,
        at: &mut C::At<'_>,
        now: Time,
    ) -> Result<Status, TickError> {
        let seen = self.agents.entry(id).or_default();
        seen.ticks += 1;
        if self.failed.is_some() || !self.sink.wants(id) {
            seen.keys.clear();
            return self.tree.tick(agent, at, now);
        }
        self.report.clear();
        let answer = self.tree.tick_traced(agent, at, now, &mut self.report);
        let tick = &mut self.tick;
        tick.agent = id;
        tick.tick = seen.ticks;
        tick.time = now.0;
        tick.record(&self.structure, &self.report);
        tick.failure = match &answer {
            Err(TickError::Leaf { node, error, .. }) => Some(Failure {
                node: node.0,
                text: error.to_string(),
            }),
            _ => None,
        };
        tick.inputs = std::mem::take(&mut self.inputs);
        let schema = C::schema().keys.len();
        let own = self.tree.keys();
        let ids = (0..schema)
            .map(|k| KeyId(k as u16))
            .chain(own.iter().map(|own| own.id));
        let values = ids.map(|k| C::read(at, k).map_or(Value::Null, Value::from));
        let report = &self.report;
        tick.keys = key_changes(&mut seen.keys, values, |k| {
            match (k as usize).checked_sub(schema).and_then(|i| own.get(i)) {
                Some(own) => report.writer(own.id).map(|node| Writer::Node(node.0)),
                None => writer_in(report, k),
            }
        });
        if let Err(e) = self.sink.tick(tick) {
            self.failed = Some(e);
        }
        answer
    }
}

impl KeyDef {
    /// A key that can be set.
    #[must_use]
    pub fn new(name: impl Into<String>, ty: impl Into<String>) -> KeyDef {
        KeyDef {
            name: name.into(),
            ty: ty.into(),
            writable: true,
        }
    }
}
