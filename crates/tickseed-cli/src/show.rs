//! `tickseed show`.

use std::io::{IsTerminal, Write};
use std::path::Path;

use tickseed_core::{KeyId, NodeId};
use tickseed_draw::{
    Align, Direction, Forest, Options, State, Theme, Tree, dot, mermaid, outline, svg,
};
use tickseed_lang::diagnostics::nearest;
use tickseed_lang::load::{Duplicates, Loaded};
use tickseed_worlds::{Input, WORLDS, World};

use crate::args::{Click, find};
use crate::fail::Fail;
use crate::files::{Messages, load};

#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  tickseed show guard.tick                          as text
  tickseed show guard.tick -o guard.svg             as SVG; .dot and .mmd work too
  tickseed show nav.xml --tree Recover --inline     one tree of several, with those it uses
  tickseed show robot --ticks 60 -o robot.svg       a world's tree and what its tick did

Exit codes: 0 done, 1 the file has errors (what could be read is shown), 2 the command line makes no
sense.")]
pub(crate) struct Show {
    /// A tree file, `-` for standard input, or a world: `tickseed list` names them
    #[arg(value_name = "FILE|WORLD")]
    what: String,
    /// How it is written [default: by the ending of the output, else text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Which tree of the file [default: the main one]
    #[arg(long, value_name = "NAME")]
    tree: Option<String>,
    /// Show the trees that are used inside the ones that use them
    #[arg(long)]
    inline: bool,
    /// Show what the file marks as collapsed
    #[arg(long)]
    expand: bool,
    /// Which way the tree grows
    #[arg(long, value_name = "WAY", default_value = "down")]
    direction: Way,
    /// Let children begin right behind their parent rather than in line with all of their depth
    #[arg(long)]
    compact: bool,
    /// The colours of an SVG: `auto` follows whoever looks at it
    #[arg(long, value_name = "THEME", default_value = "auto")]
    theme: ThemeName,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
    /// Of a world: tick so many times first and show what the last tick did
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = crate::args::whole, allow_negative_numbers = true)]
    ticks: u64,
    /// Of a world: the seed that decides everything random
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = crate::args::whole, allow_negative_numbers = true)]
    seed: u64,
    /// Of a world: click at X,Y (metres) after this many ticks; may be repeated
    #[arg(long, value_name = "TICK:X,Y")]
    click: Vec<Click>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Indented lines
    Text,
    /// A picture for pages and documents
    Svg,
    /// For Graphviz
    Dot,
    /// A flowchart for Markdown
    Mermaid,
}

