//! What guards of many agents judged column by column could gain: a herd of W2's wide trees with
//! guards made of data, each agent with facts of its own, beside a batch written by hand for this
//! very tree, which is the most that an engine could reach.
//!
//! The batch takes 64 agents at a time, lays their facts out in columns, compares each column
//! with each constant (the compiler makes vector instructions of it), and chooses each agent's
//! branch. All call the same actions for each agent, in the same order, and count alike.
//!
//! The third way is what an engine could do with such a batch: the branch is known beforehand, and
//! the herd ticks a tree that only carries it out, so that resume points, time, errors and removal
//! are what they are in any herd.
//!
//! `cargo run --release -p tickseed-bench --example batch_guards [AGENTS]`

use std::hint::black_box;
use std::mem::offset_of;
use std::sync::Arc;
use std::time::Instant;

use tickseed_bench::wide_branches;
use tickseed_bench::workloads::wide::{BRANCHES, Facts};
use tickseed_core::{Context, Herd, Key, KeyId, Place, Time, bytemuck, nodes};

struct Turn<'w> {
    facts: &'w Facts,
    /// The branch that a batch has chosen.
    branch: usize,
    ran: &'w mut [u64; BRANCHES],
}

impl Context for Turn<'static> {
    type At<'a> = Turn<'a>;
    fn block<'x>(at: &'x Turn<'_>) -> &'x [u8] {
        bytemuck::bytes_of(at.facts)
    }
}

type C = Turn<'static>;

const fn key(id: u16, offset: usize) -> Key<C, i32> {
    Key::new(KeyId(id), Place::Block(offset as u32))
}
const ALARM: Key<C, i32> = key(0, offset_of!(Facts, alarm));
const RANGE: Key<C, i32> = key(1, offset_of!(Facts, range));
const LOAD: Key<C, i32> = key(2, offset_of!(Facts, load));

fn herd(agents: usize) -> Herd<C> {
    let n = nodes::<C>();
    macro_rules! guard {
        (alarm $op:tt $value:literal) => { guard!(ALARM, $op $value) };
        (range $op:tt $value:literal) => { guard!(RANGE, $op $value) };
        (load $op:tt $value:literal) => { guard!(LOAD, $op $value) };
        ($key:ident, < $value:literal) => { $key.lt($value) };
        ($key:ident, <= $value:literal) => { $key.le($value) };
        ($key:ident, > $value:literal) => { $key.gt($value) };
        ($key:ident, >= $value:literal) => { $key.ge($value) };
    }
    macro_rules! branches {
        ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
            n.selector([$(n.sequence([
                n.check(guard!($a $ao $av)),
                n.check(guard!($b $bo $bv)),
                n.invert(n.check(guard!($c $co $cv))),
                n.instant("run branch", |turn| turn.ran[$i] += 1),
            ]),)*])
        };
    }
    let tree = wide_branches!(branches).build().expect("the tree is sound");
    let mut herd = Herd::new(Arc::new(tree));
    for _ in 0..agents {
        herd.spawn().expect("a growing herd has room");
    }
    herd
}

