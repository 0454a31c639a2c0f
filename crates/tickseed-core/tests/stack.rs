//! A tick's stack stays small, however many nodes it visits: also where compilers do not turn
//! last calls into jumps.

use std::thread::Builder;

use tickseed_core::{
    BoxedLeaf, Context, Cx, Leaf, LeafError, Node, Outcome, Status, Time, Tree, bytemuck, nodes,
};

struct World {
    asked: u32,
    level: u32,
}

impl Context for World {
    type At<'a> = World;
}

#[test]
fn a_tick_of_many_nodes_needs_little_stack() {
    const NODES: u32 = 50_000;
    let n = nodes::<World>();
    // Conditions as functions, actions in between, and gates and timers around some of them.
    let branch = |i: u32| {
        let fails = n.condition("level", move |w| w.level > i + NODES);
        match i % 4 {
            0 => fails,
            1 => n.sequence([
                n.instant("count", |w| w.asked += 1),
                n.invert(n.condition("not", |w| w.level == 0)),
                fails,
            ]),
            2 => n.cooldown(std::time::Duration::from_secs(1), fails),
            _ => n.time_limit(std::time::Duration::from_secs(1), fails),
        }
    };
    let tree = n
        .selector((0..NODES).map(branch))
        .reactive()
        .build()
        .unwrap();
    let mut agent = tree.agent();
    let small = Builder::new().stack_size(64 << 10).spawn(move || {
        let mut world = World { asked: 0, level: 0 };
        for t in 0..3 {
            let status = tree.tick(&mut agent, &mut world, Time::from_millis(t));
            assert_eq!(status.unwrap(), Status::Failure);
        }
        world.asked
    });
    assert_eq!(small.unwrap().join().unwrap(), 3 * NODES / 4);
}

/// Notes how far the stack goes.
#[derive(Default)]
struct Depth {
    least: usize,
    most: usize,
}

impl Context for Depth {
    type At<'a> = Depth;
}

impl Depth {
    #[inline(never)]
    fn note(&mut self) {
        let here = 0_u8;
        let at = std::hint::black_box(&raw const here) as usize;
        if self.most == 0 {
            (self.least, self.most) = (at, at);
        }
        (self.least, self.most) = (self.least.min(at), self.most.max(at));
    }
}

/// How many bytes of stack lie between the leaves of a tick, a thousand of which stand in a row.
fn spread(leaf: impl Fn() -> Node<Depth>) -> usize {
    let tree: Tree<Depth> = nodes().sequence((0..1000).map(|_| leaf())).build().unwrap();
    let mut agent = tree.agent();
    let mut depth = Depth::default();
    let status = tree.tick(&mut agent, &mut depth, Time::ZERO).unwrap();
    assert_eq!(status, Status::Success);
    depth.most - depth.least
}

#[test]
fn boxed_leaves_in_a_row_do_not_pile_up() {
    struct Boxed;
    impl BoxedLeaf<Depth> for Boxed {
        type State = ();
        fn start(&self, cx: &mut Cx<'_, '_, Depth>) -> Result<((), Status), LeafError> {
            cx.note();
            Ok(((), Status::Success))
        }
        fn tick(&self, (): &mut (), _: &mut Cx<'_, '_, Depth>) -> Outcome {
            Ok(Status::Success)
        }
    }
    assert!(spread(|| nodes().boxed_leaf("boxed", Boxed)) < 4 << 10);
}

#[test]
fn large_states_of_leaves_do_not_pile_up() {
    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C)]
    struct Large([u8; 4096]);
    struct Leaves;
    impl Leaf<Depth> for Leaves {
        type State = Large;
        fn start(&self, state: &mut Large, cx: &mut Cx<'_, '_, Depth>) -> Outcome {
            std::hint::black_box(state);
            cx.note();
            Ok(Status::Success)
        }
        fn tick(&self, _: &mut Large, _: &mut Cx<'_, '_, Depth>) -> Outcome {
            Ok(Status::Success)
        }
    }
    assert!(spread(|| nodes().leaf("large", Leaves)) < 4 << 10);
}

#[test]
fn a_few_functions_share_the_stack_at_most() {
    const LOCALS: usize = 16 << 10;
    let leaf = || {
        nodes().instant("large", |cx: &mut Cx<'_, '_, Depth>| {
            std::hint::black_box(&mut [0_u8; LOCALS]);
            cx.note();
        })
    };
    let spread = spread(leaf);
    assert!(spread < 9 * LOCALS, "{spread}");
}

#[test]
fn leaves_that_skip_do_not_pile_up() {
    let leaf = || {
        let skip = nodes().action("skip", |cx: &mut Cx<'_, '_, Depth>| {
            cx.note();
            Status::Skipped
        });
        nodes().selector([skip.may_skip(), nodes().succeed()])
    };
    assert!(spread(leaf) < 4 << 10);
}
