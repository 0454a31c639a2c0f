//! A world's tree as source text, and what happens when the text changes while the world runs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use tickseed_core::{
    Agent, Change, Context, Def, NodeId, SnapshotError, Status, TickError, Time, Tree,
};
use tickseed_lang::board::{Board, HasBoard, Layout};
use tickseed_lang::build::{Loaded, Options, from_loaded};
use tickseed_lang::builtin::builtin;
use tickseed_lang::diagnostics::Diagnostic;
use tickseed_lang::ide::{self, Completion, Files};
use tickseed_lang::load::{Memory, load_text};
use tickseed_lang::model::{Category, Direction, Document, FileId, SourceMap};
use tickseed_lang::registry::{Model, PortModel, PortType, Registry};

use crate::stage::Stage;
use crate::watch::Watch;

/// What messages call the text.
const NAME: &str = "tree.tick";

/// The messages of the reader about a text.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// The messages; at least one error, if the text was refused.
    pub diagnostics: Vec<Diagnostic>,
    /// The text they are about.
    pub sources: SourceMap,
}

impl fmt::Display for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without source lines: the code that draws those is not small, and a page has its own way.
        for d in &self.diagnostics {
            if let Some(at) = d
                .primary
                .as_ref()
                .and_then(|l| self.sources.line_column(l.span))
            {
                write!(f, "{}:{}: ", at.line, at.column)?;
            }
            writeln!(f, "{d}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Messages {}

/// What a reload did to the agents: paths of nodes, each listed once however many agents it
/// concerns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reloaded {
    /// How many agents were taken over.
    pub agents: u32,
    /// Leaves that ran and went on as they were.
    pub moved: Vec<String>,
    /// Leaves that ran and went on at a different path: the old and the new path.
    pub renamed: Vec<(String, String)>,
    /// Leaves that ran, were halted and can begin again.
    pub restarted: Vec<String>,
    /// Leaves that ran, were halted and are gone.
    pub gone: Vec<String>,
    /// Nodes whose history (a cooldown, a count) is lost.
    pub forgotten: Vec<String>,
}

/// What it takes to run a world's tree where the world is not at hand.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Alone {
    /// The text, with descriptions of the leaves, keys and words that it uses.
    pub text: String,
    /// The tree's leaves.
    pub leaves: Vec<AloneLeaf>,
}

/// A leaf of such a tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AloneLeaf {
    /// Its node.
    pub node: NodeId,
    /// Its path, as files have it.
    pub path: String,
    /// Whether the world brings it.
    pub own: bool,
}

/// The keys that a text declares, for one agent; empty if there are none, so that agents of a crowd
/// do not pay for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(Option<Box<Board>>);

impl Keys {
    pub(crate) fn board(&self) -> &Board {
        static NONE: OnceLock<Board> = OnceLock::new();
        match &self.0 {
            Some(board) => board,
            None => NONE.get_or_init(Board::default),
        }
    }

    pub(crate) fn board_mut(&mut self) -> &mut Board {
        self.0.get_or_insert_default()
    }

    /// Switches to the keys of another text. A key with the same name keeps its value if the type
    /// fits.
    fn change(&mut self, layout: &Arc<Layout>) {
        let mut board = Board::new(Arc::clone(layout));
        if let Some(old) = &self.0 {
            for (slot, info) in old.layout().slots() {
                let scope = &old.layout().scopes()[info.scope as usize];
                // A value of another type is refused, and the first value stays.
                board.set_by_name(scope, &info.name, old.get(slot));
            }
        }
        self.0 = Some(Box::new(board));
    }
}

/// A context whose trees come from texts.
pub(crate) trait Scripted: for<'a> Context<At<'a> = Self> + HasBoard + Sized {
    fn script_keys(&mut self) -> &mut Keys;
}

/// Implements `HasBoard` for a struct whose texts' keys are in its field `script`.
macro_rules! scripted {
    ($name:ty) => {
        impl tickseed_lang::board::HasBoard for $name {
            fn board(at: &Self) -> &tickseed_lang::board::Board {
                at.script.board()
            }
            fn board_mut(at: &mut Self) -> &mut tickseed_lang::board::Board {
                at.script.board_mut()
            }
        }
        impl crate::script::Scripted for $name {
            fn script_keys(&mut self) -> &mut crate::script::Keys {
                &mut self.script
            }
        }
    };
}
pub(crate) use scripted;

/// A leaf's description.
pub(crate) fn leaf(name: &str, doc: &str) -> Model {
    Model {
        doc: doc.to_owned(),
        ..Model::new(name, Category::Action)
    }
}

/// A value that the text may leave out.
pub(crate) fn port<T: PortType>(name: &str, default: &str) -> PortModel {
    must::<T>(name).or(default)
}

/// A value that the text must give.
pub(crate) fn must<T: PortType>(name: &str) -> PortModel {
    PortModel::new(name, Direction::In, T::ty()).constant()
}

