//! The state machine that a tree amounts to, found by experiment.
//!
//! The states are the leaves that the tree can be busy with; the arrows are the transitions between
//! them. They are found by running the tree: it is rebuilt with conditions that give prescribed
//! answers and actions that keep running, and from every state reached, every combination of
//! answers is ticked. The engine itself decides, so there is no second definition of what a tree
//! means.
//!
//! Where actions that keep running make others unreachable, actions are treated as guards as well:
//! whether an action keeps running, or has ended so that its parent asks the next child, is then
//! one more answer.
//!
//! Times and scores have infinitely many values, but what a tree makes of them is finite: whether a
//! wait is over, whether a cooldown is open, which child scores best. These are answers too. They
//! are assumed to be independent, so the machine may have arrows that a real clock would never
//! allow.

use std::collections::HashMap;

use serde::Serialize;
use tickseed_core::nodes::{Choose, Closed, Flow, Score};
use tickseed_core::{
    Context, Def, Kind, Node, NodeId, Nodes, Status, TickReport, Time, Tree, nodes,
};

/// Two to the power of this many combinations are tried from each state.
const MOST_CONDITIONS: usize = 10;

/// The answers that the conditions are to give.
struct Told {
    answers: u32,
}

impl Context for Told {
    type At<'a> = Told;
}

impl Told {
    fn says(&self, bit: usize) -> bool {
        bit < 32 && self.answers >> bit & 1 == 1
    }
}

/// A tree's state machine.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    /// The conditions, in the tree's order.
    conditions: Vec<String>,
    states: Vec<State>,
    arrows: Vec<Arrow>,
    /// The next state follows from the answers alone, whatever the state is: so one branch
    /// of the tree stands for a whole row of arrows.
    memoryless: bool,
    /// Some of the conditions are what time or scores will say.
    free: bool,
    /// How many combinations of answers were ticked.
    tried: usize,
}

#[derive(Debug, Serialize)]
struct State {
    node: u32,
    label: String,
}

#[derive(Debug, Serialize)]
struct Arrow {
    from: usize,
    to: usize,
    /// The conditions that all ways along this arrow agree on, with what they answer.
    when: Vec<(usize, bool)>,
}

/// What a node without a name asks, as it is written.
pub(crate) type Written<'a> = &'a dyn Fn(NodeId) -> Option<String>;

/// Explores a tree.
///
/// # Errors
/// Why the machine cannot be derived.
pub(crate) fn explore(def: &Def, written: Written<'_>) -> Result<Machine, String> {
    let machine = derive(def, written, false)?;
    let acts = |kind: &Kind| {
        let instant = matches!(kind, Kind::Action { instant: true, .. });
        matches!(kind, Kind::Action { .. } | Kind::Leaf { .. }) && !instant
    };
    let all = def.iter().filter(|(_, n)| acts(&n.kind)).count();
    if machine.states.len() < all {
        return derive(def, written, true);
    }
    Ok(machine)
}

