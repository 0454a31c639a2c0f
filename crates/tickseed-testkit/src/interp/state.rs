//! What the interpreter keeps for each node.

use tickseed_core::interpret::{Functions, SideSlot};
use tickseed_core::nodes::Flow;
use tickseed_core::{Context, Deadline, History, Kind, NodeDef, Status};

/// The state of one node of one agent. Every kind uses the few fields it needs.
pub(super) struct State {
    /// Whether the node was entered and has neither finished nor been halted.
    pub(super) active: bool,
    /// The child that is running or is to run next: flows, branches, switch, utility.
    pub(super) current: Option<usize>,
    /// Whether any child of this activation was not skipped: flows, for-each.
    pub(super) asked: bool,
    /// Which children were visited in this activation: random flows.
    pub(super) visited: Vec<bool>,
    /// Verdicts of children: parallel.
    pub(super) verdicts: Vec<Option<Status>>,
    /// The verdict, once known, while leftover children are awaited: parallel.
    pub(super) decided: Option<Status>,
    /// The child that the last tick ticked last: custom.
    pub(super) last: Option<usize>,
    /// Rounds of this activation: loops; the index of the round: for-each.
    pub(super) round: u32,
    /// How many rounds there are: for-each.
    pub(super) count: u32,
    /// When the time is up: wait, wait-until, delay, time limit; the dwell time of a utility
    /// selector.
    pub(super) until: Deadline,
    /// Whether the waiting is over: delay.
    pub(super) waited: bool,
    /// Plain state: leaves, custom nodes.
    pub(super) bytes: Vec<u8>,
    /// Boxed state: leaves.
    pub(super) side: SideSlot,
    /// What outlives activations; `None` for kinds that keep no history.
    pub(super) history: Option<History>,
}

/// The history of a gate that is open.
pub(super) fn open_gate() -> History {
    History::Gate {
        until: Deadline::from_bits(0),
        verdict: None,
    }
}

impl State {
    pub(super) fn new<C: Context>(node: &NodeDef, functions: &Functions<'_, C>) -> State {
        let (mut bytes, mut history) = (0, None);
        match &node.kind {
            Kind::Leaf { boxed: false, .. } => bytes = functions.leaf().size(),
            Kind::Sequence(Flow::KeepPlace) | Kind::Selector(Flow::KeepPlace) => {
                history = Some(History::Place(0));
            }
            Kind::Gate(_) => history = Some(open_gate()),
            Kind::RunOnce(_) => history = Some(History::Once(None)),
            Kind::LimitRuns(_) => history = Some(History::Runs(0)),
            Kind::Custom(_) => {
                let (state, memory) = functions.custom().sizes();
                bytes = state;
                history = Some(History::Memory(vec![0; memory]));
            }
            _ => {}
        }
        let children = node.children.len();
        State {
            active: false,
            current: None,
            asked: false,
            visited: vec![false; children],
            verdicts: vec![None; children],
            decided: None,
            last: None,
            round: 0,
            count: 0,
            until: Deadline::from_bits(0),
            waited: false,
            bytes: vec![0; bytes],
            side: None,
            history,
        }
    }

    /// Begins an activation: everything but history is cleared.
    pub(super) fn begin(&mut self) {
        self.active = true;
        self.current = None;
        self.asked = false;
        self.visited.fill(false);
        self.verdicts.fill(None);
        self.decided = None;
        self.last = None;
        self.round = 0;
        self.count = 0;
        self.until = Deadline::from_bits(0);
        self.waited = false;
        self.bytes.fill(0);
        self.side = None;
    }
}
