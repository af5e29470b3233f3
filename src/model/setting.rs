//! What a run is made of, as plain data: the workload, the oracles (contract §3), the choreographer's circumstances
//! (§4) and what befalls the run (§6). Nothing here moves.

use super::axis::{Axis, axis};
use super::policy::{Fixed, Ready};
use super::time::{Length, Span, Time};

/// A workload field, by its place in [`Setting::fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub u16);

/// An oracle, by its place in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OracleId(pub u16);

impl FieldId {
    /// The place in the list of fields.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl OracleId {
    /// The place in the chain.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The most oracles a chain may have: faults are kept as one bit per oracle.
pub const MAX_ORACLES: usize = 64;
/// The most fields a workload may have.
pub const MAX_FIELDS: usize = 64;

/// A probability between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Probability(f64);

impl Probability {
    /// Never.
    pub const NEVER: Probability = Probability(0.0);
    /// Always.
    pub const ALWAYS: Probability = Probability(1.0);

    /// A probability, if `p` lies between 0 and 1.
    pub fn new(p: f64) -> Option<Probability> {
        (0.0..=1.0).contains(&p).then_some(Probability(p))
    }

    /// The number between 0 and 1.
    pub fn get(self) -> f64 {
        self.0
    }
}

axis! {
    /// When an oracle acknowledges a question by its `observedGeneration`.
    Acknowledges {
        Start = "start": "when it begins to work on the question",
        Hearing = "hearing": "when it notices the question",
        Finish = "finish": "when it has finished with the question",
        Never = "never": "it never does",
    }
}
axis! {
    /// What `Ready` shows while the oracle works.
    WhileWorking {
        Unknown = "unknown": "`Ready` is `Unknown` during work",
        Unchanged = "unchanged": "`Ready` stays what it was (as a Deployment's `Available` does)",
        False = "false": "`Ready` is `False` during work: it seems to rest",
    }
}
axis! {
    /// What a question noticed during work does to the work.
    OnNewQuestion {
        Finish = "finish": "the work goes on, then the newest question is taken",
        Restart = "restart": "the work is dropped and the newest begun at once",
        Queue = "queue": "every question is worked on, in order",
    }
}
axis! {
    /// What `Ready` shows between two questions.
    Between {
        Working = "working": "what it shows while working",
        Report = "report": "the outcome of the question just finished",
    }
}
axis! {
    /// What becomes of the last good answer.
    Retention {
        LatestGood = "latest-good": "it always shows",
        WhileReady = "while-ready": "it shows only while `Ready` is `True`",
        Cleared = "cleared": "it is taken away when work begins",
    }
}
axis! {
    /// What an answer carries beside its content.
    Reports {
        Nothing = "nothing": "nothing",
        Generation = "generation": "the generation of the question it answers",
        Inputs = "inputs": "the inputs it was made from",
    }
}
axis! {
    /// Whether the template says that the object needs no rest before it is read or written.
    Healthy {
        ByStatus = "by-status": "its status tells",
        Always = "always": "every rule permits, every claim is made",
    }
}
axis! {
    /// Where the choreographer sees objects.
    ReadsFrom {
        Write = "write": "the object itself, its own last write included",
        Cache = "cache": "a copy that follows `cache_lag` behind",
    }
}
axis! {
    /// What a flapping object falls to.
    FlapTo {
        False = "false": "`Ready` falls to `False`",
        Unknown = "unknown": "`Ready` falls to `Unknown`",
    }
}

/// Where an oracle's input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A workload field.
    Field(FieldId),
    /// The answer of an oracle earlier in the chain.
    Oracle(OracleId),
}

/// How failed attempts are repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct Retry {
    /// The wait before the second attempt.
    pub backoff: Length,
    /// Each further wait is this many times longer (1 unless said).
    pub factor: f64,
    /// No wait is longer than this.
    pub max: Option<Span>,
    /// Attempts at one question, the first included; without it they are unlimited.
    pub attempts: Option<u32>,
}

/// An idle, successful object that loses and regains its readiness.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaps {
    /// How long it stays `True`.
    pub up: Length,
    /// How long it stays down.
    pub down: Length,
    /// What it falls to.
    pub to: FlapTo,
}

axis! {
    /// A phase of an object's life, as its status tells it.
    StatusPhase {
        NeverReported = "never_reported": "nothing has been reported yet",
        FirstWork = "first_work": "at work, with no answer there yet",
        LaterWork = "later_work": "at work, with an answer of before there",
        Succeeded = "succeeded": "at rest after a success",
        Failed = "failed": "at rest, or waiting to retry, after a failure",
        Flapped = "flapped": "flapped down",
        Hung = "hung": "at work that never ends",
    }
}