/// Explores a tree whose actions go on; or `end`, so that the next children are tried.
fn derive(def: &Def, written: Written<'_>, end: bool) -> Result<Machine, String> {
    let mut shadow = Shadow {
        def,
        written,
        end,
        conditions: Vec::new(),
        origins: Vec::new(),
        free: false,
    };
    let root = shadow.copy(nodes::<Told>(), NodeId::ROOT, None)?;
    let count = shadow.conditions.len();
    if count > MOST_CONDITIONS {
        return Err(format!(
            "not derivable: {count} conditions make {} combinations of answers, more than can be shown",
            1_u64 << count.min(63)
        ));
    }
    let (conditions, origins, free) = (shadow.conditions, shadow.origins, shadow.free);
    let tree = root.build().map_err(|e| format!("not derivable: {e}"))?;
    let mut exploring = Exploring {
        tree: &tree,
        states: Vec::new(),
        paths: Vec::new(),
        index: HashMap::new(),
    };
    exploring
        .reach(1 << count)
        .map_err(|e| format!("not derivable: {e}"))?;
    let mut ways: HashMap<(usize, usize), (u32, u32)> = HashMap::new();
    let mut targets = vec![None; 1 << count];
    let mut memoryless = true;
    let mut tried = 1 << count;
    let mut from = 0;
    while from < exploring.states.len() {
        let path = exploring.paths[from].clone();
        for answers in 0..1_u32 << count {
            let to = exploring
                .tick(&path, answers)
                .map_err(|e| format!("not derivable: {e}"))?;
            tried += 1;
            let target = targets[answers as usize].get_or_insert(to);
            memoryless &= *target == to;
            if to != from {
                let way = ways.entry((from, to)).or_insert((u32::MAX, u32::MAX));
                way.0 &= answers;
                way.1 &= !answers;
            }
        }
        from += 1;
    }
    let mut order: Vec<usize> = (0..exploring.states.len()).collect();
    order.sort_by_key(|&s| exploring.states[s]);
    let place = |s: usize| order.iter().position(|&o| o == s).unwrap_or(s);
    let mut arrows: Vec<Arrow> = ways
        .into_iter()
        .map(|((from, to), (yes, no))| Arrow {
            from: place(from),
            to: place(to),
            when: (0..count)
                .filter_map(|c| match (yes >> c & 1, no >> c & 1) {
                    (1, _) => Some((c, true)),
                    (_, 1) => Some((c, false)),
                    _ => None,
                })
                .collect(),
        })
        .collect();
    arrows.sort_by_key(|a| (a.from, a.to));
    let states = order
        .iter()
        .map(|&s| {
            let node = exploring.states[s];
            let origin = origins[node.0 as usize];
            State {
                node: origin.0,
                label: tree.node(node).label().to_owned(),
            }
        })
        .collect();
    Ok(Machine {
        conditions,
        states,
        arrows,
        memoryless,
        free,
        tried,
    })
}

/// The states found so far, each with the answers that lead to it from the start.
struct Exploring<'t> {
    tree: &'t Tree<Told>,
    states: Vec<NodeId>,
    paths: Vec<Vec<u32>>,
    index: HashMap<NodeId, usize>,
}

impl Exploring<'_> {
    fn reach(&mut self, combinations: u32) -> Result<(), String> {
        for answers in 0..combinations {
            self.tick(&[], answers)?;
        }
        Ok(())
    }

    /// The state that one more tick leads to.
    fn tick(&mut self, path: &[u32], answers: u32) -> Result<usize, String> {
        let mut agent = self.tree.agent();
        let mut report = TickReport::new();
        let path: Vec<u32> = path.iter().copied().chain([answers]).collect();
        for &answers in &path {
            report.clear();
            self.tree
                .tick_traced(&mut agent, &mut Told { answers }, Time::ZERO, &mut report)
                .map_err(|e| e.to_string())?;
        }
        let leaf = report.deciding_leaf().ok_or("nothing decides")?;
        let next = self.states.len();
        let state = *self.index.entry(leaf).or_insert(next);
        if state == next {
            self.states.push(leaf);
            self.paths.push(path);
        }
        Ok(state)
    }
}

/// A copy of a tree whose leaves do as they are told.
struct Shadow<'d> {
    def: &'d Def,
    written: Written<'d>,
    /// Actions may be over.
    end: bool,
    conditions: Vec<String>,
    /// For each node of the copy, which one it stands for.
    origins: Vec<NodeId>,
    /// Time or scores are answers.
    free: bool,
}

