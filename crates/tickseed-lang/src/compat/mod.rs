//! BehaviorTree.CPP's and Nav2's nodes, with those engines' exact semantics.
//!
//! Where the engine's own nodes mean the same (sequence, fallback, their reactive forms, inverter,
//! forced results), they are used; the others are [custom nodes](tickseed_core::CustomNode). Four
//! things differ on purpose:
//!
//! - A composite all of whose children were skipped is idle afterwards. In the reference it stays
//!   running internally until its parent resets it. This is imitated where no parent does so, from the
//!   root down through decorators: the composite's own preconditions are not asked at the next tick,
//!   and a loop does not begin its list anew. Where a parent resets it, the reference would run its
//!   `_onHalted`; here it does not run.
//! - Only on a [board that keeps faults](crate::board::Board::keep_faults) does an exception halt
//!   nothing and let the next tick go on where it was raised; by default the agent is poisoned.
//! - An action that answers `SKIPPED` after it has begun has ended. In the reference, its parent still
//!   considers it running, and halts it later.
//! - Known faults of the reference are kept, so that trees written around them work: `Precondition`
//!   does not ask again after its child was halted or skipped, `RoundRobin` fails when its last child succeeds,
//!   `UnsetBlackboard` of a key `@name` removes nothing. The option
//!   [`fix_known_bugs`](crate::build::Options::fix_known_bugs) corrects them.
//!
//! Halting a tree ends what is running; [`Loaded::halt_all`](crate::build::Loaded::halt_all) also
//! does what the reference's `haltTree` does to idle nodes.
//!
//! `TryCatch` with `catch_on_halt` has its last child twice: once as a child, and once as a separate
//! tree that a halt ticks once and then halts. The second copy shares keys but no history (cooldowns,
//! counts) with the first, and traces do not show it. A number followed by text (`12abc`) is read as
//! the number, with a warning. For Nav2's nodes that query ROS, the program provides the answers:
//!
//! | node | asks for | type |
//! |---|---|---|
//! | `DistanceController` | `robot_position` | `vec2` or `vec3` |
//! | `SpeedController` | `robot_speed` | number |
//! | `PathLongerOnApproach` | `path_length(path)`, a function | number |
//! | `PauseResumeController` | `paused`: what its two services would have set | `bool` |
//! | `GoalUpdater` | `goal_update`, `goals_update`, if there are such keys: what its topics would have sent | any |
//!
//! Each is a parameterless [function](crate::registry::Registry::function) registered under that
//! name, a field that the context publishes, or a key of the root listed in
//! [`extra_keys`](crate::build::Options::extra_keys).

mod decorators;
mod flow;
mod hooks;
mod leaves;
mod make;
mod models;
mod nav2;
mod ros;
pub(crate) mod script;
pub(crate) mod site;
mod statuses;

use tickseed_core::{Node, nodes};

pub(crate) use hooks::{HaltScript, hooked};
pub(crate) use make::node;
pub use models::models;
pub(crate) use models::{is_core, names, port_type, refused_number};
pub(crate) use site::{Lingers, Site};
pub use statuses::{NodeStatus, StatusRole, Statuses};

use crate::board::HasBoard;
use crate::build::{Loader, Place};
use crate::diagnostics::Diagnostic;
use crate::expr::Type;
use crate::model::{self, Code, KeyRef, KeyScope, Span, Value, ValueKind};
use script::{Name, Script};
use site::Bound;

/// Whether a kind is one of the compatible nodes.
pub(crate) fn is_known(kind: &str) -> bool {
    models::model(kind).is_some()
}

/// A decorator that passes everything.
pub(crate) fn transparent<C: HasBoard>(child: Node<C>) -> Node<C> {
    nodes::<C>().custom(decorators::Transparent, [child])
}