/// What a health rule reads of an object in each phase of its life (contract §3): in place of the object's own `Ready`,
/// wherever that would be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health([Ready; StatusPhase::ALL.len()]);

impl Health {
    /// A rule that reads so of each phase.
    pub fn new(reads: impl FnMut(StatusPhase) -> Ready) -> Health {
        let mut phases = StatusPhase::ALL.iter().copied();
        let mut reads = reads;
        Health(std::array::from_fn(|_| reads(phases.next().expect("a reading a phase"))))
    }

    /// What is read in a phase.
    #[inline]
    pub fn in_phase(&self, phase: StatusPhase) -> Ready {
        self.0[phase as usize]
    }

    /// The same rule, but for what it reads in one phase.
    pub fn but(mut self, phase: StatusPhase, reads: Ready) -> Health {
        self.0[phase as usize] = reads;
        self
    }
}

impl Default for Health {
    /// What is read of the `Ready` condition of a well-behaved oracle.
    fn default() -> Self {
        Health::new(|phase| match phase {
            StatusPhase::Succeeded => Ready::True,
            StatusPhase::Failed => Ready::False,
            _ => Ready::Unknown,
        })
    }
}

/// One oracle: a choreographed object and its controller (contract §3). The default is the well-behaved one.
#[derive(Clone, Debug, PartialEq)]
pub struct Oracle {
    /// Its name, unique in the chain.
    pub name: String,
    /// Its inputs, in order.
    pub asks: Vec<Source>,
    /// From a write until the controller notices it.
    pub notice: Length,
    /// How long an attempt lasts.
    pub work: Length,
    /// From the end of one question to the beginning of the next that waits.
    pub gap: Length,
    /// From a success until its answer shows.
    pub answer_lag: Length,
    /// When it acknowledges.
    pub acknowledges: Acknowledges,
    /// What it shows while it works.
    pub while_working: WhileWorking,
    /// What a new question does to work under way.
    pub on_new_question: OnNewQuestion,
    /// What it shows between two questions.
    pub between: Between,
    /// What becomes of its last good answer.
    pub retention: Retention,
    /// Whether a failure shows as `Ready: False`; otherwise it shows as `True`.
    pub reports_failure: bool,
    /// What its answers carry.
    pub reports: Reports,
    /// Whether the same inputs in the same world give the same content.
    pub reproducible: bool,
    /// Whether a controller reconciles it; a ConfigMap is not.
    pub reconciles: bool,
    /// What the template says of its health.
    pub healthy: Healthy,
    /// What a health rule reads of it, if not its own `Ready`.
    pub health: Option<Health>,
    /// What its template fixes of every policy.
    pub fixed: Fixed,
    /// The probability that an attempt at a good question fails.
    pub fails: Probability,
    /// The first attempts at each good question fail, this many of them over the object's life.
    pub fails_first: u32,
    /// The probability that an attempt never ends.
    pub hangs: Probability,
    /// How failures are retried, if they are.
    pub retry: Option<Retry>,
    /// How it flaps, if it does.
    pub flaps: Option<Flaps>,
    /// At most this many attempts at a time over all its objects.
    pub workers: Option<u32>,
}

impl Oracle {
    /// The well-behaved oracle of this name.
    pub fn new(name: impl Into<String>, asks: Vec<Source>) -> Oracle {
        Oracle {
            name: name.into(),
            asks,
            notice: Length::ZERO,
            work: Length::ZERO,
            gap: Length::ZERO,
            answer_lag: Length::ZERO,
            acknowledges: Acknowledges::Start,
            while_working: WhileWorking::Unknown,
            on_new_question: OnNewQuestion::Finish,
            between: Between::Working,
            retention: Retention::LatestGood,
            reports_failure: true,
            reports: Reports::Nothing,
            reproducible: true,
            reconciles: true,
            healthy: Healthy::ByStatus,
            health: None,
            fixed: Fixed::default(),
            fails: Probability::NEVER,
            fails_first: 0,
            hangs: Probability::NEVER,
            retry: None,
            flaps: None,
            workers: None,
        }
    }

    /// Whether it can ever acknowledge: configuration, known to a policy (§10.9).
    pub fn acknowledges_ever(&self) -> bool {
        self.reconciles && self.acknowledges != Acknowledges::Never
    }
}

