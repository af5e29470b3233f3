//! One run as lanes: a lane an oracle, with what it worked on, what it showed, what was written to it and read from it. The
//! same facts and the same drawing serve a run with a clock and a counterexample in steps.

mod draw;
mod gather;
mod key;
mod marks;

use crate::model::Ready;

pub use gather::Gather;
pub use key::key;

/// A run as it is drawn. Places are seconds, or steps.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// Whether places are steps.
    in_steps: bool,
    /// Where what is shown ends.
    end: f64,
    /// Where the run ends, if that is later.
    whole: f64,
    /// The updates, and the restarts of the choreographer.
    workload: Vec<Mark>,
    oracles: Vec<Lane>,
    deliveries: Vec<Mark>,
    /// From where on the steps repeat without end.
    cycle_from: Option<f64>,
}

/// What is known of one oracle.
#[derive(Clone, Debug, Default)]
struct Lane {
    name: String,
    bars: Vec<Bar>,
    /// From where on the object asked last shows which `Ready`.
    ribbon: Vec<(f64, Ready)>,
    /// From where on so many questions are held.
    held: Vec<(f64, usize)>,
    outages: Vec<(f64, f64)>,
    marks: Vec<Mark>,
}

/// An attempt.
#[derive(Clone, Debug)]
struct Bar {
    from: f64,
    /// None while it goes on.
    to: Option<f64>,
    /// The newest update in its question; none if there is none.
    update: Option<u32>,
    ended: Ended,
    /// Which of the bars that lie over each other it is.
    level: usize,
    told: String,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Well,
    Failed,
    Dropped,
    /// Not in what is shown.
    GoesOn,
    /// It never will.
    Hangs,
}

/// Something at one place.
#[derive(Clone, Debug)]
struct Mark {
    at: f64,
    kind: MarkKind,
    update: Option<u32>,
    told: String,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkKind {
    Update { valid: bool },
    Delivery,
    Write,
    Read,
    FalseClaim,
    World { good: bool },
    Harm,
    Restart,
}