/// A tree with the text it was read from.
#[derive(Debug)]
pub(crate) struct Script<C: Scripted> {
    text: Arc<str>,
    tree: Arc<Tree<C>>,
    layout: Arc<Layout>,
    /// Where each node is written.
    spans: Vec<Option<(u32, u32)>>,
    warnings: Messages,
    registry: Arc<Registry<C>>,
}

impl<C: Scripted> Script<C> {
    /// Reads a world's own text.
    ///
    /// # Panics
    /// It has mistakes, which a test of every world rules out.
    pub(crate) fn own(text: &str, registry: Registry<C>) -> Script<C> {
        match Script::read(text, Arc::new(registry)) {
            Ok(script) => script,
            Err(messages) => panic!("a world's own tree has mistakes:\n{messages}"),
        }
    }

    fn read(text: &str, registry: Arc<Registry<C>>) -> Result<Script<C>, Messages> {
        let loaded = Script::build(text, &registry)?;
        let span = |node| {
            let span = loaded.instances[loaded.instance_of(node)?].whole;
            Some((span.start, span.end))
        };
        let spans = loaded.tree.def().iter().map(|(id, _)| span(id)).collect();
        Ok(Script {
            text: text.into(),
            spans,
            registry,
            tree: Arc::new(loaded.tree),
            layout: loaded.layout,
            warnings: Messages {
                diagnostics: loaded.diagnostics,
                sources: loaded.sources,
            },
        })
    }

    fn build(text: &str, registry: &Registry<C>) -> Result<Loaded<C>, Messages> {
        // There are no files here, so an import is an error.
        let files = load_text(NAME, text, &Memory::default());
        from_loaded(files, registry, &Options::default()).map_err(|failed| Messages {
            diagnostics: failed.diagnostics,
            sources: failed.sources,
        })
    }

    /// What it takes to run another text without the world; nothing if it has mistakes.
    pub(crate) fn alone(&self, text: &str) -> Option<Alone> {
        let loaded = Script::build(text, &self.registry).ok()?;
        let leaf = |node| {
            let instance = loaded.instance_of(node)?;
            let kind = loaded.instances[instance].kind.as_str();
            Some(AloneLeaf {
                node,
                path: loaded.path(instance),
                own: builtin(kind).is_none(),
            })
        };
        let nodes = loaded.tree.def().iter();
        let leaves = nodes.filter(|(_, node)| node.children.is_empty());
        Some(Alone {
            text: ide::alone(text, &self.registry.document())?,
            leaves: leaves.filter_map(|(id, _)| leaf(id)).collect(),
        })
    }

    /// Reads another text for the same world.
    pub(crate) fn edited(&self, text: &str) -> Result<Script<C>, Messages> {
        Script::read(text, Arc::clone(&self.registry))
    }

    /// The messages about another text.
    pub(crate) fn check(&self, text: &str) -> Messages {
        match self.edited(text) {
            Ok(script) => script.warnings,
            Err(messages) => messages,
        }
    }

    /// The possible completions at a place in another text.
    pub(crate) fn complete(&self, text: &str, offset: usize) -> Vec<Completion> {
        let mut files = load_text(NAME, text, &Memory::default());
        let Some(file) = files.document().map(|d| d.file) else {
            return Vec::new();
        };
        let offered = Document {
            file: FileId(u32::MAX),
            ..self.registry.document()
        };
        files.documents.insert(0, offered);
        Files::new(&files).complete(file, offset)
    }

    pub(crate) fn tree(&self) -> &Tree<C> {
        &self.tree
    }

    pub(crate) fn shared(&self) -> Arc<Tree<C>> {
        Arc::clone(&self.tree)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Where a node is written: the bytes of the text.
    pub(crate) fn span(&self, node: NodeId) -> Option<(u32, u32)> {
        *self.spans.get(node.0 as usize)?
    }

    /// Gives an agent that was taken over the keys of this text.
    pub(crate) fn take_keys(&self, at: &mut C) {
        at.script_keys().change(&self.layout);
    }
}

/// The tree of a world with one agent, and that agent.
#[derive(Debug)]
pub(crate) struct Solo<C: Scripted> {
    pub(crate) script: Arc<Script<C>>,
    agent: Agent,
}

impl<C: Scripted> Solo<C> {
    pub(crate) fn new(script: Script<C>, seed: u64) -> Solo<C> {
        let agent = script.tree().agent_seeded(seed);
        Solo {
            script: Arc::new(script),
            agent,
        }
    }

    /// A copy, if possible.
    pub(crate) fn duplicate(&self) -> Option<Solo<C>> {
        Some(Solo {
            script: self.script.clone(),
            agent: self.agent.duplicate()?,
        })
    }

    pub(crate) fn tick(
        &mut self,
        at: &mut C,
        now: Time,
        watch: &mut Watch,
    ) -> Result<Status, TickError> {
        let tree = self.script.tree();
        tree.tick_traced(&mut self.agent, at, now, watch)
    }