/// A sequence or selector that lets a tick pass between its children.
pub(crate) fn yielding<C: HasBoard>(sequence: bool, children: Vec<Node<C>>) -> Node<C> {
    let rule = flow::Yielding {
        sequence,
        keep: false,
    };
    nodes::<C>().custom(rule, children)
}

/// A script in `.tick`: `set btcpp "..."`.
pub(crate) fn script<C: HasBoard>(
    loader: &mut Loader<'_, C>,
    value: &Value,
    place: Place,
) -> Option<Node<C>> {
    let bound = loader.code(value, place)?;
    Some(leaves::script(bound, loader.site(place)))
}

/// A condition in `.tick`: `check btcpp "..."`.
pub(crate) fn script_condition<C: HasBoard>(
    loader: &mut Loader<'_, C>,
    value: &Value,
    place: Place,
) -> Option<Node<C>> {
    let bound = loader.code(value, place)?;
    Some(leaves::script_condition(bound, loader.site(place)))
}

impl<C: HasBoard> Loader<'_, C> {
    /// How the reference names a node.
    pub(crate) fn site(&self, place: Place) -> Site {
        self.site_of(place.id)
    }

    fn site_of(&self, id: usize) -> Site {
        let instance = &self.instances[id];
        Site {
            path: crate::build::full_path(&self.instances, self.layout.scopes(), id),
            kind: match instance.subtree {
                Some(_) => "SubTree".to_owned(),
                None => instance.kind.to_string(),
            },
            name: instance.name.to_string(),
        }
    }

    /// Whether a node that was skipped as a whole is still running for the reference at the next tick:
    /// it runs before it ticks its children, and nobody above resets it after the skip, or only one that
    /// ticks it again when that one ends.
    pub(crate) fn lingers(&self, place: Place) -> Option<Lingers> {
        let role = self.instances[place.id].role;
        if self.options.fix_known_bugs || !role.stays_running_when_skipped() {
            return None;
        }
        let (mut parallels, mut rounds) = (Vec::new(), Vec::new());
        let mut above = self.instances[place.id].parent;
        while let Some(id) = above {
            let instance = &self.instances[id];
            let passes = matches!(
                instance.kind.as_str(),
                "Inverter"
                    | "ForceSuccess"
                    | "ForceFailure"
                    | "Delay"
                    | "Timeout"
                    | "RunOnce"
                    | "Precondition"
                    | "SkipUnlessUpdated"
                    | "WaitValueUpdate"
            );
            let loops = instance.kind.starts_with("Loop") && is_known(&instance.kind);
            if loops || instance.kind == "KeepRunningUntilFailure" {
                rounds.push(id);
            } else if matches!(instance.kind.as_str(), "Parallel" | "ParallelAll") {
                parallels.push(id);
            } else if !passes && instance.subtree.is_none() {
                // Those that tick it again before they end.
                parallels.extend(rounds);
                return (!parallels.is_empty()).then_some(Lingers { until: parallels });
            }
            above = instance.parent;
        }
        // Where nothing resets anything, the end of a loop does not either.
        Some(Lingers { until: parallels })
    }

    pub(crate) fn parent_site(&self, place: Place) -> Option<Site> {
        self.instances[place.id].parent.map(|id| self.site_of(id))
    }

    /// Parses a script and binds its names.
    pub(crate) fn bound(
        &mut self,
        text: &str,
        span: Span,
        place: Place,
        prefix: &str,
    ) -> Option<Bound> {
        let words: Vec<(String, i64)> = (self.enums.iter())
            .flat_map(|(_, words)| words.iter().cloned())
            .collect();
        let mut unknown = false;
        let mut unclear: Vec<String> = Vec::new();
        let parsed = Script::parse(text, &mut |name| {
            let mut numbers = words.iter().filter(|(word, _)| word == name);
            if let Some((_, number)) = numbers.next() {
                if numbers.any(|(_, other)| other != number) {
                    unclear.push(name.to_owned());
                }
                return Some(Name::Number(*number));
            }
            let key = match name.strip_prefix('@') {
                Some(name) => KeyRef {
                    scope: KeyScope::Root,
                    name: name.to_owned().into(),
                },
                None => KeyRef {
                    scope: KeyScope::Local,
                    name: name.to_owned().into(),
                },
            };
            let binding = self.resolve(place.scope, &key, span);
            unknown |= binding.is_none();
            binding.map(|binding| Name::Key(binding.slot))
        });
        for word in unclear {
            self.unclear_word(&word, span);
        }
        let from = |at: usize| {
            let mut here = span;
            let exact = span.range().len() == text.len();
            if exact {
                here.start = span.start.saturating_add(at as u32);
                here.end = here.end.max(here.start);
            }
            here
        };
        match parsed {
            Ok(script) => {
                if let Some(at) = script.run_on.first() {
                    let message = "a statement begins here, and no `;` ends the one before";
                    self.report(
                        Diagnostic::warning("load::run-on", message)
                            .at(from(*at), "a second statement")
                            .help(script::run_on(text, *at)),
                    );
                }
                Some(Bound {
                    script,
                    words: words.into(),
                })
            }
            Err((at, message)) => {
                // An unknown key was reported by its own message.
                if !unknown {
                    self.report(
                        Diagnostic::error("load::btcpp-script", format!("{prefix}{message}"))
                            .at(from(at), "here")
                            .maybe_help(script::help(text, at).map(str::to_owned)),
                    );
                }
                None
            }
        }
    }

    /// A word of two enumerations that stands for two numbers: scripts name no enumeration.
    #[cold]
    fn unclear_word(&mut self, word: &str, span: Span) {
        let numbers: Vec<String> = (self.enums.iter())
            .flat_map(|(name, words)| words.iter().map(move |(word, number)| (name, word, number)))
            .filter(|(_, other, _)| *other == word)
            .map(|(name, _, number)| format!("{number} in `{name}`"))
            .collect();
        self.report(
            Diagnostic::error(
                "load::unclear-word",
                format!("`{word}` stands for {}", numbers.join(" and for ")),
            )
            .at(span, "which one is meant?")
            .help("scripts of BehaviorTree.CPP name no enumeration: give the words different names, or write the number"),
        );
    }

    fn code(&mut self, value: &Value, place: Place) -> Option<Bound> {
        let text = match &value.kind {
            ValueKind::Code(Code { text, .. }) => text.clone(),
            _ => value.to_attribute(),
        };
        self.bound(&text, value.span, place, "")
    }
}

