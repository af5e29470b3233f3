//! An object and what its controller is at, as data (contract §3).

use std::collections::VecDeque;

use super::policy::Ready;
use super::repeats::Repeats;
use super::setting::{Oracle, OracleId, Retention};
use super::value::{Generation, QuestionId, ValueId, Values, WorldVersion};

/// An object: a slot in the world, and which of the objects that lived in that slot it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// The slot.
    pub slot: u32,
    /// Which object of that slot.
    pub life: u32,
}

/// Which of an oracle's objects one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The one mutable object.
    Main,
    /// The second object that `on_failure = "shadow"` keeps.
    Shadow,
    /// With `lifecycle = "immutable"`: the n-th object created, from 1.
    Immutable(u32),
}

/// What an object shows to whoever looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub generation: Generation,
    pub spec: Option<QuestionId>,
    pub observed: Generation,
    pub ready: Ready,
    pub answer: Option<ValueId>,
}

/// A question to be worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub generation: Generation,
    pub question: QuestionId,
    pub attempt: u32,
}

/// Work under way. Its outcome is drawn when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    pub task: Task,
    pub world: WorldVersion,
    pub fails: bool,
    /// How often the object had begun the question before.
    pub repeat: u32,
}

/// What a controller is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Idle,
    /// Waiting for a worker.
    Lined(Task),
    Working(Attempt),
    /// At work for ever.
    Hung(Attempt),
    /// Between two questions.
    Gap,
    /// Waiting to retry.
    Backoff(Task),
}

/// A question that a controller has heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    pub generation: Generation,
    pub question: QuestionId,
}

/// An object and its controller.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub life: u32,
    pub oracle: OracleId,
    pub role: Role,
    pub generation: Generation,
    /// None: the object does not exist.
    pub spec: Option<QuestionId>,
    pub observed: Generation,
    pub ready: Ready,
    pub answer: Option<ValueId>,
    pub phase: Phase,
    pub heard: Option<Heard>,
    /// A notice is under way (not with `queue`, where each write has its own).
    pub noticing: bool,
    /// With `queue`: writes whose notice is under way.
    pub notices: VecDeque<Heard>,
    /// With `queue`: noticed and not begun.
    pub queue: VecDeque<Heard>,
    /// Answers that will appear later.
    pub late: VecDeque<ValueId>,
    /// It has flapped down.
    pub down: bool,
    /// How often it has flapped since its last success.
    pub flaps: u32,
    pub repeats: Repeats,
    /// The choreographer's copy, and the states that it will follow through.
    pub copy: Shown,
    pub copies: VecDeque<Shown>,
}

impl Object {
    pub fn absent(oracle: OracleId, role: Role) -> Object {
        Object {
            life: 0,
            oracle,
            role,
            generation: Generation(0),
            spec: None,
            observed: Generation(0),
            ready: Ready::Unknown,
            answer: None,
            phase: Phase::Idle,
            heard: None,
            noticing: false,
            notices: VecDeque::new(),
            queue: VecDeque::new(),
            late: VecDeque::new(),
            down: false,
            flaps: 0,
            repeats: Repeats::default(),
            copy: Shown::default(),
            copies: VecDeque::new(),
        }
    }

    /// Makes the slot that of an object which does not exist yet, and frees nothing.
    pub fn vacate(&mut self, oracle: OracleId, role: Role) {
        self.life += 1;
        self.oracle = oracle;
        self.role = role;
        self.generation = Generation(0);
        self.spec = None;
        self.observed = Generation(0);
        self.ready = Ready::Unknown;
        self.answer = None;
        self.phase = Phase::Idle;
        self.heard = None;
        self.noticing = false;
        self.notices.clear();
        self.queue.clear();
        self.late.clear();
        self.down = false;
        self.flaps = 0;
        self.repeats.clear();
        self.copy = Shown::default();
        self.copies.clear();
    }

    #[inline]
    pub fn shown(&self, oracle: &Oracle) -> Shown {
        let hidden = oracle.retention == Retention::WhileReady && oracle.reconciles && self.ready != Ready::True;
        Shown {
            generation: self.generation,
            spec: self.spec,
            observed: self.observed,
            ready: self.ready,
            answer: self.answer.filter(|_| !hidden),
        }
    }
}

impl Shown {
    fn mark(&self, values: &mut Values) {
        self.spec.into_iter().for_each(|spec| values.mark_question(spec));
        self.answer.into_iter().for_each(|answer| values.mark_value(answer));
    }
}

impl Object {
    /// Keeps every value and question that the object names.
    pub fn mark(&self, values: &mut Values) {
        self.spec.into_iter().for_each(|spec| values.mark_question(spec));
        self.answer.into_iter().chain(self.late.iter().copied()).for_each(|answer| values.mark_value(answer));
        for heard in self.heard.iter().chain(&self.notices).chain(&self.queue) {
            values.mark_question(heard.question);
        }
        match self.phase {
            Phase::Lined(task) | Phase::Backoff(task) => values.mark_question(task.question),
            Phase::Working(attempt) | Phase::Hung(attempt) => values.mark_question(attempt.task.question),
            Phase::Idle | Phase::Gap => {}
        }
        self.copy.mark(values);
        self.copies.iter().for_each(|copy| copy.mark(values));
    }

    /// The oldest generation that an answer of the object, shown or to come, can still bear.
    pub fn oldest_generation(&self, values: &Values) -> Generation {
        let answers = self.answer.into_iter().chain(self.late.iter().copied()).chain(self.copy.answer);
        let shown = answers.chain(self.copies.iter().filter_map(|copy| copy.answer));
        let shown = shown.map(|answer| values.origin(answer).generation);
        let coming = self.heard.iter().chain(&self.notices).chain(&self.queue).map(|heard| heard.generation);
        let working = match self.phase {
            Phase::Lined(task) | Phase::Backoff(task) => Some(task.generation),
            Phase::Working(attempt) | Phase::Hung(attempt) => Some(attempt.task.generation),
            Phase::Idle | Phase::Gap => None,
        };
        shown.chain(coming).chain(working).min().unwrap_or(self.generation)
    }
}
