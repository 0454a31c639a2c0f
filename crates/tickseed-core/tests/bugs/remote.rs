//! Leaves that drive work elsewhere: a server that acknowledges late, finishes between ticks,
//! or answers while the leaf is not ticked. How such a leaf is written, and that the engine
//! gives it what it needs: one start, one end, a halt with the context at hand.

use bytemuck::{Pod, Zeroable};
use tickseed_core::{Context, Cx, Leaf, Outcome, Status, Time, Tree, nodes};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Job {
    /// Asked for; acknowledged at this time, and cancelled then if that was asked meanwhile.
    Asked {
        at: u64,
        cancel: bool,
    },
    Running,
    Done,
    Cancelled,
}

/// A server that takes 200 ms to acknowledge a request.
#[derive(Default)]
struct Server {
    jobs: Vec<Job>,
    cancels: u32,
    guard: bool,
}

impl Context for Server {
    type At<'a> = Server;
}

impl Server {
    fn ask(&mut self, now: Time) -> usize {
        let at = now.0 + 200;
        self.jobs.push(Job::Asked { at, cancel: false });
        self.jobs.len() - 1
    }
    /// Cancelling is remembered until the job exists, and what is over stays as it is.
    fn cancel(&mut self, job: usize) {
        match &mut self.jobs[job] {
            Job::Asked { cancel, .. } => *cancel = true,
            running @ Job::Running => {
                *running = Job::Cancelled;
                self.cancels += 1;
            }
            Job::Done | Job::Cancelled => {}
        }
    }
    fn pass_to(&mut self, now: u64) {
        for job in &mut self.jobs {
            if let Job::Asked { at, cancel } = *job
                && at <= now
            {
                *job = if cancel { Job::Cancelled } else { Job::Running };
                self.cancels += u32::from(cancel);
            }
        }
    }
    fn running(&self) -> usize {
        self.jobs.iter().filter(|j| **j == Job::Running).count()
    }
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Handle(u64);

/// A job of its own for each activation: its number is the leaf's state.
struct Remote;
impl Leaf<Server> for Remote {
    type State = Handle;
    fn start(&self, h: &mut Handle, cx: &mut Cx<'_, '_, Server>) -> Outcome {
        let now = cx.now();
        h.0 = cx.ask(now) as u64;
        Ok(Status::Running)
    }
    fn tick(&self, h: &mut Handle, cx: &mut Cx<'_, '_, Server>) -> Outcome {
        Ok(match cx.jobs[h.0 as usize] {
            Job::Done => Status::Success,
            Job::Cancelled => Status::Failure,
            Job::Asked { .. } | Job::Running => Status::Running,
        })
    }
    fn halt(&self, h: &mut Handle, cx: &mut Cx<'_, '_, Server>) {
        cx.cancel(h.0 as usize);
    }
}

fn guarded() -> Tree<Server> {
    let n = nodes::<Server>();
    n.sequence([n.condition("guard", |s| s.guard), n.leaf("remote", Remote)])
        .reactive()
        .build()
        .unwrap()
}

#[test]
fn h12_halt_before_the_remote_side_has_acknowledged() {
    let tree = guarded();
    let (mut agent, mut s) = (tree.agent(), Server::default());
    // Another client's job.
    s.jobs.push(Job::Running);
    s.guard = true;
    assert_eq!(
        tree.tick(&mut agent, &mut s, Time(0)).unwrap(),
        Status::Running
    );
    s.guard = false;
    assert_eq!(
        tree.tick(&mut agent, &mut s, Time(50)).unwrap(),
        Status::Failure
    );
    s.pass_to(1000);
    assert_eq!(s.cancels, 1);
    assert_eq!(
        s.jobs,
        [Job::Running, Job::Cancelled],
        "no other client's job is touched"
    );
}

#[test]
fn h14_cancelling_what_has_just_finished_is_no_error() {
    let tree = guarded();
    let (mut agent, mut s) = (tree.agent(), Server::default());
    s.guard = true;
    tree.tick(&mut agent, &mut s, Time(0)).unwrap();
    s.pass_to(200);
    s.jobs[0] = Job::Done;
    s.guard = false;
    assert_eq!(
        tree.tick(&mut agent, &mut s, Time(300)).unwrap(),
        Status::Failure
    );
    assert_eq!((s.cancels, s.jobs[0]), (0, Job::Done));
    // The next start works.
    s.guard = true;
    tree.tick(&mut agent, &mut s, Time(400)).unwrap();
    s.pass_to(700);
    assert_eq!(s.running(), 1);
}

#[test]
fn a12_a_result_that_comes_while_the_leaf_is_not_ticked_is_kept() {
    // The answer is in the world: the leaf finds it at its next tick, however late.
    let n = nodes::<Server>();
    let tree = n.sequence([n.leaf("remote", Remote)]).build().unwrap();
    let (mut agent, mut s) = (tree.agent(), Server::default());
    for t in 1..=3 {
        assert_eq!(
            tree.tick(&mut agent, &mut s, Time(t)).unwrap(),
            Status::Running
        );
    }
    s.jobs[0] = Job::Done;
    assert_eq!(
        tree.tick(&mut agent, &mut s, Time(6)).unwrap(),
        Status::Success
    );
}

#[test]
fn h12_every_activation_cancels_its_own_job_only() {
    let n = nodes::<Server>();
    let tree = n
        .parallel([n.leaf("one", Remote), n.leaf("two", Remote)])
        .build()
        .unwrap();
    let (mut a, mut b, mut s) = (tree.agent(), tree.agent(), Server::default());
    tree.tick(&mut a, &mut s, Time(0)).unwrap();
    tree.tick(&mut b, &mut s, Time(0)).unwrap();
    s.pass_to(500);
    tree.halt(&mut a, &mut s, Time(500)).unwrap();
    assert_eq!(
        s.jobs,
        [Job::Cancelled, Job::Cancelled, Job::Running, Job::Running]
    );
}