impl<C: HasBoard> Loader<'_, C> {
    /// Counts children where no reader has: XML's reader does, for XML.
    fn enough_children(&mut self, node: &model::Node) -> bool {
        let found = node.children.iter().filter(|child| !child.disabled).count();
        let category = models::model(node.kind.as_str()).map(|model| model.category);
        let message = match category {
            Some(model::Category::Control) if node.kind == "TryCatch" && found < 2 => {
                "must have at least 2 children"
            }
            Some(model::Category::Control) if found == 0 => "must have 1 or more children",
            Some(model::Category::Decorator) if found != 1 => "must have exactly 1 child",
            Some(model::Category::Action | model::Category::Condition) if found > 0 => {
                "must not have any child"
            }
            _ => return true,
        };
        let said = self.diagnostics.iter().any(|d| {
            d.code == "xml::children"
                && d.primary
                    .as_ref()
                    .is_some_and(|label| label.span == node.kind.span)
        });
        if !said {
            let message = format!("The node '{}' {message}", node.kind);
            self.error("load::children", message, node.kind.span);
        }
        false
    }
}

/// Marks of entries by the C++ name of their type, for ports of our types.
pub(crate) fn entry_type_name(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Int => "int",
        Type::Float => "double",
        Type::Bool => "bool",
        Type::Text => "std::string",
        _ => return None,
    })
}
