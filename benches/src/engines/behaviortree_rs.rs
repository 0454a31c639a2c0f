//! behaviortree-rs 0.2.4 (not to be confused with `behaviortree`, whose licence keeps it out of here).
//!
//! - Trees are instantiated from XML, an agent at a time, with nodes registered under names, as the
//!   crate's documentation has it; synchronous trees.
//! - Nodes must be `Send + Sync` and cannot borrow, so what leaves read and count is shared in atomics with
//!   relaxed plain loads and stores: cheaper than the crate's blackboard (string keys, two locks) and than a
//!   mutex of ours.
//! - The library's future-returning nodes are written with its macro, which dictates their form.
//! - W1: cooldown is a decorator of ours and wait a stateful action of ours; halting is the library's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::Relaxed};

use behaviortree_rs::basic_types::{NodeCategory, TreeNodeManifest};
use behaviortree_rs::nodes::{NodeConfig, TreeNode};
use behaviortree_rs::prelude::*;
use behaviortree_rs::tree::SyncTree;

use crate::workloads::{Deep, Monster, Wide, deep, monster, wide, wide::wide_branches};
use crate::{Engine, Outcome, World};

/// What leaves of any workload share: facts in, counts out.
pub trait Facts<W>: Send + Sync + Default + 'static {
    /// Takes over the world's present input.
    fn publish(&self, world: &W);
    /// The counters, in the world's order.
    fn counters(&self) -> Vec<u64>;
    /// The tree, in the library's XML.
    fn xml() -> String;
    /// Registers the workload's own nodes.
    fn register(facts: &Arc<Self>, factory: &mut Factory);
}

/// The name of a leaf, and what it does with the facts.
type Leaf<F> = (&'static str, fn(&F) -> bool);

/// Adds to a counter that only one thread writes.
fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Relaxed) + amount, Relaxed);
}

fn verdict(holds: bool) -> NodeStatus {
    if holds {
        NodeStatus::Success
    } else {
        NodeStatus::Failure
    }
}

fn document(tree: &str) -> String {
    format!("<root BTCPP_format=\"4\"><BehaviorTree ID=\"main\">{tree}</BehaviorTree></root>")
}

/// Registers a node type under a name, with a constructor, as the library's macros do (their form for several
/// constructor arguments does not compile with a name held in a variable).
fn register(
    factory: &mut Factory,
    category: NodeCategory,
    name: &'static str,
    make: impl Fn(&str, NodeConfig) -> TreeNode + Send + Sync + 'static,
) {
    let build = move |config, children| {
        let mut node = make(name, config);
        let manifest = TreeNodeManifest::new(node.node_category(), name, node.provided_ports(), "");
        node.config_mut().set_manifest(Arc::new(manifest));
        node.data.children = children;
        node
    };
    factory.register_node(name, build, category);
}

/// W1's shared facts.
#[derive(Debug, Default)]
pub struct MonsterFacts {
    now_ms: AtomicU32,
    hp: AtomicU32,
    has_target: AtomicBool,
    enraged: AtomicU64,
    struck: AtomicU64,
    idled: AtomicU64,
}

#[bt_node(SyncActionNode)]
struct MonsterLeaf {
    facts: Arc<MonsterFacts>,
    run: fn(&MonsterFacts) -> bool,
}

#[bt_node(SyncActionNode, tick = tick)]
impl MonsterLeaf {
    async fn tick(&mut self) -> NodeResult {
        Ok(verdict((self.run)(&self.facts)))
    }
}

#[bt_node(DecoratorNode)]
struct Cooldown {
    facts: Arc<MonsterFacts>,
    #[bt(default = "0")]
    ready_ms: u32,
}

#[bt_node(DecoratorNode, tick = tick, halt = halt)]
impl Cooldown {
    async fn tick(&mut self) -> NodeResult {
        let now_ms = self.facts.now_ms.load(Relaxed);
        if node_.status != NodeStatus::Running && now_ms < self.ready_ms {
            return Ok(NodeStatus::Failure);
        }
        node_.set_status(NodeStatus::Running);
        let status = node_.child().unwrap().execute_tick().await?;
        if status != NodeStatus::Running {
            node_.reset_child().await;
            node_.set_status(NodeStatus::Idle);
        }
        if status == NodeStatus::Success {
            self.ready_ms = now_ms + monster::ENRAGE_COOLDOWN_MS;
        }
        Ok(status)
    }

    async fn halt(&mut self) {
        node_.reset_child().await;
    }
}

#[bt_node(StatefulActionNode)]
struct Wait {
    facts: Arc<MonsterFacts>,
    #[bt(default = "0")]
    until_ms: u32,
}

#[bt_node(StatefulActionNode, on_start = on_start, on_running = on_running)]
impl Wait {
    async fn on_start(&mut self) -> NodeResult {
        self.until_ms = self.facts.now_ms.load(Relaxed) + monster::WIND_UP_MS;
        Ok(NodeStatus::Running)
    }