impl Shadow<'_> {
    /// `on` is the answer after which the parent goes on to the next child, if there is one.
    fn copy(
        &mut self,
        n: Nodes<Told>,
        id: NodeId,
        on: Option<Status>,
    ) -> Result<Node<Told>, String> {
        let node = self.def.node(id);
        self.origins.push(id);
        let label = node.label().to_owned();
        if let Kind::Gate(gate) = &node.kind
            && gate.closed == Closed::Failure
        {
            // Asked on the way in only, as a gate is.
            self.origins.push(id);
            self.free = true;
            let open = self.condition(n, format!("{label} is open"));
            let child = self.copy(n, node.children[0], on)?;
            return Ok(n.sequence([open, child]).named(label));
        }
        let mut children = Vec::new();
        let next = match &node.kind {
            Kind::Sequence(_) => Some(Status::Success),
            Kind::Selector(_) => Some(Status::Failure),
            _ => None,
        };
        for (i, &child) in node.children.iter().enumerate() {
            let last = i + 1 == node.children.len();
            children.push(self.copy(n, child, next.filter(|_| !last))?);
        }
        let copy = match &node.kind {
            Kind::Condition(_) => {
                // Without a name it goes by what it asks: two of those may differ.
                let asks = node.name.is_none().then(|| (self.written)(id)).flatten();
                self.condition(n, asks.unwrap_or_else(|| label.clone()))
            }
            // Over at once, and who knows how.
            Kind::Action { instant: true, .. } => self.condition(n, label.clone()),
            Kind::Action { .. } | Kind::Leaf { .. } => match on.filter(|_| self.end) {
                Some(over) => {
                    let bit = self.bit(format!("{label} goes on"));
                    n.action(label.clone(), move |t| {
                        if t.says(bit) { Status::Running } else { over }
                    })
                }
                None => n.action(label.clone(), |_| Status::Running),
            },
            Kind::Wait(_) => {
                self.free = true;
                let bit = self.bit(format!("{label} is over"));
                n.action(label.clone(), move |t| match t.says(bit) {
                    true => Status::Success,
                    false => Status::Running,
                })
            }
            Kind::Constant(Status::Success) => n.succeed(),
            Kind::Constant(Status::Failure) => n.fail(),
            Kind::Constant(Status::Running) => n.run_forever(),
            Kind::Sequence(flow) => with(flow, n.sequence(children))
                .ok_or_else(|| underivable(&label, "it draws lots or keeps its place"))?,
            Kind::Selector(flow) => with(flow, n.selector(children))
                .ok_or_else(|| underivable(&label, "it draws lots or keeps its place"))?,
            Kind::Invert => n.invert(children.swap_remove(0)),
            Kind::Force(Status::Failure) => n.force_failure(children.swap_remove(0)),
            Kind::Force(_) => n.force_success(children.swap_remove(0)),
            Kind::Utility(utility) if utility.choose == Choose::Highest => {
                let all = self.scored(n, &node.children, children);
                let copy = n.utility(all);
                if utility.reactive {
                    copy.reactive()
                } else {
                    copy
                }
            }
            Kind::Utility(_) => return Err(underivable(&label, "it draws lots")),
            Kind::Gate(_) | Kind::TimeLimit(_) | Kind::Delay(_) => {
                return Err(underivable(
                    &label,
                    "it depends on time, which is not finite",
                ));
            }
            other => {
                let why = format!("a {} is more than a guard or an action", other.name());
                return Err(underivable(&label, &why));
            }
        };
        Ok(copy.named(label))
    }

    /// Children whose scores are answers: the first of which it is said scores best; the last
    /// if it is said of none.
    fn scored(
        &mut self,
        n: Nodes<Told>,
        ids: &[NodeId],
        children: Vec<Node<Told>>,
    ) -> Vec<(Score<Told>, Node<Told>)> {
        self.free = true;
        let last = children.len() - 1;
        let of = |(i, child)| {
            if i == last {
                return (n.score(|_| 0.5), child);
            }
            let label = self.def.node(ids[i]).label();
            let bit = self.bit(format!("{label} scores best"));
            let best = (last - i) as f64;
            let score = n.score(move |t: &Told| if t.says(bit) { best } else { 0.0 });
            (score, child)
        };
        children.into_iter().enumerate().map(of).collect()
    }

    fn condition(&mut self, n: Nodes<Told>, label: String) -> Node<Told> {
        let bit = self.bit(label.clone());
        n.condition(label, move |t: &Told| t.says(bit))
    }

    /// Where the answer stands. The same question at two places gets the same answer.
    fn bit(&mut self, asked: String) -> usize {
        let known = self.conditions.iter().position(|c| *c == asked);
        known.unwrap_or_else(|| {
            self.conditions.push(asked);
            self.conditions.len() - 1
        })
    }
}

fn with(flow: &Flow, node: Node<Told>) -> Option<Node<Told>> {
    match flow {
        Flow::Memory => Some(node),
        Flow::Reactive { .. } => Some(node.reactive()),
        Flow::Random { .. } | Flow::KeepPlace => None,
    }
}