    /// Replaces the text with an edited one.
    pub(crate) fn reload(
        &mut self,
        at: &mut C,
        stage: &mut Stage,
        source: &str,
    ) -> Result<Reloaded, Messages> {
        let new = self.script.edited(source)?;
        let (agent, now) = (&mut self.agent, stage.time());
        let mut tally = Tally::new(&self.script, &new);
        tally.ran(&self.script.tree().running(agent));
        // It may have stopped at an error, perhaps the very one that the edit fixes; a healthy
        // agent is left as it is.
        let well = self.script.tree().recover(agent, at, now);
        let report = well
            .map_err(SnapshotError::from)
            .and_then(|()| new.tree().migrate(self.script.tree(), agent, at, now));
        new.take_keys(at);
        match report {
            Ok(report) => {
                for (path, change) in report.changes {
                    tally.changed(path, change, 1);
                }
            }
            // It was never one of the tree before: it begins as one of this.
            Err(_) => *agent = new.tree().agent_seeded(agent.rng().state()),
        }
        stage.reloaded(source, new.tree().def());
        let reloaded = tally.done(1);
        self.script = Arc::new(new);
        Ok(reloaded)
    }
}

/// The parts of [`World`](crate::World) that are the same in every world, given the field that
/// holds its script.
macro_rules! scripted_world {
    ($info:expr, $holder:ident) => {
        fn info(&self) -> &'static Info {
            &$info
        }
        fn stage(&self) -> &Stage {
            &self.stage
        }
        fn def(&self) -> &tickseed_core::Def {
            self.$holder.script.tree().def()
        }
        fn bytes_per_agent(&self) -> usize {
            self.$holder.script.tree().bytes_per_agent()
        }
        fn source(&self) -> &str {
            self.$holder.script.text()
        }
        fn span(&self, node: tickseed_core::NodeId) -> Option<(u32, u32)> {
            self.$holder.script.span(node)
        }
        fn check(&self, source: &str) -> Messages {
            self.$holder.script.check(source)
        }
        fn alone(&self, source: &str) -> Option<crate::script::Alone> {
            self.$holder.script.alone(source)
        }
        fn complete(&self, source: &str, offset: usize) -> Vec<tickseed_lang::ide::Completion> {
            self.$holder.script.complete(source, offset)
        }
        fn input(&mut self, input: Input) -> bool {
            if let Input::Reload { source } = &input {
                return self.reload(source).is_ok();
            }
            let done = self.apply(&input);
            if done {
                self.stage.record(input);
            }
            done
        }
    };
}
pub(crate) use scripted_world;

/// Determines what becomes of the running leaves, from what changed for how many agents.
pub(crate) struct Tally<'t> {
    before: &'t Def,
    now: Vec<String>,
    ran: BTreeMap<NodeId, usize>,
    changes: Vec<(String, Change, usize)>,
}

impl<'t> Tally<'t> {
    pub(crate) fn new<C: Scripted>(before: &'t Script<C>, now: &Script<C>) -> Tally<'t> {
        Tally {
            before: before.tree().def(),
            now: now.tree().def().paths(),
            ran: BTreeMap::new(),
            changes: Vec::new(),
        }
    }

    /// An agent ran these leaves.
    pub(crate) fn ran(&mut self, leaves: &[NodeId]) {
        for leaf in leaves {
            *self.ran.entry(*leaf).or_default() += 1;
        }
    }

    /// A node changed.
    pub(crate) fn changed(&mut self, path: String, change: Change, agents: usize) {
        self.changes.push((path, change, agents));
    }

    pub(crate) fn done(self, agents: u32) -> Reloaded {
        let mut all = Reloaded {
            agents,
            ..Reloaded::default()
        };
        let paths = self.before.paths();
        for (leaf, ran) in self.ran {
            let path = &paths[leaf.0 as usize];
            let changes = || self.changes.iter().filter(|(p, ..)| p == path);
            let begins = |c: &Change| matches!(c, Change::Restarted | Change::Boxed);
            let begun: usize = changes().filter(|c| begins(&c.1)).map(|c| c.2).sum();
            if begun > 0 {
                let there = self.now.contains(path);
                let to = if there {
                    &mut all.restarted
                } else {
                    &mut all.gone
                };
                to.push(path.clone());
            }
            if begun < ran {
                let renamed = changes().find_map(|(_, change, _)| match change {
                    Change::Moved { to } => Some(to.clone()),
                    _ => None,
                });
                match renamed {
                    Some(to) => all.renamed.push((path.clone(), to)),
                    None => all.moved.push(path.clone()),
                }
            }
        }
        let lost = |c: &&(String, Change, usize)| matches!(c.1, Change::Dropped | Change::Reset);
        all.forgotten = self
            .changes
            .iter()
            .filter(lost)
            .map(|c| c.0.clone())
            .collect();
        all
    }
}
