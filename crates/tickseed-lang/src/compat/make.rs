//! Makes one compatible node from the file.

use std::marker::PhantomData;
use std::sync::Arc;

use tickseed_core::{Node, Status, nodes};

use super::nav2::Policy;
use super::site::{Bound, Ends, Site, Unreset};
use super::{StatusRole, decorators, flow, leaves, models, nav2, ros, script, yielding};
use crate::board::{FIELDS, HasBoard};
use crate::build::{Loader, Place, Twins, Whereabouts};
use crate::diagnostics::Diagnostic;
use crate::expr::{Slot, Type};
use crate::model::{self, KeyRef, KeyScope, ValueKind};
use crate::registry::{Gift, Given, Ports};

/// Everything that making one compatible node needs.
struct Making<'m, 'd, C: HasBoard> {
    loader: &'m mut Loader<'d, C>,
    node: &'d model::Node,
    place: Place,
    site: Site,
    given: Vec<Gift<'static>>,
}

/// Whether a node has hooks of the reference.
fn hooked(node: &model::Node) -> bool {
    let mut hooks = model::Hook::ALL
        .iter()
        .filter_map(|entry| node.hook(entry.0));
    hooks.any(|value| match &value.kind {
        ValueKind::Code(code) => code.dialect == model::Dialect::BtCpp,
        _ => false,
    })
}

/// Makes a compatible node.
pub(crate) fn node<'d, C: HasBoard>(
    loader: &mut Loader<'d, C>,
    node: &'d model::Node,
    place: Place,
) -> Option<Node<C>> {
    let model = models::model(node.kind.as_str())?;
    let pipeline = matches!(
        node.kind.as_str(),
        "PipelineSequence" | "NonblockingSequence"
    );
    let children = if pipeline {
        None
    } else {
        Some(loader.children(node, place))
    };
    // The script of a node is not a port like others.
    let given = loader.given(node, model, place)?;
    loader.instances[place.id].role = StatusRole::of(node.kind.as_str());
    let enough = loader.enough_children(node);
    let site = loader.site(place);
    let mut making = Making {
        loader,
        node,
        place,
        site,
        given,
    };
    if pipeline {
        return making.pipeline().filter(|_| enough);
    }
    let made = making.make(children??);
    made.filter(|_| enough)
}

