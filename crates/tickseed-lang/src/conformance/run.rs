//! Running one case.

use std::sync::Arc;

use tickseed_core::{Agent, Time};

use super::leaves::{Script, Shared, registry};
use super::{Case, export, refusals};
use crate::board::{Board, Mark};
use crate::build::{Loaded, Loader, Options};
use crate::compat::script::{self, Script as Program};
use crate::compat::site::BoardEntries;
use crate::compat::{NodeStatus, Statuses};
use crate::expr::{Datum, Slot};
use crate::model::SourceMap;
use crate::xml;

/// Runs a case and gives the lines that the reference's harness would print.
#[must_use]
pub fn run(case: &Case) -> String {
    let mut lines = Vec::new();
    let script = Script::new(&case.plan);
    match Session::new(case, &script) {
        Err(message) => lines.push(format!("CREATE-EXC {message}")),
        Ok(mut session) => {
            lines.push("created".to_owned());
            for command in &case.commands {
                lines.push(session.command(command));
            }
        }
    }
    lines.join("\n")
}

struct Session {
    loaded: Loaded<Board>,
    board: Board,
    agent: Agent,
    statuses: Statuses,
    script: Shared,
    main: String,
    /// Keys of the root by name, for `set`.
    now: u64,
}

impl Session {
    fn new(case: &Case, script: &Shared) -> Result<Session, String> {
        // The reference's harness puts every element on a line of its own, and messages count lines.
        let text = case.xml.replace("><", ">\n<");
        if let Some(complaint) = super::tinyxml::error(&text) {
            return Err(complaint);
        }
        let mut sources = SourceMap::new();
        let file = sources.add("case.xml", text.as_str());
        let strict = xml::Options {
            strict_names: true,
            ..xml::Options::default()
        };
        let (document, diagnostics) = xml::read(&text, file, &strict);
        let commands = case.commands.iter().filter_map(|c| c.strip_prefix("set "));
        let options = Options {
            extra_keys: commands.flat_map(script::names).collect(),
            every_node: true,
            ..Options::default()
        };
        let main = match &document.main {
            Some(name) => name.text.clone(),
            None => document
                .trees()
                .next()
                .map_or(String::new(), |tree| tree.name.text.to_string())
                .into(),
        };
        let registry = registry(script);
        let documents = [document];
        if let Some(refusal) = refusals::reactive_child(&documents[0], &sources, &registry) {
            return Err(refusal);
        }
        let mut diagnostics = diagnostics;
        refusals::old_spellings(&documents[0], &text, &registry, &mut diagnostics);
        refusals::spaced_keys(&documents[0], &text, &mut diagnostics);
        let loader = Loader::new(&documents, &registry, &options);
        let loaded = loader.load(sources, diagnostics).map_err(|failed| {
            refusals::message(&failed.diagnostics, &failed.sources, file, &documents[0])
        })?;
        let mut board = loaded.board();
        board.keep_faults();
        let agent = loaded.tree.agent();
        let statuses = Statuses::new(&loaded, &board);
        Ok(Session {
            loaded,
            board,
            agent,
            statuses,
            script: Arc::clone(script),
            main: main.to_string(),
            now: 0,
        })
    }

    fn command(&mut self, command: &str) -> String {
        let answer = match command.split_once(' ') {
            Some(("set", code)) => self.set(code),
            _ => match command {
                "tick" => self.tick(),
                "tickonce" => self.tick_once(),
                "halt" => self.halt(),
                "st" => self.status_line(),
                "bb" => self.boards(),
                "paths" => self.paths(),
                "xml" => self.xml(),
                other => format!("unknown command {other}"),
            },
        };
        format!("{command} -> {answer}")
    }

    fn events(&self) -> String {
        let mut script = self
            .script
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        script.take()
    }

