//! What a tick of a node, or of a whole tree, can answer.

/// The answer of a ticked node.
///
/// `Success`, `Failure` and `Running` are the three classic answers. `Skipped` says that the node
/// did not apply (BehaviorTree.CPP's `SKIPPED`): composites treat such a child as absent, and a
/// composite all of whose children were skipped is skipped itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Status {
    /// The node did what it was for.
    Success = 0,
    /// The node could not do what it was for.
    Failure = 1,
    /// The node needs more ticks.
    Running = 2,
    /// The node did not apply this time.
    Skipped = 3,
}

impl Status {
    /// Success or failure: the node's activation is over with a verdict.
    #[must_use]
    pub const fn is_verdict(self) -> bool {
        matches!(self, Status::Success | Status::Failure)
    }

    /// `Success` for `true`, `Failure` for `false`.
    #[must_use]
    pub const fn from_bool(ok: bool) -> Status {
        if ok { Status::Success } else { Status::Failure }
    }

    /// Swaps success and failure; the others stay.
    #[must_use]
    pub const fn inverted(self) -> Status {
        match self {
            Status::Success => Status::Failure,
            Status::Failure => Status::Success,
            other => other,
        }
    }
}

impl core::fmt::Display for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(match self {
            Status::Success => "success",
            Status::Failure => "failure",
            Status::Running => "running",
            Status::Skipped => "skipped",
        })
    }
}

/// How an activation of a node ended; passed to hooks that run however a branch ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// The node finished with this status (never `Running`).
    Finished(Status),
    /// The node was halted from outside while it ran.
    Halted,
}