    async fn on_running(&mut self) -> NodeResult {
        if self.facts.now_ms.load(Relaxed) < self.until_ms {
            Ok(NodeStatus::Running)
        } else {
            Ok(NodeStatus::Success)
        }
    }
}

impl Facts<Monster> for MonsterFacts {
    fn publish(&self, world: &Monster) {
        self.now_ms.store(world.now_ms, Relaxed);
        self.hp.store(world.hp, Relaxed);
        self.has_target.store(world.has_target, Relaxed);
    }

    fn counters(&self) -> Vec<u64> {
        [&self.enraged, &self.struck, &self.idled]
            .map(|counter| counter.load(Relaxed))
            .to_vec()
    }

    fn xml() -> String {
        document(
            "<ReactiveFallback>
                <Sequence><LowHp/><Cooldown><CastEnrage/></Cooldown></Sequence>
                <Sequence><HasTarget/><Wait/><Strike/></Sequence>
                <Idle/>
            </ReactiveFallback>",
        )
    }

    fn register(facts: &Arc<Self>, factory: &mut Factory) {
        let leaves: [Leaf<MonsterFacts>; 5] = [
            ("LowHp", |facts| facts.hp.load(Relaxed) < monster::LOW_HP),
            ("HasTarget", |facts| facts.has_target.load(Relaxed)),
            ("CastEnrage", |facts| {
                add(&facts.enraged, 1);
                true
            }),
            ("Strike", |facts| {
                add(&facts.struck, 1);
                true
            }),
            ("Idle", |facts| {
                add(&facts.idled, 1);
                true
            }),
        ];
        for (name, run) in leaves {
            let facts = Arc::clone(facts);
            register(factory, NodeCategory::Action, name, move |name, config| {
                MonsterLeaf::create_node(name, config, Arc::clone(&facts), run)
            });
        }
        let shared = Arc::clone(facts);
        register(
            factory,
            NodeCategory::Action,
            "Wait",
            move |name, config| Wait::create_node(name, config, Arc::clone(&shared)),
        );
        let shared = Arc::clone(facts);
        register(
            factory,
            NodeCategory::Decorator,
            "Cooldown",
            move |name, config| Cooldown::create_node(name, config, Arc::clone(&shared)),
        );
    }
}

/// W2's shared facts.
#[derive(Debug, Default)]
pub struct WideFacts {
    alarm: AtomicI32,
    range: AtomicI32,
    load: AtomicI32,
    ran: [AtomicU64; wide::BRANCHES],
}

#[bt_node(SyncActionNode)]
struct WideCheck {
    facts: Arc<WideFacts>,
    test: fn(&WideFacts) -> bool,
}

#[bt_node(SyncActionNode, tick = tick)]
impl WideCheck {
    async fn tick(&mut self) -> NodeResult {
        Ok(verdict((self.test)(&self.facts)))
    }
}

#[bt_node(SyncActionNode)]
struct WideRun {
    facts: Arc<WideFacts>,
    branch: usize,
}

#[bt_node(SyncActionNode, tick = tick)]
impl WideRun {
    async fn tick(&mut self) -> NodeResult {
        add(&self.facts.ran[self.branch], 1);
        Ok(NodeStatus::Success)
    }
}

impl Facts<Wide> for WideFacts {
    fn publish(&self, world: &Wide) {
        self.alarm.store(world.facts.alarm, Relaxed);
        self.range.store(world.facts.range, Relaxed);
        self.load.store(world.facts.load, Relaxed);
    }

    fn counters(&self) -> Vec<u64> {
        self.ran
            .iter()
            .map(|counter| counter.load(Relaxed))
            .collect()
    }

    fn xml() -> String {
        let branches: String = (0..wide::BRANCHES)
            .map(|i| {
                format!("<Sequence><A{i}/><B{i}/><Inverter><C{i}/></Inverter><Run{i}/></Sequence>")
            })
            .collect();
        document(&format!("<Fallback>{branches}</Fallback>"))
    }

    fn register(facts: &Arc<Self>, factory: &mut Factory) {
        macro_rules! branches {
            ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
                $(
                    let checks: [Leaf<WideFacts>; 3] = [
                        (concat!("A", $i), |facts| facts.$a.load(Relaxed) $ao $av),
                        (concat!("B", $i), |facts| facts.$b.load(Relaxed) $bo $bv),
                        (concat!("C", $i), |facts| facts.$c.load(Relaxed) $co $cv),
                    ];
                    for (name, test) in checks {
                        let facts = Arc::clone(facts);
                        register(factory, NodeCategory::Action, name, move |name, config| {
                            WideCheck::create_node(name, config, Arc::clone(&facts), test)
                        });
                    }
                    let shared = Arc::clone(facts);
                    register(factory, NodeCategory::Action, concat!("Run", $i), move |name, config| {
                        WideRun::create_node(name, config, Arc::clone(&shared), $i)
                    });
                )*
            };
        }
        wide_branches!(branches);
    }
}

