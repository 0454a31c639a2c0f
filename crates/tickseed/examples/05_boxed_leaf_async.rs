//! A leaf whose state is not plain bytes: here a future, polled once a tick.
//!
//! The engine has no executor in it. A leaf that holds a future is all it takes to wait for one
//! without blocking; whoever completes it (a thread, a runtime, a driver) need not know the tree.
//!
//! `cargo run -p tickseed --example 05_boxed_leaf_async`

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Waker};

use tickseed::{BoxedLeaf, Context, Cx, LeafError, Outcome, Status, Time, nodes};

/// A service that answers later.
#[derive(Clone, Default)]
struct PathFinder(Arc<Mutex<Option<Vec<u32>>>>);

impl PathFinder {
    async fn find(self, from: u32) -> Vec<u32> {
        let answer = std::future::poll_fn(|_| match self.0.lock().expect("no panic").take() {
            Some(path) => Poll::Ready(path),
            None => Poll::Pending,
        });
        let path = answer.await;
        [&[from], &*path].concat()
    }
}

#[derive(Context)]
struct Robot {
    place: u32,
    finder: PathFinder,
    path: Vec<u32>,
}

struct FindPath;

type Pending = Pin<Box<dyn Future<Output = Vec<u32>> + Send>>;

impl BoxedLeaf<Robot> for FindPath {
    /// Dropped when the activation ends, however it ends: a halt cancels the future.
    type State = Pending;

    fn start(&self, cx: &mut Cx<'_, '_, Robot>) -> Result<(Pending, Status), LeafError> {
        let mut future: Pending = Box::pin(cx.finder.clone().find(cx.place));
        let status = self.tick(&mut future, cx)?;
        Ok((future, status))
    }

    fn tick(&self, future: &mut Pending, cx: &mut Cx<'_, '_, Robot>) -> Outcome {
        // Polled every tick, so nobody needs to be woken.
        match pin!(future).poll(&mut task::Context::from_waker(Waker::noop())) {
            Poll::Ready(path) => {
                cx.path = path;
                Ok(Status::Success)
            }
            Poll::Pending => Ok(Status::Running),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = nodes::<Robot>();
    let tree = n
        .sequence([
            n.boxed_leaf("find path", FindPath),
            n.run_forever().named("drive"),
        ])
        .build()?;
    let mut robot = Robot {
        place: 1,
        finder: PathFinder::default(),
        path: vec![],
    };
    let mut agent = tree.agent();
    let label = |agent: &_| tree.node(tree.running(agent)[0]).label().to_string();
    for _ in 0..3 {
        tree.tick(&mut agent, &mut robot, Time::ZERO)?;
        assert_eq!(label(&agent), "find path");
    }
    *robot.finder.0.lock().expect("no panic") = Some(vec![4, 9]);
    tree.tick(&mut agent, &mut robot, Time::ZERO)?;
    assert_eq!(label(&agent), "drive");
    assert_eq!(robot.path, [1, 4, 9]);
    println!("path {:?}", robot.path);
    Ok(())
}