impl<'d, C: HasBoard> Making<'_, 'd, C> {
    /// Reads ports; mistakes are reported.
    fn ports<T>(&mut self, read: impl FnOnce(&mut Ports<'_>) -> Option<T>) -> Option<T> {
        let model = models::model(self.node.kind.as_str())?;
        self.ports_of(model, read)
    }

    fn given(&self, port: &str) -> Option<&Given> {
        let gift = self.given.iter().find(|gift| gift.port == port);
        gift.map(|gift| &gift.given)
    }

    fn text(&self, port: &str) -> Option<String> {
        match self.given(port) {
            Some(Given::Text(text)) => Some(text.to_string()),
            Some(Given::Value(datum)) => Some(script::text(datum)),
            _ => None,
        }
    }

    fn slot(&self, port: &str) -> Option<Slot> {
        match self.given(port) {
            Some(Given::Key(slot)) => Some(*slot),
            _ => None,
        }
    }

    /// A status by name, as a port gives it.
    fn status(&mut self, port: &str, default: Status) -> Option<Status> {
        let Some(text) = self.text(port) else {
            return Some(default);
        };
        Some(match text.as_str() {
            "SUCCESS" => Status::Success,
            "FAILURE" => Status::Failure,
            "RUNNING" => Status::Running,
            "SKIPPED" => Status::Skipped,
            _ => {
                let message = format!(
                    "The port with name \"{port}\" and value \"{text}\" can not be converted to NodeStatus"
                );
                self.loader.report(
                    Diagnostic::error("load::port-value", message)
                        .at(self.node.kind.span, "")
                        .help("use SUCCESS, FAILURE, RUNNING or SKIPPED"),
                );
                return None;
            }
        })
    }

    fn answers_idle(&mut self) {
        let message = "a tick that ends in `else=\"IDLE\"` is an error: no node may answer IDLE";
        self.loader.report(
            Diagnostic::warning("load::port-value", message)
                .at(self.node.kind.span, "")
                .help("use SUCCESS, FAILURE, RUNNING or SKIPPED"),
        );
    }

    /// The key that a port names by its text, or the one that holds its name.
    fn target(&mut self, port: &str) -> Option<leaves::Target> {
        if let Some(entry) = self.slot(port) {
            let scope = self.loader.layout.scopes()
                [self.loader.scopes[self.place.scope].layout as usize]
                .clone();
            return Some(leaves::Target::Indirect { entry, scope });
        }
        let name = self.text(port)?;
        self.key(&name).map(leaves::Target::Named)
    }

    fn key(&mut self, name: &str) -> Option<Slot> {
        let (scope, name) = match name.strip_prefix('@') {
            Some(name) => (KeyScope::Root, name),
            None => (KeyScope::Local, name),
        };
        let key = KeyRef {
            scope,
            name: name.to_owned().into(),
        };
        let binding = self
            .loader
            .resolve(self.place.scope, &key, self.node.kind.span)?;
        Some(binding.slot)
    }

    /// Whether a key is this tree's own, not remapped. Trees of `.tick` files see keys of files,
    /// which count as their own.
    fn is_local(&self, slot: Slot) -> bool {
        let here = &self.loader.scopes[self.place.scope];
        let info = self.loader.layout.slot(slot);
        here.lexical || info.is_none_or(|info| info.scope == here.layout)
    }

    /// Whether a port of an XML tree says, letter by letter, a key of the root.
    fn names_root(&self, port: &str) -> bool {
        let lexical = self.loader.scopes[self.place.scope].lexical;
        !lexical && self.text(port).is_some_and(|name| name.starts_with('@'))
    }

    /// The entry whose changes are watched: `{key}` and `key` mean the same.
    fn entry(&mut self) -> Option<Slot> {
        match self.slot("entry") {
            Some(slot) => Some(slot),
            None => match self.text("entry") {
                Some(name) => self.key(&name),
                None => {
                    let message = format!("Missing port 'entry' in {}", self.node.kind);
                    self.loader
                        .error("load::missing-port", message, self.node.kind.span);
                    None
                }
            },
        }
    }

    fn program(&mut self, port: &str) -> Option<Bound> {
        let value = self.node.argument(port);
        match value {
            Some(value) if !matches!(value.kind, ValueKind::Key(_)) => {
                let text = match &value.kind {
                    ValueKind::Code(code) => code.text.clone(),
                    _ => value.to_attribute(),
                };
                self.loader.bound(&text, value.span, self.place, "")
            }
            Some(value) => {
                self.loader.report(
                    Diagnostic::error(
                        "load::script",
                        "a script that stands in a key is not supported",
                    )
                    .at(value.span, "")
                    .help("write the script here"),
                );
                None
            }
            None => {
                let message = format!("Missing port [{port}] in {}", self.node.kind);
                self.loader
                    .error("load::missing-port", message, self.node.kind.span);
                None
            }
        }
    }

    fn fixed(&self) -> bool {
        self.loader.options.fix_known_bugs
    }

    fn words(&self) -> Arc<[(String, i64)]> {
        let all = self
            .loader
            .enums
            .iter()
            .flat_map(|(_, words)| words.iter().cloned());
        all.collect()
    }

    fn make(&mut self, mut children: Vec<Node<C>>) -> Option<Node<C>> {
        let n = nodes::<C>();
        let site = self.site.clone();
        let kind = self.node.kind.as_str();
        let only = |children: &mut Vec<Node<C>>| children.pop();
        Some(match kind {
            "Sequence" => n.sequence(children),
            "Fallback" => n.selector(children),
            // An exception halts no other child: only the rule itself can leave them running.
            "ReactiveSequence" | "ReactiveFallback" if self.loader.options.every_node => {
                let sequence = kind == "ReactiveSequence";
                n.custom(flow::Reactive { sequence }, children)
            }
            "ReactiveSequence" => n.sequence(children).reactive(),
            "ReactiveFallback" => n.selector(children).reactive(),
            "AsyncSequence" | "AsyncFallback" => yielding(kind == "AsyncSequence", children),
            "SequenceWithMemory" => n.custom(
                flow::Yielding {
                    sequence: true,
                    keep: true,
                },
                children,
            ),
            "Parallel" | "ParallelAll" => return self.parallel(children),
            "IfThenElse" => {
                let condition = self.unreset_first();
                n.custom(flow::IfThenElse { site, condition }, children)
            }
            "WhileDoElse" => {
                let parent = self.loader.parent_site(self.place);
                let rule = flow::WhileDoElse {
                    site,
                    condition: self.unreset_first(),
                    parent,
                };
                n.custom(rule, children)
            }
            "TryCatch" => {
                let on_halt = self
                    .text("catch_on_halt")
                    .is_some_and(|text| text != "false" && text != "0");
                let on_halt = match on_halt {
                    true => Some(self.once_more()?),
                    false => None,
                };
                n.custom(flow::TryCatch { site, on_halt }, children)
            }
            _ if kind.starts_with("Switch") => {
                let cases = kind[6..].parse().unwrap_or(0);
                let words = self.words();
                let (variable, cases) = self.ports(|ports| {
                    let variable = ports.input("variable");
                    let cases: Option<Vec<_>> = (1..=cases)
                        .map(|i: usize| ports.input(&format!("case_{i}")))
                        .collect();
                    Some((variable?, cases?))
                })?;
                let rule = flow::Switch {
                    site,
                    variable,
                    cases,
                    words,
                };
                n.custom(rule, children)
            }
            "Inverter" => n.invert(only(&mut children)?),
            "ForceSuccess" => n.force_success(only(&mut children)?),
            "ForceFailure" => n.force_failure(only(&mut children)?),
            "Repeat" | "RetryUntilSuccessful" => {
                let retry = kind != "Repeat";
                let port = if retry { "num_attempts" } else { "num_cycles" };
                let count = self.ports(|ports| ports.input(port))?;
                let rule = decorators::Rounds {
                    site,
                    count,
                    retry,
                    lingers: self.loader.lingers(self.place),
                };
                n.custom(rule, children)
            }
            "KeepRunningUntilFailure" => {
                let ends = self.ends();
                n.custom(decorators::KeepRunning { ends }, children)
            }
            "Delay" => {
                let msec = self.ports(|ports| ports.input("delay_msec"))?;
                n.custom(decorators::Delay { site, msec }, children)
            }
            "Timeout" => {
                let msec = self.ports(|ports| ports.input("msec"))?;
                n.custom(decorators::Timeout { site, msec }, children)
            }
            "RunOnce" => {
                let then_skip = self.ports(|ports| ports.input("then_skip"))?;
                n.custom(decorators::RunOnce { then_skip }, children)
            }
            "Precondition" => {
                let condition = self.program("if");
                let otherwise = match self.text("else").as_deref() {
                    Some("IDLE") => {
                        self.answers_idle();
                        None
                    }
                    _ => Some(self.status("else", Status::Failure)?),
                };
                let rule = decorators::Precondition {
                    site,
                    condition: condition?,
                    otherwise,
                    parent: self.loader.parent_site(self.place),
                    fixed: self.fixed(),
                };
                n.custom(rule, children)
            }
            "LoopInt" | "LoopBool" | "LoopDouble" | "LoopString" => return self.each(children),
            "SkipUnlessUpdated" | "WaitValueUpdate" => {
                let otherwise = if kind == "WaitValueUpdate" {
                    Status::Running
                } else {
                    Status::Skipped
                };
                let entry = self.entry()?;
                n.custom(decorators::Updated { entry, otherwise }, children)
            }
            "AlwaysSuccess" => n.succeed(),
            "AlwaysFailure" => n.fail(),
            "Script" => leaves::script(self.program("code")?, site),
            "ScriptCondition" => leaves::script_condition(self.program("code")?, site),
            "Sleep" => {
                let msec = self.ports(|ports| ports.input("msec"))?;
                n.leaf("Sleep", leaves::Sleep { msec, site })
            }
            "SetBlackboard" => return self.set(),
            "UnsetBlackboard" if !self.fixed() && self.names_root("key") => {
                // In the reference no entry bears an `@`.
                let message =
                    "this removes nothing: `UnsetBlackboard` removes keys of its own tree";
                self.loader.report(
                    Diagnostic::warning("load::unset", message)
                        .at(self.node.kind.span, "its key begins with `@`")
                        .help("in the main tree leave the `@` out; `--fix-known-bugs` removes the root's key from anywhere"),
                );
                n.succeed()
            }
            "UnsetBlackboard" => match self.target("key") {
                // As in the reference, what is another tree's under a name of this one stays.
                Some(leaves::Target::Named(slot))
                    if !self.is_local(slot) && !self.names_root("key") =>
                {
                    n.succeed()
                }
                Some(target) => leaves::unset(target, site),
                None => {
                    let message = "Missing port [key] in UnsetBlackboard";
                    self.loader
                        .error("load::missing-port", message, self.node.kind.span);
                    return None;
                }
            },
            "WasEntryUpdated" => {
                let entry = self.entry()?;
                n.custom(leaves::WasUpdated { entry }, [])
            }
            "RecoveryNode" => {
                let retries = self.ports(|ports| ports.input("number_of_retries"))?;
                n.custom(nav2::Recovery { site, retries }, children)
            }
            "RoundRobin" => {
                let wrap_around = self.ports(|ports| ports.input("wrap_around"))?;
                let fixed = self.fixed();
                n.custom(nav2::RoundRobin { wrap_around, fixed }, children)
            }
            "PersistentSequence" => {
                let index = self.slot("current_child_idx");
                n.custom(nav2::Persistent { site, index }, children)
            }
            "RateController" => {
                let hz = self.ports(|ports| ports.input("hz"))?;
                let parent = self.loader.instances[self.place.id].parent;
                match parent.map(|id| self.loader.instances[id].kind.as_str()) {
                    // These keep its time themselves: they do not reset it when it finishes.
                    Some("PipelineSequence" | "NonblockingSequence") => {
                        n.custom(decorators::Transparent, children)
                    }
                    _ => n.custom(nav2::Rate { hz }, children),
                }
            }
            // Where the parent resets it, it is asked once an activation.
            "SingleTrigger" | "GoalUpdatedController" => {
                n.custom(decorators::Transparent, children)
            }
            "DistanceController" | "SpeedController" => {
                let parent = self.loader.instances[self.place.id].parent;
                match parent.map(|id| self.loader.instances[id].kind.as_str()) {
                    Some("PipelineSequence" | "NonblockingSequence") => {
                        n.custom(decorators::Transparent, children)
                    }
                    _ => {
                        let gauge = self.gauge(kind)?;
                        n.custom(ros::Controller { site, gauge }, children)
                    }
                }
            }
            "PathLongerOnApproach" => {
                let span = self.node.kind.span;
                let length = self
                    .loader
                    .asked(kind, "path_length", 1, &Type::Float, span);
                let (near, factor) = self.ports(|ports| {
                    Some((ports.input("prox_len")?, ports.input("length_factor")?))
                })?;
                let rule = ros::Longer {
                    site,
                    path: self.slot("path"),
                    near,
                    factor,
                    length: length?,
                };
                n.custom(rule, children)
            }
            "GoalUpdater" => {
                let span = self.node.kind.span;
                let pairs = ["goal", "goals"].map(|what| {
                    [
                        self.loader.given_key(&format!("{what}_update"), span),
                        self.slot(&format!("input_{what}")),
                        self.slot(&format!("output_{what}")),
                    ]
                });
                n.custom(
                    ros::Updater {
                        pairs: pairs.to_vec(),
                    },
                    children,
                )
            }
            "PauseResumeController" => {
                let span = self.node.kind.span;
                let paused = self.loader.asked(kind, "paused", 0, &Type::Bool, span)?;
                n.custom(ros::Pause { site, paused }, children)
            }
            other => {
                let message = format!("`{other}` is known but not made");
                self.loader
                    .error("load::builtin", message, self.node.kind.span);
                return None;
            }
        })
    }

    /// The last child as a tree of its own. (The first making of it reported its mistakes.)
    fn once_more(&mut self) -> Option<tickseed_core::Tree<C>> {
        let child = self.node.children.iter().rfind(|child| !child.disabled)?;
        let loader = &mut *self.loader;
        let counts = (
            loader.instances.len(),
            loader.diagnostics.len(),
            loader.halt_scripts.len(),
        );
        let paths = loader.subtree_paths.clone();
        // Paths may be taken twice: it stands in the place of its twin.
        loader.subtree_paths.clear();
        let made = loader
            .written(child, self.place.scope, Some(self.place.id))
            .node();
        loader.instances.truncate(counts.0);
        loader.diagnostics.truncate(counts.1);
        loader.halt_scripts.truncate(counts.2);
        loader.subtree_paths = paths;
        // They are counted again, without it.
        loader.twins = Twins::default();
        made?.build().ok()
    }

    /// What a controller measures.
    fn gauge(&mut self, kind: &str) -> Option<ros::Gauge<C>> {
        let span = self.node.kind.span;
        let model = models::model(kind)?;
        if kind == "DistanceController" {
            let source = self
                .loader
                .asked(kind, "robot_position", 0, &Type::Vec2, span)?;
            let distance = self.ports_of(model, |ports| ports.input("distance"))?;
            return Some(ros::Gauge::Distance { source, distance });
        }
        let source = self
            .loader
            .asked(kind, "robot_speed", 0, &Type::Float, span)?;
        let slots = ["goal", "goals"].map(|port| self.slot(port));
        let goals = slots.into_iter().flatten().filter(|slot| slot.0 < FIELDS);
        let goals = goals.collect();
        self.ports_of(model, |ports| {
            Some(ros::Gauge::Speed {
                source,
                rate: (ports.input("min_rate")?, ports.input("max_rate")?),
                speed: (ports.input("min_speed")?, ports.input("max_speed")?),
                goals,
            })
        })
    }

    /// What the first child does that finished and is ticked again.
    fn unreset_first(&self) -> Unreset {
        let first = self.node.children.iter().find(|child| !child.disabled);
        Unreset {
            repeats: first.is_some_and(|child| self.repeats(child)),
            hooked: first.is_some_and(hooked),
        }
    }

    /// Whether a finished node that is ticked again repeats its verdict.
    fn repeats(&self, node: &model::Node) -> bool {
        let kind = node.kind.as_str();
        match self.loader.registry.model(kind) {
            Some(model) => model.repeats,
            None => models::model(kind).is_some_and(|model| model.repeats),
        }
    }

    fn ends(&self) -> Ends {
        Ends {
            instance: self.place.id,
            lingers: self.loader.lingers(self.place).is_some(),
        }
    }

    fn parallel(&mut self, children: Vec<Node<C>>) -> Option<Node<C>> {
        let n = nodes::<C>();
        let site = self.site.clone();
        let all = self.node.kind == "ParallelAll";
        if children.len() > flow::MOST_CHILDREN {
            let message = format!(
                "at most {} children can run in parallel",
                flow::MOST_CHILDREN
            );
            self.loader
                .error("load::children", message, self.node.kind.span);
            return None;
        }
        let ends = self.ends();
        macro_rules! by_size {
            ($rule:ident { $($field:ident),* }) => {
                match children.len() {
                    0..=64 => n.custom(
                        flow::$rule::<[u64; 1]> { $($field,)* marks: PhantomData }, children),
                    65..=256 => n.custom(
                        flow::$rule::<[u64; 4]> { $($field,)* marks: PhantomData }, children),
                    _ => n.custom(
                        flow::$rule::<[u64; 64]> { $($field,)* marks: PhantomData }, children),
                }
            };
        }
        Some(if all {
            let max_failures = self.ports(|ports| ports.input("max_failures"))?;
            by_size!(ParallelAll {
                site,
                max_failures,
                ends
            })
        } else {
            let (success, failure) = self.ports(|ports| {
                Some((ports.input("success_count")?, ports.input("failure_count")?))
            })?;
            by_size!(Parallel {
                site,
                success,
                failure,
                ends
            })
        })
    }

    fn each(&mut self, children: Vec<Node<C>>) -> Option<Node<C>> {
        let element = match self.node.kind.as_str() {
            "LoopInt" => decorators::Element::Int,
            "LoopBool" => decorators::Element::Bool,
            "LoopDouble" => decorators::Element::Double,
            _ => decorators::Element::Text,
        };
        let queue = match (self.slot("queue"), self.text("queue")) {
            (Some(slot), _) => decorators::Queue::Entry(slot),
            (None, Some(text)) => match element.list(&text) {
                Some(list) => decorators::Queue::Fixed(list),
                None => {
                    let message = format!(
                        "The port with name \"queue\" and value \"{text}\" can not be converted to a list"
                    );
                    let help = format!(
                        "elements of `{}` are separated by `;`, without brackets: `1;0;1`",
                        self.node.kind
                    );
                    self.loader.report(
                        Diagnostic::error("load::port-value", message)
                            .at(self.node.kind.span, "")
                            .help(help),
                    );
                    return None;
                }
            },
            (None, None) => {
                let message = format!("Missing port [queue] in {}", self.node.kind);
                self.loader
                    .error("load::missing-port", message, self.node.kind.span);
                return None;
            }
        };
        self.loop_value(element);
        let if_empty = self.status("if_empty", Status::Success)?;
        let rule = decorators::Each {
            element,
            queue,
            value: self.slot("value"),
            if_empty,
            lingers: (self.loader.lingers(self.place)).filter(|_| if_empty == Status::Skipped),
            ends: self.ends(),
        };
        Some(nodes::<C>().custom(rule, children))
    }

    /// Elements go into a key: into a value given instead of one they cannot.
    fn loop_value(&mut self, element: decorators::Element) {
        let Some(text) = self.text("value") else {
            return;
        };
        let (ty, fits) = match element {
            decorators::Element::Int => ("int", element.parse(&text).is_some()),
            decorators::Element::Bool => ("bool", element.parse(&text).is_some()),
            decorators::Element::Double => ("double", element.parse(&text).is_some()),
            decorators::Element::Text => ("std::string", true),
        };
        let diagnostic = if fits {
            let message = format!("`{}` writes its elements nowhere", self.node.kind);
            Diagnostic::warning("load::output", message)
        } else {
            let message = format!(
                "The port with name \"value\" and value \"{text}\" can not be converted to {ty}"
            );
            Diagnostic::error("load::port-value", message)
        };
        self.loader.report(
            diagnostic
                .at(self.node.kind.span, "")
                .help("elements are written into a key: value=\"{key}\""),
        );
    }

    fn set(&mut self) -> Option<Node<C>> {
        let text = self.loader.type_mark("std::string");
        let value = match (self.slot("value"), self.text("value")) {
            (Some(slot), _) => leaves::Value::Entry(slot),
            (None, Some(text)) => leaves::Value::Text(text),
            (None, None) => {
                let message = "Missing port [value] in SetBlackboard";
                self.loader
                    .error("load::missing-port", message, self.node.kind.span);
                return None;
            }
        };
        let Some(target) = self.target("output_key") else {
            let message = "Missing port [output_key] in SetBlackboard";
            self.loader
                .error("load::missing-port", message, self.node.kind.span);
            return None;
        };
        Some(leaves::set(value, target, text, self.site.clone()))
    }

    /// Children of these are not reset when they finish, and some can tell.
    fn pipeline(&mut self) -> Option<Node<C>> {
        let (mut children, mut policies, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let mut ok = true;
        for child in self.node.children.iter().filter(|child| !child.disabled) {
            let policy = match child.kind.as_str() {
                "RateController" => {
                    let model = models::model("RateController")?;
                    let given = self.loader.given(child, model, self.place);
                    let outer = std::mem::replace(&mut self.given, given?);
                    let hz = self.ports_of(model, |ports| ports.input("hz"));
                    self.given = outer;
                    hz.map(Policy::Rate)
                }
                kind @ ("DistanceController" | "SpeedController") => {
                    let model = models::model(kind)?;
                    let given = self.loader.given(child, model, self.place);
                    let outer = std::mem::replace(&mut self.given, given?);
                    let gauge = self.gauge(kind);
                    self.given = outer;
                    gauge.map(Policy::Gauge)
                }
                "SingleTrigger" => Some(Policy::Once),
                "GoalUpdatedController" => {
                    let model = models::model("GoalUpdatedController")?;
                    let given = self.loader.given(child, model, self.place)?;
                    let slots = given.iter().filter_map(|gift| match &gift.given {
                        Given::Key(slot) if slot.0 < FIELDS => Some(*slot),
                        _ => None,
                    });
                    Some(Policy::Changed(slots.collect()))
                }
                _ => Some(Policy::Again(Unreset {
                    repeats: self.repeats(child),
                    hooked: hooked(child),
                })),
            };
            let id = self.loader.instances.len();
            let made = self
                .loader
                .written(child, self.place.scope, Some(self.place.id))
                .node();
            match (policy, made) {
                (Some(policy), Some(made)) => {
                    names.push(
                        self.loader
                            .instances
                            .get(id)
                            .map_or(String::new(), |i| i.name.to_string()),
                    );
                    policies.push(policy);
                    children.push(made);
                }
                _ => ok = false,
            }
        }
        if children.len() > nav2::MOST_KEPT {
            let message = format!(
                "`{}` takes at most {} children",
                self.node.kind,
                nav2::MOST_KEPT
            );
            self.loader
                .error("load::children", message, self.node.kind.span);
            ok = false;
        }
        let rule = nav2::Pipeline {
            site: self.site.clone(),
            policies,
            names,
            nonblocking: self.node.kind == "NonblockingSequence",
        };
        ok.then(|| nodes::<C>().custom(rule, children))
    }

    fn ports_of<T>(
        &mut self,
        model: &'static crate::registry::Model,
        read: impl FnOnce(&mut Ports<'_>) -> Option<T>,
    ) -> Option<T> {
        let mut ports = Ports {
            name: &self.site.name,
            span: self.node.kind.span,
            at: Whereabouts {
                instances: &self.loader.instances,
                scopes: self.loader.layout.scopes(),
                twins: &self.loader.twins,
                id: self.place.id,
            },
            model,
            given: &self.given,
            diagnostics: &mut self.loader.diagnostics,
        };
        read(&mut ports)
    }
}
