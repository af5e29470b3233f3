//! The choreographer (§4) and its policy (§5).

use rehearsal::model::policy::{
    Acknowledgement, Intake, Lifecycle, Memory as Remembers, Missing, OnFailure, Order, Pending, Read, Ready, Trace,
    Write,
};
use rehearsal::model::setting::{Healthy, Reports, Source};
use rehearsal::model::{Role, Time, Why};

use super::facts::{Claimed, Fact, Who};
use super::simulator::{Shown, What, World, fixed};
use super::values::{Answer, Question, Value, contents, same};

/// A pass under way: the snapshot, the outputs so far, the oracle to visit next.
#[derive(Clone, Debug)]
pub struct Pass {
    fields: Vec<Option<Value>>,
    outputs: Vec<Option<Value>>,
    next: usize,
    /// A wake-up came meanwhile.
    woken: bool,
}

/// What the choreographer remembers of one oracle.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The object that is asked. With `lifecycle = "immutable"`, the one newest asked.
    asked: Option<usize>,
    /// With `lifecycle = "immutable"`: all of them, the newest asked last.
    pub immutable: Vec<usize>,
    /// The shadow.
    shadow: Option<usize>,
    /// The question last asked.
    last_asked: Question,
    /// The generation of the choreographer's own last write.
    own: u32,
    /// When the question last asked became desired, as a number.
    stamp: u64,
    /// Everything asked, by generation, in order.
    history: Vec<(u32, Question)>,
    /// How many questions have become held or asked.
    stamps: u64,
    /// The questions held, the oldest first, each with its stamp.
    held: Vec<(u64, Question)>,
    hold_runs: bool,
    pub hold_is_over: bool,
    pub in_grace: bool,
    memento: Option<Value>,
    /// The making last read and what was claimed of it.
    last_read: Option<(u32, Option<(u32, Question)>)>,
    last_succeeded: Option<Question>,
    failed: Option<Question>,
}

impl Memory {
    fn stamp(&mut self) -> u64 {
        self.stamps += 1;
        self.stamps
    }
}

/// What a policy sees of an object: its status, and what is known of the asking.
struct View {
    shown: Shown,
    own: u32,
    spec_is_last_asked: bool,
}

