//! Who runs what.

use tickseed_bench::measure::{Contest, Entrant, Role, own};

use crate::engines::{
    behavior_tree_lite::Lite,
    behaviortree_rs::{BehaviortreeRs, DeepFacts, MonsterFacts, WideFacts},
    bonsai::{Bonsai, DeepLeaf, MonsterLeaf, WideLeaf},
};
use crate::workloads::{Deep, Monster, Wide};

/// All workloads and engines: Tickseed's own contests, with the peers after the layouts.
pub fn contests() -> Vec<Contest> {
    let peers = [
        [
            Entrant::<Monster, Bonsai<Monster, MonsterLeaf>>::boxed(Role::Peer),
            Entrant::<Monster, Lite<Monster>>::boxed(Role::Peer),
            Entrant::<Monster, BehaviortreeRs<Monster, MonsterFacts>>::boxed(Role::Peer),
        ],
        [
            Entrant::<Wide, Bonsai<Wide, WideLeaf>>::boxed(Role::Peer),
            Entrant::<Wide, Lite<Wide>>::boxed(Role::Peer),
            Entrant::<Wide, BehaviortreeRs<Wide, WideFacts>>::boxed(Role::Peer),
        ],
        [
            Entrant::<Deep, Bonsai<Deep, DeepLeaf>>::boxed(Role::Peer),
            Entrant::<Deep, Lite<Deep>>::boxed(Role::Peer),
            Entrant::<Deep, BehaviortreeRs<Deep, DeepFacts>>::boxed(Role::Peer),
        ],
    ];
    let mut all = own();
    for (contest, peers) in all.iter_mut().zip(peers) {
        contest.add_peers(peers);
    }
    all
}