type Act = fn(&mut Turn<'_>);

const N: usize = 64;

struct Columns {
    alarm: [i32; N],
    range: [i32; N],
    load: [i32; N],
}

/// Chooses the branches of 64 agents at a time, and hands them over.
fn batch(all: &[Facts], mut f: impl FnMut(usize, [u8; N], &[Facts])) {
    for (which, some) in all.chunks(N).enumerate() {
        let mut columns = Columns {
            alarm: [0; N],
            range: [0; N],
            load: [0; N],
        };
        for (i, facts) in some.iter().enumerate() {
            columns.alarm[i] = facts.alarm;
            columns.range[i] = facts.range;
            columns.load[i] = facts.load;
        }
        // The branch of each agent; none: as many as there are.
        let mut chosen = [BRANCHES as u8; N];
        macro_rules! branches {
            ($(($i:literal: $a:ident $ao:tt $av:literal, $b:ident $bo:tt $bv:literal, $c:ident $co:tt $cv:literal))*) => {
                $(for i in 0..N {
                    let holds = (columns.$a[i] $ao $av) & (columns.$b[i] $bo $bv) & !(columns.$c[i] $co $cv);
                    let free = chosen[i] == BRANCHES as u8;
                    chosen[i] = if holds & free { $i } else { chosen[i] };
                })*
            };
        }
        wide_branches!(branches);
        f(which * N, chosen, some);
    }
}

/// A herd whose agents carry out a branch that was chosen beforehand.
fn carrying_out(agents: usize, acts: [Act; BRANCHES]) -> Herd<C> {
    let act = nodes::<C>().instant("run branch", move |turn| {
        if let Some(act) = acts.get(turn.branch) {
            act(turn.at_mut());
        }
    });
    let mut herd = Herd::new(Arc::new(act.build().expect("the tree is sound")));
    for _ in 0..agents {
        herd.spawn().expect("a growing herd has room");
    }
    herd
}

fn main() {
    let agents = std::env::args()
        .nth(1)
        .map_or(100_000, |a| a.parse().expect("a number"));
    let mut draw = tickseed_bench::Xorshift::new(5);
    let mut new = || {
        let [alarm, range, load, _] = draw.draw().to_le_bytes();
        let [alarm, range, load] = [alarm, range, load].map(i32::from);
        Facts { alarm, range, load }
    };
    let facts: Vec<Facts> = (0..agents).map(|_| new()).collect();
    let mut herd = herd(agents);
    let acts: [Act; BRANCHES] = [
        |t| t.ran[0] += 1,
        |t| t.ran[1] += 1,
        |t| t.ran[2] += 1,
        |t| t.ran[3] += 1,
        |t| t.ran[4] += 1,
        |t| t.ran[5] += 1,
        |t| t.ran[6] += 1,
        |t| t.ran[7] += 1,
        |t| t.ran[8] += 1,
        |t| t.ran[9] += 1,
    ];
    let acts = black_box(acts);
    let mut carrying = carrying_out(agents, acts);
    let mut branches = vec![0u8; agents];
    let mut ran = [[0; BRANCHES]; 3];
    let mut took: [Vec<f64>; 3] = Default::default();
    let only = std::env::args().nth(2);
    let wanted = |what: &str| only.as_deref().is_none_or(|o| o == what);
    for step in 0..11 {
        let now = Time::from_millis(step);
        let began = Instant::now();
        if wanted("herd") {
            let ran = &mut ran[0];
            herd.tick_all(now, |a| {
                let (facts, branch) = (&facts[a.index()], 0);
                let mut turn = Turn { facts, branch, ran };
                black_box(a.tick(&mut turn).is_ok());
            });
        }
        took[0].push(began.elapsed().as_nanos() as f64 / agents as f64);
        let began = Instant::now();
        if wanted("batch") {
            let ran = &mut ran[1];
            batch(black_box(&facts), |_, chosen, some| {
                for (facts, branch) in some.iter().zip(chosen) {
                    if let Some(act) = acts.get(usize::from(branch)) {
                        let branch = usize::from(branch);
                        act(&mut Turn { facts, branch, ran });
                    }
                }
            });
        }
        took[1].push(began.elapsed().as_nanos() as f64 / agents as f64);
        let began = Instant::now();
        if wanted("both") {
            batch(black_box(&facts), |first, chosen, some| {
                branches[first..first + some.len()].copy_from_slice(&chosen[..some.len()]);
            });
            let ran = &mut ran[2];
            carrying.tick_all(now, |a| {
                let i = a.index();
                let (facts, branch) = (&facts[i], branches[i].into());
                let mut turn = Turn { facts, branch, ran };
                black_box(a.tick(&mut turn).is_ok());
            });
        }
        took[2].push(began.elapsed().as_nanos() as f64 / agents as f64);
    }
    if only.is_none() {
        assert!(ran[0] == ran[1] && ran[0] == ran[2], "all do the same");
    }
    let best = took.map(|all| all.into_iter().fold(f64::INFINITY, f64::min));
    println!("{agents} agents of W2, ns an agent and tick, the best of eleven:");
    for (what, ns) in [
        "herd with data guards",
        "batch alone",
        "batch, then the herd",
    ]
    .into_iter()
    .zip(best)
    {
        println!("  {what:<24}{ns:6.1}   {:.2}x", best[0] / ns);
    }
}