/// The circumstances of the choreographer (contract §4).
#[derive(Clone, Debug, PartialEq)]
pub struct Choreographer {
    /// From a change until the wake-up it causes.
    pub watch: Length,
    /// From one visit of a pass to the next.
    pub visit: Length,
    /// Where objects are seen.
    pub reads_from: ReadsFrom,
    /// How far the cache follows behind.
    pub cache_lag: Length,
    /// From one wake-up for no reason to the next, if there are any.
    pub resync: Option<Length>,
}

impl Default for Choreographer {
    fn default() -> Self {
        Choreographer {
            watch: Length::ZERO,
            visit: Length::ZERO,
            reads_from: ReadsFrom::Write,
            cache_lag: Length::ZERO,
            resync: None,
        }
    }
}

/// When something befalls the run.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// Once, at an instant.
    At(Time),
    /// Again and again: the first comes one `every` after `from`; one that would fall at or after `until` does not.
    Stream {
        /// The stream's beginning.
        from: Time,
        /// Its end, itself excluded.
        until: Time,
        /// The time between two.
        every: Length,
        /// At most this many.
        count: Option<u64>,
    },
}

/// An update of the workload, or a stream of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// When it is made.
    pub when: When,
    /// The fields it sets.
    pub set: Vec<FieldId>,
    /// The oracles it is bad for, each with a probability.
    pub bad_for: Vec<(OracleId, Probability)>,
    /// The oracles that hang at every question that holds it.
    pub hangs_for: Vec<OracleId>,
}

/// A change of one oracle's world, or a stream of them.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldChange {
    /// Whose world.
    pub oracle: OracleId,
    /// When.
    pub when: When,
    /// Every attempt begun in a bad world fails.
    pub bad: bool,
}

/// A time in which an oracle's controller does nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Outage {
    /// Whose controller.
    pub oracle: OracleId,
    /// The first instant of the outage.
    pub from: Time,
    /// The first instant after it.
    pub until: Time,
}

/// An enemy writes an evil value into one input of a spec, and may put back what it found.
#[derive(Clone, Debug, PartialEq)]
pub struct Tamper {
    /// Whose spec.
    pub oracle: OracleId,
    /// Which input, by its place in [`Oracle::asks`].
    pub input: usize,
    /// When.
    pub at: Time,
    /// When it is put back, if it is.
    pub until: Option<Time>,
}

/// An enemy writes an answer into a status.
#[derive(Clone, Debug, PartialEq)]
pub struct Forge {
    /// Whose status.
    pub oracle: OracleId,
    /// When.
    pub at: Time,
}

/// The choreographer restarts.
#[derive(Clone, Debug, PartialEq)]
pub struct Restart {
    /// When.
    pub at: Time,
}

/// All of a run but its policy and its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The end of the run, events of that instant included.
    pub horizon: Time,
    /// The workload's fields.
    pub fields: Vec<String>,
    /// The chain, in order.
    pub oracles: Vec<Oracle>,
    /// The choreographer's circumstances.
    pub choreographer: Choreographer,
    /// Updates, in file order.
    pub updates: Vec<Update>,
    /// World changes, in file order.
    pub worlds: Vec<WorldChange>,
    /// Outages, in file order.
    pub outages: Vec<Outage>,
    /// Tampering, in file order.
    pub tampers: Vec<Tamper>,
    /// Forging, in file order.
    pub forges: Vec<Forge>,
    /// Restarts, in file order.
    pub restarts: Vec<Restart>,
}

impl Setting {
    /// A chain to which nothing happens, to build on.
    pub fn new(horizon: Time, fields: Vec<String>, oracles: Vec<Oracle>) -> Setting {
        Setting {
            horizon,
            fields,
            oracles,
            choreographer: Choreographer::default(),
            updates: Vec::new(),
            worlds: Vec::new(),
            outages: Vec::new(),
            tampers: Vec::new(),
            forges: Vec::new(),
            restarts: Vec::new(),
        }
    }
}

impl Update {
    /// Whether it is bad for an oracle, or hangs one, for certain.
    pub fn is_faulty(&self) -> bool {
        self.bad_for.iter().any(|&(_, chance)| chance == Probability::ALWAYS) || !self.hangs_for.is_empty()
    }

    /// Whether it may be bad for an oracle, or hang one.
    pub fn may_be_faulty(&self) -> bool {
        !self.bad_for.is_empty() || !self.hangs_for.is_empty()
    }
}

impl Retry {
    /// Whether another attempt follows after `attempt`, counted from 1.
    pub fn allows(&self, attempt: u32) -> bool {
        self.attempts.is_none_or(|attempts| attempt < attempts)
    }
}
