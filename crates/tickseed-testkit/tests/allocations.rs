//! No tick and no halt allocates, an agent's first one included: counted, on random trees.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

use tickseed_core::{Context, Leaf, Node, Nodes, Outcome, Rng, Status, Time, nodes};
use tickseed_testkit::random::{LeafKind, Spec, SpecKind};
use tickseed_testkit::script::{World, numbered};

/// Counts the allocations of its thread.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // Not counted while a thread ends, when the counter is gone.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every method hands its arguments on to the system's allocator unchanged, so its
// contract is kept exactly when the caller keeps it. Counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above; `ptr` came from `System`.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above; `ptr` came from `System`.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    f();
    COUNT.get() - before
}

/// Boxed leaves are the one kind that allocates, and says so.
fn without_boxed(mut spec: Spec) -> Spec {
    if let SpecKind::Leaf(leaf) = &mut spec.kind
        && leaf.kind == LeafKind::Boxed
    {
        leaf.kind = LeafKind::Plain;
    }
    spec.children = spec.children.into_iter().map(without_boxed).collect();
    spec
}

#[test]
fn ticks_and_halts_of_random_trees_do_not_allocate() {
    assert_eq!(allocations(|| drop(black_box(Box::new(7)))), 1);
    for seed in 0..1000 {
        let spec = without_boxed(Spec::random(seed, 6));
        let tree = spec.build_lenient().unwrap();
        let mut world = World::seeded(seed);
        world.reserve((0..spec.len() * Spec::STRIDE).map(numbered), 10_000);
        let mut rng = Rng::new(seed);
        let mut agent = tree.agent_seeded(seed);
        for step in 0..200 {
            world.clear();
            world.change_keys(&mut rng);
            let now = Time(step * 3);
            let allocations = allocations(|| {
                if step % 40 == 39 {
                    tree.halt(&mut agent, &mut world, now).unwrap();
                }
                tree.tick(&mut agent, &mut world, now).unwrap();
            });
            assert_eq!(allocations, 0, "tree {seed}, step {step}");
        }
    }
}

/// A context that allocates nothing itself: not even the first tick may allocate.
struct Quiet(u64);

impl Context for Quiet {
    type At<'a> = Quiet;
}

struct Count;

impl Leaf<Quiet> for Count {
    type State = u32;
    fn start(&self, state: &mut u32, cx: &mut tickseed_core::Cx<'_, '_, Quiet>) -> Outcome {
        self.tick(state, cx)
    }
    fn tick(&self, state: &mut u32, cx: &mut tickseed_core::Cx<'_, '_, Quiet>) -> Outcome {
        *state += 1;
        cx.0 += 1;
        Ok(if *state == 3 {
            Status::Success
        } else {
            Status::Running
        })
    }
}

#[test]
fn not_even_the_first_tick_allocates() {
    let n: Nodes<Quiet> = nodes();
    let leaf = || n.leaf("count", Count);
    let all: Node<Quiet> = n.selector([
        n.sequence([n.condition("odd", |q| q.0 % 2 == 1), n.fail()]),
        n.parallel([leaf(), n.repeat(2, leaf()).drain(3)]),
        n.utility([
            (n.score(|q| q.0 as f64), leaf()),
            (n.score(|_| 5.0), leaf()),
        ])
        .reactive(),
    ]);
    let tree = all.reactive().build().unwrap();
    let (mut agent, mut at) = (tree.agent(), Quiet(0));
    let counted = allocations(|| {
        for t in 0..1000 {
            tree.tick(&mut agent, &mut at, Time(t)).unwrap();
        }
        tree.halt(&mut agent, &mut at, Time(1000)).unwrap();
    });
    assert_eq!(counted, 0);
    assert!(at.0 > 1000);
}