impl World<'_> {
    // Waking.

    /// Wakes the choreographer in a while; wake-ups pending for one instant are one.
    pub fn wake_after(&mut self, length: u64) {
        let at = Time(self.now.0 + length);
        let pending = self.events.iter().any(|(moment, what)| moment.0 == at && matches!(what, What::Wake));
        if !pending {
            self.schedule(at, What::Wake);
        }
    }

    pub fn wake(&mut self) {
        if let Some(pass) = &mut self.pass {
            pass.woken = true;
            return;
        }
        self.tell(Fact::PassBegan);
        let outputs = vec![None; self.oracles.len()];
        let fields = if self.intake == Intake::AtRest { self.taken_up.clone() } else { self.fields.clone() };
        self.pass = Some(Pass { fields, outputs, next: 0, woken: false });
        self.go_on_with_the_pass();
    }

    /// A restart: what lives in memory is forgotten, a pass under way ends.
    pub fn forget(&mut self) {
        self.pass = None;
        self.cancel(|what| matches!(what, What::Visit));
        for r in 0..self.oracles.len() {
            self.oracles[r].memory.held.clear();
            self.stop_the_hold_timer(r);
            if self.policies[r].memory == Remembers::Memento {
                self.oracles[r].memory.memento = None;
            }
        }
    }

    pub fn go_on_with_the_pass(&mut self) {
        let visit = fixed(&self.setting.choreographer.visit);
        loop {
            let r = self.pass.as_ref().expect("a pass is under way").next;
            let goes_on = self.visit(r);
            let pass = self.pass.as_mut().expect("a pass is under way");
            pass.next += 1;
            if !goes_on || pass.next == self.oracles.len() {
                let woken = pass.woken;
                self.pass = None;
                if self.takes_up() || woken {
                    self.wake_after(0);
                }
                return;
            }
            if visit > 0 {
                self.after(visit, What::Visit);
                return;
            }
        }
    }

    /// With `intake = "at-rest"`: after a pass that leaves the chain at rest, the newest workload is taken up.
    fn takes_up(&mut self) -> bool {
        let newer =
            self.intake == Intake::AtRest
                && self.taken_up.iter().zip(&self.fields).any(|(old, new)| {
                    old.as_ref().map(|value| &value.content) != new.as_ref().map(|value| &value.content)
                })
                && (0..self.oracles.len()).all(|r| {
                    let memory = &self.oracles[r].memory;
                    let never_asked = memory.asked.is_none();
                    memory.held.is_empty() && (never_asked || self.always_healthy(r) || self.at_rest(r, &self.view(r)))
                });
        if newer {
            self.taken_up = self.fields.clone();
        }
        newer
    }

    /// Visits an oracle; says whether the pass goes on.
    fn visit(&mut self, r: usize) -> bool {
        // 1. Gather.
        let pass = self.pass.as_ref().expect("a pass is under way");
        let mut desired = Vec::new();
        for (input, source) in self.setting.oracles[r].asks.iter().enumerate() {
            let value = match source {
                Source::Field(field) => &pass.fields[field.index()],
                Source::Oracle(oracle) => &pass.outputs[oracle.index()],
            };
            let Some(value) = value else {
                self.tell(Fact::Skipped { oracle: r, input });
                return self.policies[r].missing == Missing::Skip;
            };
            desired.push(value.clone());
        }
        // 2. Guard.
        if self.oracles[r].memory.asked.is_none() {
            let stamp = self.oracles[r].memory.stamp();
            self.ask(r, desired.clone(), stamp, Why::Created);
        } else if self.is_foreign(r) && self.policies[r].reverts {
            let Memory { last_asked, stamp, .. } = self.oracles[r].memory.clone();
            self.ask(r, last_asked, stamp, Why::Reverted);
        }
        self.note_the_outcome(r, &desired);
        // 3 and 4.
        let read;
        if self.policies[r].order == Order::WriteFirst {
            self.hold_and_write(r, &desired);
            read = self.read(r);
        } else {
            read = self.read(r);
            self.hold_and_write(r, &desired);
        }
        // 5.
        let memory = &mut self.oracles[r].memory;
        if read.is_some() && self.policies[r].memory != Remembers::None {
            memory.memento = read.clone();
        }
        let output = read.or(memory.memento.clone());
        self.pass.as_mut().expect("a pass is under way").outputs[r] = output;
        true
    }

    // Seeing.

    /// The asked object, as it is seen.
    fn view(&self, r: usize) -> View {
        let memory = &self.oracles[r].memory;
        let shown = self.sees(memory.asked.expect("it was asked"));
        let spec_is_last_asked = shown.spec.as_ref().is_some_and(|spec| same(spec, &memory.last_asked));
        View { shown, own: memory.own, spec_is_last_asked }
    }

    /// An object that only ever got one question, as it is seen.
    fn view_of_one_question(&self, o: usize) -> View {
        let shown = self.sees(o);
        let spec_is_last_asked = shown.spec.is_some();
        View { shown, own: 1, spec_is_last_asked }
    }

    /// Whether a spec other than the one last asked is seen: not one that is only older than the last write.
    fn is_foreign(&self, r: usize) -> bool {
        let view = self.view(r);
        !view.spec_is_last_asked && view.shown.generation >= view.own
    }

    fn acknowledged(&self, r: usize, view: &View) -> bool {
        let equal = view.shown.observed == view.shown.generation;
        match self.policies[r].acknowledgement {
            Acknowledgement::Required => equal,
            Acknowledgement::IfReported => !self.setting.oracles[r].acknowledges_ever() || equal,
            Acknowledgement::Ignored => true,
            Acknowledgement::Own => equal && view.shown.observed >= view.own && view.spec_is_last_asked,
        }
    }

    fn is(&self, r: usize, view: &View, ready: Ready) -> bool {
        self.acknowledged(r, view) && view.shown.ready == ready
    }

    fn at_rest(&self, r: usize, view: &View) -> bool {
        self.is(r, view, Ready::True) || self.is(r, view, Ready::False)
    }

    fn always_healthy(&self, r: usize) -> bool {
        self.setting.oracles[r].healthy == Healthy::Always
    }

    fn may_read(&self, r: usize, view: &View, in_grace: bool) -> bool {
        if self.always_healthy(r) {
            return true;
        }
        !in_grace
            && match self.policies[r].read {
                Read::Always => true,
                Read::Acknowledged => self.acknowledged(r, view),
                Read::AtRest => self.at_rest(r, view),
                Read::Ready => self.is(r, view, Ready::True),
            }
    }

    fn may_write(&self, r: usize, view: &View) -> bool {
        self.always_healthy(r)
            || match self.policies[r].write {
                Write::Always => true,
                Write::AtRest => self.at_rest(r, view),
                Write::Ready => self.is(r, view, Ready::True),
            }
    }

    // Asking.

    fn ask(&mut self, r: usize, question: Question, stamp: u64, why: Why) {
        let memory = &self.oracles[r].memory;
        let (immutable, asked) = (memory.immutable.clone(), memory.asked);
        let o = if self.policies[r].lifecycle == Lifecycle::Immutable {
            match immutable.iter().find(|&&o| same(&self.objects[o].spec, &question)) {
                Some(&o) => {
                    self.tell(Fact::Reused { who: self.objects[o].who });
                    o
                }
                None => self.create(Who { oracle: r, role: Role::Immutable(immutable.len() as u32 + 1) }),
            }
        } else {
            asked.unwrap_or_else(|| self.create(Who { oracle: r, role: Role::Main }))
        };
        let why = if self.objects[o].generation == 0 { Why::Created } else { why };
        self.write(o, question.clone(), why);
        let own = self.objects[o].generation;
        let memory = &mut self.oracles[r].memory;
        if self.policies[r].lifecycle == Lifecycle::Immutable {
            memory.immutable.retain(|&other| other != o);
            memory.immutable.push(o);
        }
        memory.asked = Some(o);
        memory.last_asked = question.clone();
        memory.stamp = stamp;
        memory.own = own;
        memory.history.push((own, question));
        self.stop_the_hold_timer(r);
        if let Some(grace) = self.policies[r].grace {
            self.cancel(|what| matches!(what, What::GraceOver(other) if *other == r));
            self.oracles[r].memory.in_grace = true;
            self.after(grace.0, What::GraceOver(r));
        }
    }

    fn stop_the_hold_timer(&mut self, r: usize) {
        self.cancel(|what| matches!(what, What::HoldOver(other) if *other == r));
        self.oracles[r].memory.hold_runs = false;
        self.oracles[r].memory.hold_is_over = false;
    }

    /// After the guard: what the object says of the question last asked.
    fn note_the_outcome(&mut self, r: usize, desired: &Question) {
        if self.policies[r].pending != Pending::Stack && self.policies[r].on_failure == OnFailure::Wait {
            return;
        }
        let memory = &mut self.oracles[r].memory;
        if memory.failed.as_ref().is_some_and(|failed| !same(failed, desired)) {
            memory.failed = None;
        }
        if self.is_foreign(r) {
            return;
        }
        let view = self.view(r);
        if self.is(r, &view, Ready::True) {
            let memory = &mut self.oracles[r].memory;
            memory.last_succeeded = Some(memory.last_asked.clone());
            if memory.failed.as_ref().is_some_and(|failed| same(failed, &memory.last_asked)) {
                memory.failed = None;
            }
            if self.policies[r].pending == Pending::Stack {
                let (older, newer) = memory.held.drain(..).partition(|(stamp, _)| *stamp < memory.stamp);
                memory.held = newer;
                let older: Vec<(u64, Question)> = older;
                for (_, question) in older {
                    self.tell(Fact::Discarded { oracle: r, inputs: contents(&question) });
                }
            }
            if let Some(shadow) = self.oracles[r].memory.shadow.take() {
                self.remove(shadow);
            }
        } else if self.is(r, &view, Ready::False) {
            let memory = &mut self.oracles[r].memory;
            if same(&memory.last_asked, desired) {
                memory.failed = Some(desired.clone());
            }
            if self.policies[r].on_failure == OnFailure::Shadow
                && memory.shadow.is_none()
                && let Some(succeeded) = memory.last_succeeded.clone()
            {
                let shadow = self.create(Who { oracle: r, role: Role::Shadow });
                self.oracles[r].memory.shadow = Some(shadow);
                self.write(shadow, succeeded, Why::Shadowed);
            }
        }
    }

    fn hold(&mut self, r: usize, desired: &Question) {
        let memory = &mut self.oracles[r].memory;
        let stamp = memory.stamp();
        memory.held.push((stamp, desired.clone()));
        let held = memory.held.len();
        self.tell(Fact::Held { oracle: r, inputs: contents(desired), held });
    }

    fn discard_all(&mut self, r: usize) {
        for (_, question) in std::mem::take(&mut self.oracles[r].memory.held) {
            self.tell(Fact::Discarded { oracle: r, inputs: contents(&question) });
        }
    }

    /// Step 4: desired is put among the held, and the next held is written if that is permitted.
    fn hold_and_write(&mut self, r: usize, desired: &Question) {
        let seen = self.view(r).shown.spec;
        let differs_from_the_spec = seen.is_none_or(|spec| !same(&spec, desired));
        let memory = &self.oracles[r].memory;
        let failed = memory.failed.as_ref().is_some_and(|failed| same(failed, desired));
        let barred = failed
            && (self.policies[r].pending == Pending::Stack || self.policies[r].on_failure == OnFailure::Rollback);
        let newest_held = memory.held.last().map(|(_, question)| question);
        let differs_from_the_newest_held = newest_held.is_none_or(|newest| !same(newest, desired));
        let none_held = newest_held.is_none();
        match self.policies[r].pending {
            Pending::Latest if barred || !differs_from_the_spec => self.discard_all(r),
            Pending::Latest if differs_from_the_newest_held => {
                self.discard_all(r);
                self.hold(r, desired);
            }
            Pending::Latest => {}
            Pending::Fifo => {
                let differs = if none_held { differs_from_the_spec } else { differs_from_the_newest_held };
                if differs && !barred {
                    self.hold(r, desired);
                }
            }
            Pending::Stack => {
                if differs_from_the_newest_held && differs_from_the_spec && !barred {
                    self.hold(r, desired);
                }
            }
        }

        if self.oracles[r].memory.held.is_empty() {
            self.stop_the_hold_timer(r);
            self.roll_back(r);
            return;
        }
        if self.may_write(r, &self.view(r)) || self.oracles[r].memory.hold_is_over {
            let memory = &mut self.oracles[r].memory;
            let next = if self.policies[r].pending == Pending::Stack { memory.held.len() - 1 } else { 0 };
            let (stamp, question) = memory.held.remove(next);
            self.ask(r, question, stamp, Why::Asked);
        }
        let memory = &mut self.oracles[r].memory;
        if let Some(timeout) = self.policies[r].timeout
            && !memory.held.is_empty()
            && !memory.hold_runs
        {
            memory.hold_runs = true;
            self.after(timeout.0, What::HoldOver(r));
        }
    }

    /// Seen at rest with `Ready = False`, the last question seen to succeed is asked again.
    fn roll_back(&mut self, r: usize) {
        if self.policies[r].on_failure != OnFailure::Rollback || self.is_foreign(r) {
            return;
        }
        let view = self.view(r);
        if let Some(succeeded) = self.oracles[r].memory.last_succeeded.clone() {
            let differs = !same(&self.oracles[r].memory.last_asked, &succeeded);
            if self.is(r, &view, Ready::False) && differs {
                self.ask(r, succeeded, 0, Why::RolledBack);
            }
        }
    }

    // Reading.

    /// Step 3: the output that may be read.
    fn read(&mut self, r: usize) -> Option<Value> {
        let memory = &self.oracles[r].memory;
        if self.policies[r].lifecycle == Lifecycle::Immutable {
            for &o in memory.immutable.iter().rev() {
                let view = self.view_of_one_question(o);
                let ready = self.always_healthy(r) || view.shown.ready == Ready::True;
                if let (true, true, Some(answer)) =
                    (ready, self.may_read(r, &view, memory.in_grace), view.shown.answer.clone())
                {
                    let claim = self.claim_of_one_question(r, o, &view);
                    return Some(self.take(r, o, answer, claim));
                }
            }
            return None;
        }
        if self.is_foreign(r) {
            return None;
        }
        let main = memory.asked.expect("it was asked");
        let view = self.view(r);
        if let Some(shadow) = memory.shadow
            && view.shown.ready != Ready::True
        {
            let view = self.view_of_one_question(shadow);
            let answer = view.shown.answer.clone()?;
            if !self.may_read(r, &view, memory.in_grace) {
                return None;
            }
            let claim = self.claim_of_one_question(r, shadow, &view);
            return Some(self.take(r, shadow, answer, claim));
        }
        let answer = view.shown.answer.clone()?;
        if !self.may_read(r, &view, memory.in_grace) {
            return None;
        }
        let claim = self.claim(r, &view, &answer);
        Some(self.take(r, main, answer, claim))
    }

    /// The question that an answer of the asked object is claimed for.
    fn claim(&self, r: usize, view: &View, answer: &Answer) -> Option<(u32, Question)> {
        let memory = &self.oracles[r].memory;
        let last_asked = Some((memory.own, memory.last_asked.clone()));
        let reports = self.setting.oracles[r].reports;
        let unreported = if self.always_healthy(r) { last_asked.clone() } else { None };
        match self.policies[r].trace {
            Trace::Latest => match &memory.last_read {
                Some((making, claim)) if *making == answer.making => claim.clone(),
                _ => last_asked,
            },
            Trace::WhenReady if self.always_healthy(r) || self.is(r, view, Ready::True) => last_asked,
            Trace::WhenReady => None,
            Trace::ReportedGeneration if reports == Reports::Generation => {
                memory.history.iter().rev().find(|(generation, _)| *generation == answer.generation).cloned()
            }
            Trace::ReportedInputs if reports == Reports::Inputs => {
                memory.history.iter().rev().find(|(_, question)| contents(question) == answer.inputs).cloned()
            }
            Trace::ReportedGeneration | Trace::ReportedInputs => unreported,
        }
    }

    /// The question that the answer of a shadow or an immutable object is claimed for.
    fn claim_of_one_question(&self, r: usize, o: usize, view: &View) -> Option<(u32, Question)> {
        let wants_success = self.policies[r].trace == Trace::WhenReady && !self.always_healthy(r);
        if wants_success && !self.is(r, view, Ready::True) {
            return None;
        }
        Some((1, self.objects[o].spec.clone()))
    }

    fn take(&mut self, r: usize, o: usize, answer: Answer, claim: Option<(u32, Question)>) -> Value {
        self.oracles[r].memory.last_read = Some((answer.making, claim.clone()));
        let claim = claim.map(|(generation, question)| Claimed {
            generation,
            question: contents(&question).join(","),
            is_false: answer.made_from != Some(contents(&question)),
        });
        self.tell(Fact::Took { who: self.objects[o].who, making: answer.making, claim });
        answer.value
    }
}