    /// One tick of the root: its status, or the exception's text.
    fn step(&mut self) -> Result<NodeStatus, String> {
        // Time passes so slowly that only timers of zero end between two commands.
        self.now += 1;
        let result = self.loaded.tree.tick_traced(
            &mut self.agent,
            &mut self.board,
            Time(self.now),
            &mut self.statuses,
        );
        self.statuses.tick_over();
        let stuck = (self.script.lock())
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take_stuck();
        if let Some(instance) = stuck {
            self.statuses.runs(instance);
        }
        if let Some(fault) = self.board.take_fault() {
            return Err(fault.message);
        }
        let status = result.map_err(|error| error.to_string())?;
        if status.is_verdict() {
            self.statuses.finished();
        }
        Ok(status.into())
    }

    fn tick(&mut self) -> String {
        // A wake-up that was asked for stays until a `tickonce` answers it.
        match self.step() {
            Ok(status) => format!("{status}{}", self.events()),
            Err(message) => format!("EXC {message}{}", self.events()),
        }
    }

    /// Goes on while the tree runs and asks for another tick at once.
    fn tick_once(&mut self) -> String {
        // A tree that wakes itself for ever would never end.
        for _ in 0..100_000 {
            match self.step() {
                Ok(NodeStatus::Running) if self.board.take_wake() => {}
                Ok(status) => return format!("{status}{}", self.events()),
                Err(message) => return format!("EXC {message}{}", self.events()),
            }
        }
        "the tree wakes itself without end".to_owned()
    }

    fn halt(&mut self) -> String {
        self.now += 1;
        let halted = self
            .loaded
            .halt_all(&mut self.agent, &mut self.board, Time(self.now));
        self.statuses.halted_all();
        self.board.take_fault();
        match halted {
            Ok(()) => format!("halted{}", self.events()),
            Err(error) => format!("EXC {error}{}", self.events()),
        }
    }

    fn status_line(&self) -> String {
        let all = (self.loaded.instances.iter().enumerate())
            .map(|(i, instance)| format!("{}={} ", instance.name, self.statuses.get(i)));
        all.collect()
    }

    fn paths(&self) -> String {
        let all = (0..self.loaded.instances.len())
            .map(|i| format!("{}#{} ", self.loaded.full_path(i), i + 1));
        all.collect()
    }

    /// All blackboards with their entries in the order of their names.
    fn boards(&self) -> String {
        let layout = &self.loaded.layout;
        let mut out = String::new();
        for (scope, path) in layout.scopes().iter().enumerate() {
            out.push_str(&format!("[{path}]{{"));
            let mut entries: Vec<(&str, Slot)> = (layout.slots())
                .filter(|(slot, info)| {
                    info.scope as usize == scope && self.board.mark(*slot) != Mark::ABSENT
                })
                .map(|(slot, info)| (info.name.as_str(), slot))
                .collect();
            entries.sort_unstable();
            for (name, slot) in entries {
                let value = match self.board.get(slot) {
                    Datum::None => "<empty>".to_owned(),
                    datum => script::text(&datum),
                };
                let ty = layout
                    .type_of(self.board.mark(slot))
                    .unwrap_or("BT::AnyTypeAllowed");
                out.push_str(&format!("{name}={value}:{ty},"));
            }
            out.push('}');
        }
        out
    }

    fn xml(&self) -> String {
        let script = Script::new(&Default::default());
        export::export(&self.loaded, &self.main, &registry(&script))
    }

    /// Runs a script on the root blackboard.
    fn set(&mut self, code: &str) -> String {
        let layout = Arc::clone(&self.loaded.layout);
        let parsed = Program::parse(code, &mut |name| {
            let name = name.strip_prefix('@').unwrap_or(name);
            layout.find("", name).map(script::Name::Key)
        });
        let program = match parsed {
            Ok(program) => program,
            Err((_, message)) => return format!("EXC {message}"),
        };
        let result = program.run(&mut BoardEntries::<Board> {
            at: &mut self.board,
            words: &[],
        });
        match result {
            Ok(_) => "ok".to_owned(),
            Err(message) => format!("EXC {message}"),
        }
    }
}