fn underivable(label: &str, why: &str) -> String {
    format!("not derivable: `{label}` stands in the way, since {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(m: &Machine) -> Vec<String> {
        let say = |a: &Arrow| {
            let when: Vec<String> = a
                .when
                .iter()
                .map(|&(c, yes)| format!("{}{}", if yes { "" } else { "!" }, m.conditions[c]))
                .collect();
            format!(
                "{} -> {}: {}",
                m.states[a.from].label,
                m.states[a.to].label,
                when.join(", ")
            )
        };
        m.arrows.iter().map(say).collect()
    }

    fn unwritten(_: NodeId) -> Option<String> {
        None
    }

    #[test]
    fn the_robot_is_three_states_and_six_arrows_and_a_dock_makes_them_twelve() {
        let mut robot = tickseed_worlds::create("robot", 1, None).unwrap();
        let machine = explore(robot.def(), &unwritten).unwrap();
        assert!(machine.memoryless);
        assert_eq!(
            told(&machine),
            [
                "recharge -> approach: !battery low, target visible",
                "recharge -> patrol: !battery low, !target visible",
                "approach -> recharge: battery low",
                "approach -> patrol: !battery low, !target visible",
                "patrol -> recharge: battery low",
                "patrol -> approach: !battery low, target visible",
            ]
        );
        let docked = tickseed_worlds::toggled(&*robot).unwrap();
        robot.reload(&docked).unwrap();
        let with_dock = explore(robot.def(), &unwritten).unwrap();
        assert_eq!((with_dock.states.len(), with_dock.arrows.len()), (4, 12));
    }

    #[test]
    fn memory_makes_rows_differ() {
        let n = nodes::<Told>();
        let tree = n
            .sequence([
                n.condition("go", |_: &Told| true),
                n.action("first", |_| Status::Running),
            ])
            .named("job");
        let tree = n
            .selector([tree, n.action("rest", |_| Status::Running)])
            .build()
            .unwrap();
        let machine = explore(tree.def(), &unwritten).unwrap();
        assert!(!machine.memoryless, "who rests goes on resting");
        assert!(machine.arrows.is_empty());
    }

    #[test]
    fn actions_that_are_guards_themselves_are_states_all_the_same() {
        let monster = tickseed_worlds::create("monster", 1, None).unwrap();
        let machine = explore(monster.def(), &unwritten).unwrap();
        assert_eq!((machine.states.len(), machine.arrows.len()), (4, 12));
        assert!(machine.memoryless);
        assert_eq!(
            told(&machine)[..2],
            [
                "die -> idle: !die goes on, idle goes on",
                "die -> walk: !die goes on, !idle goes on, walk goes on",
            ]
        );
        // One that is done in a sequence leads to the next.
        let n = nodes::<Told>();
        let steps = ["go", "take", "leave"].map(|s| n.action(s, |_| Status::Running));
        let machine = explore(n.sequence(steps).build().unwrap().def(), &unwritten).unwrap();
        assert_eq!(machine.states.len(), 3);
        assert!(!machine.memoryless, "it keeps its place");
    }

    #[test]
    fn what_time_and_scores_say_is_an_answer() {
        let boss = tickseed_worlds::create("boss", 1, None).unwrap();
        let machine = explore(boss.def(), &unwritten).unwrap();
        assert!(machine.free);
        let states: Vec<&str> = machine.states.iter().map(|s| s.label.as_str()).collect();
        assert_eq!(states, ["cast-enrage", "wind-up", "strike", "idle"]);
        let told = told(&machine);
        let expected = "idle -> cast-enrage: hp<20%, enrage-cd is open, cast-enrage";
        assert!(told.iter().any(|a| a == expected), "{told:#?}");
        let guard = tickseed_worlds::create("guard", 1, None).unwrap();
        let machine = explore(guard.def(), &unwritten).unwrap();
        let states: Vec<&str> = machine.states.iter().map(|s| s.label.as_str()).collect();
        assert_eq!(states, ["move to target", "attack", "circle", "patrol"]);
        let villager = tickseed_worlds::create("villager", 1, None).unwrap();
        let machine = explore(villager.def(), &unwritten).unwrap();
        assert_eq!(machine.states.len(), 8);
        assert!(!machine.memoryless, "who has arrived does not walk again");
    }

    #[test]
    fn what_is_not_finite_is_said_to_be_so() {
        let n = nodes::<Told>();
        let second = std::time::Duration::from_secs(1);
        let tree = n.selector([n.delay(second, n.run_forever()).named("nap"), n.fail()]);
        let why = explore(tree.build().unwrap().def(), &unwritten).unwrap_err();
        assert_eq!(
            why,
            "not derivable: `nap` stands in the way, since it depends on time, which is not finite"
        );
        let many = n.selector((0..11).map(|i| n.condition(format!("c{i}"), |_: &Told| true)));
        let why = explore(many.build().unwrap().def(), &unwritten).unwrap_err();
        assert!(why.contains("11 conditions make 2048"), "{why}");
    }
}