impl Format {
    fn of(path: &str) -> Option<Format> {
        let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "txt" => Format::Text,
            "svg" => Format::Svg,
            "dot" | "gv" => Format::Dot,
            "mmd" | "mermaid" => Format::Mermaid,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Way {
    /// From top to bottom
    Down,
    /// From left to right
    Right,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ThemeName {
    /// Light or dark, as the viewer prefers
    Auto,
    /// Dark on light
    Light,
    /// Light on dark
    Dark,
}

impl Show {
    /// Loads and draws.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let output = self.output.as_deref().filter(|o| *o != "-");
        let format = match (self.format, output.map(|o| (o, Format::of(o)))) {
            (Some(format), _) | (None, Some((_, Some(format)))) => format,
            (None, None) => Format::Text,
            (None, Some((path, None))) => {
                return Err(Fail::Usage(format!(
                    "the ending of `{path}` tells no format: name it .svg, .dot, .mmd or .txt, or say --format"
                )));
            }
        };
        let (mut tree, sound) = if self.is_world() {
            (self.world()?, true)
        } else {
            self.file()?
        };
        if self.expand {
            for node in tree.nodes_mut() {
                node.collapsed = false;
            }
        }
        let text = self.draw(&tree, format);
        match output {
            Some(path) => std::fs::write(path, text).map_err(|e| Fail::File(path.into(), e))?,
            None => std::io::stdout().lock().write_all(text.as_bytes())?,
        }
        if sound { Ok(()) } else { Err(Fail::Findings) }
    }

    fn draw(&self, tree: &Tree, format: Format) -> String {
        let direction = match self.direction {
            Way::Down => Direction::Down,
            Way::Right => Direction::Right,
        };
        match format {
            Format::Text => outline(tree),
            Format::Dot => dot(tree, direction),
            Format::Mermaid => mermaid(tree, direction),
            Format::Svg => {
                let align = if self.compact {
                    Align::Compact
                } else {
                    Align::Levels
                };
                let options = Options {
                    direction,
                    align,
                    ..Options::default()
                };
                let theme = match self.theme {
                    ThemeName::Auto => Theme::Auto,
                    ThemeName::Light => Theme::Light,
                    ThemeName::Dark => Theme::Dark,
                };
                svg(tree, &options, theme)
            }
        }
    }

    /// Whether a world is meant: its name, or what can be no file's.
    fn is_world(&self) -> bool {
        let known = WORLDS.iter().any(|w| w.name == self.what);
        known
            || !(self.what == "-"
                || self.what.contains(['.', '/', '\\'])
                || Path::new(&self.what).exists())
    }

    fn world(&self) -> Result<Tree, Fail> {
        let info = find(&self.what)
            .map_err(|fail| Fail::Usage(format!("there is no such file, and {fail}")))?;
        let no = if self.tree.is_some() {
            Some("--tree")
        } else if self.inline {
            Some("--inline")
        } else {
            None
        };
        if let Some(option) = no {
            return Err(Fail::Usage(format!(
                "`{option}` is for files; the world `{}` has one tree",
                info.name
            )));
        }
        let mut world = (info.make)(self.seed, info.agents);
        for tick in 0..self.ticks {
            for click in self.click.iter().filter(|c| c.tick == tick) {
                world.input(Input::Click {
                    x: click.x,
                    y: click.y,
                });
            }
            world.step().map_err(|e| Fail::Tick(tick + 1, e))?;
        }
        Ok(of_world(&*world))
    }

    /// The tree of a file, and whether the file has no errors.
    fn file(&self) -> Result<(Tree, bool), Fail> {
        if self.ticks > 0 || !self.click.is_empty() {
            return Err(Fail::Usage(
                "`--ticks` and `--click` are for worlds; `tickseed sim` runs files".into(),
            ));
        }
        let loaded = load(&self.what, None)?;
        let errors: Vec<_> = (loaded.diagnostics.iter())
            .filter(|d| d.is_error())
            .cloned()
            .collect();
        let mut messages = Messages::new(false, std::io::stderr().is_terminal());
        messages.print(&errors, &loaded.sources, &mut std::io::stderr().lock())?;
        let forest = Forest::new(&loaded.documents);
        let name = self.name(&loaded, &forest, &mut messages)?;
        match forest.draw(&name, self.inline) {
            Some(tree) => Ok((tree, errors.is_empty())),
            None => Err(unknown(&name, &forest)),
        }
    }

    /// The name of the tree to show.
    fn name(
        &self,
        loaded: &Loaded,
        forest: &Forest<'_>,
        messages: &mut Messages,
    ) -> Result<String, Fail> {
        if let Some(name) = &self.tree {
            return Ok(name.clone());
        }
        match loaded.main_tree(Duplicates::Replace) {
            Ok(found) => Ok(found.tree.name.text.to_string()),
            Err(_) if forest.names().count() > 1 => {
                let names: Vec<_> = forest.names().collect();
                Err(Fail::Usage(format!(
                    "`{}` does not say which of its trees is the main one: choose with --tree, of {}",
                    self.what,
                    names.join(", ")
                )))
            }
            Err(message) => {
                messages.print(&[*message], &loaded.sources, &mut std::io::stderr().lock())?;
                Err(Fail::Findings)
            }
        }
    }
}

fn unknown(name: &str, forest: &Forest<'_>) -> Fail {
    let hint = match nearest(name, forest.names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "the trees are {}",
            forest.names().collect::<Vec<_>>().join(", ")
        ),
    };
    Fail::Usage(format!("no tree is named `{name}`: {hint}"))
}

/// A world's tree with what its watched agent's latest tick did.
fn of_world(world: &dyn World) -> Tree {
    let keys = world.keys(world.stage().focus());
    let key = |id: KeyId| match keys.get(usize::from(id.0)) {
        Some(key) => key.name.to_owned(),
        None => format!("key {}", id.0),
    };
    let mut tree = Tree::from_def(world.info().name, world.def(), &key);
    let watch = world.stage().watch();
    for (i, node) in tree.nodes_mut().iter_mut().enumerate() {
        let id = NodeId(i as u32);
        node.state = match (watch.status(id), watch.last(id)) {
            (Some(status), _) => State::Now(status),
            (None, _) if watch.report().halted().contains(&id) => State::Halted,
            (None, Some((status, _))) => State::Earlier(status),
            (None, None) => State::Unknown,
        };
    }
    tree
}