/// W3's shared facts.
#[derive(Debug, Default)]
pub struct DeepFacts {
    powered: AtomicBool,
    effort: AtomicU32,
    entered: AtomicU64,
    worked: AtomicU64,
    left: AtomicU64,
}

#[bt_node(SyncActionNode)]
struct DeepLeaf {
    facts: Arc<DeepFacts>,
    run: fn(&DeepFacts) -> bool,
}

#[bt_node(SyncActionNode, tick = tick)]
impl DeepLeaf {
    async fn tick(&mut self) -> NodeResult {
        Ok(verdict((self.run)(&self.facts)))
    }
}

#[bt_node(StatefulActionNode)]
struct Work {
    facts: Arc<DeepFacts>,
    #[bt(default = "0")]
    ticks: u32,
}

#[bt_node(StatefulActionNode, on_start = on_start, on_running = on_running)]
impl Work {
    async fn on_start(&mut self) -> NodeResult {
        add(
            &self.facts.worked,
            u64::from(self.facts.effort.load(Relaxed)),
        );
        self.ticks = 1;
        Ok(NodeStatus::Running)
    }

    async fn on_running(&mut self) -> NodeResult {
        add(
            &self.facts.worked,
            u64::from(self.facts.effort.load(Relaxed)),
        );
        if self.ticks < deep::WORK_TICKS {
            self.ticks += 1;
            Ok(NodeStatus::Running)
        } else {
            Ok(NodeStatus::Success)
        }
    }
}

impl Facts<Deep> for DeepFacts {
    fn publish(&self, world: &Deep) {
        self.powered.store(world.powered, Relaxed);
        self.effort.store(world.effort, Relaxed);
    }

    fn counters(&self) -> Vec<u64> {
        [&self.entered, &self.worked, &self.left]
            .map(|counter| counter.load(Relaxed))
            .to_vec()
    }

    fn xml() -> String {
        document(
            &(0..deep::LEVELS).fold(String::from("<Work/>"), |inner, _| {
                format!("<Sequence><Enter/><Powered/>{inner}<Leave/></Sequence>")
            }),
        )
    }

    fn register(facts: &Arc<Self>, factory: &mut Factory) {
        let leaves: [Leaf<DeepFacts>; 3] = [
            ("Enter", |facts| {
                add(&facts.entered, 1);
                true
            }),
            ("Powered", |facts| facts.powered.load(Relaxed)),
            ("Leave", |facts| {
                add(&facts.left, 1);
                true
            }),
        ];
        for (name, run) in leaves {
            let facts = Arc::clone(facts);
            register(factory, NodeCategory::Action, name, move |name, config| {
                DeepLeaf::create_node(name, config, Arc::clone(&facts), run)
            });
        }
        let shared = Arc::clone(facts);
        register(
            factory,
            NodeCategory::Action,
            "Work",
            move |name, config| Work::create_node(name, config, Arc::clone(&shared)),
        );
    }
}

/// The world that makes the input, its published facts, and what builds agents.
pub struct BehaviortreeRs<W, F> {
    world: W,
    facts: Arc<F>,
    factory: Factory,
    blackboard: Blackboard,
}

impl<W: World, F: Facts<W>> Engine<W> for BehaviortreeRs<W, F> {
    const NAME: &'static str = "behaviortree-rs 0.2.4";
    type Agent = SyncTree;

    fn new() -> Self {
        let facts = Arc::new(F::default());
        let mut factory = Factory::new();
        F::register(&facts, &mut factory);
        factory
            .register_bt_from_text(F::xml())
            .expect("our XML is well formed");
        Self {
            world: W::new(),
            facts,
            factory,
            blackboard: Blackboard::create(),
        }
    }

    fn spawn(&mut self) -> SyncTree {
        self.factory
            .instantiate_sync_tree(&self.blackboard, "main")
            .expect("every node of our XML is registered")
    }

    #[inline]
    fn tick(&mut self, agent: &mut SyncTree) -> Outcome {
        match agent.tick_once() {
            Ok(NodeStatus::Success) => Outcome::Success,
            Ok(NodeStatus::Failure) => Outcome::Failure,
            Ok(NodeStatus::Running) => Outcome::Running,
            other => panic!("a tick ended in {other:?}"),
        }
    }

    #[inline]
    fn with_world<R>(&mut self, act: impl FnOnce(&mut W) -> R) -> R {
        let result = act(&mut self.world);
        self.facts.publish(&self.world);
        result
    }

    fn counters(&mut self) -> Vec<u64> {
        self.facts.counters()
    }
}
