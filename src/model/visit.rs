//! A visit of one oracle, step by step (contract §4), and what is claimed of what is read (§5, `trace`).

use std::ops::ControlFlow;

use super::event::{Driver, Event};
use super::fact::{Claim, Fact, Why};
use super::memory::{Asked, HoldClock, Taken};
use super::object::{ObjectId, Shown};
use super::policy::{Lifecycle, Memory, Missing, OnFailure, Order, Pending, Ready, Seen, Trace};
use super::setting::{Healthy, OracleId, ReadsFrom, Reports, Source};
use super::time::Length;
use super::value::{Content, Generation, QuestionId, ValueId};
use super::world::World;

/// What a visit sees of the object that is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub view: Shown,
    pub seen: Seen,
    /// Somebody else wrote the spec: it is not the one last asked. Until a copy shows the choreographer's own last write,
    /// what was written counts (§10.4).
    pub foreign: bool,
}

impl World<'_> {
    /// Visits `r`; breaks if the pass ends here.
    pub(super) fn visit<D: Driver>(&mut self, r: OracleId, driver: &mut D) -> ControlFlow<()> {
        let policy = self.plan.policy(r);

        // 1. Gather.
        if let Err(input) = self.gather(r) {
            driver.observe(&Fact::Skipped { oracle: r, input });
            return match policy.missing {
                Missing::Skip => ControlFlow::Continue(()),
                Missing::Stop => ControlFlow::Break(()),
            };
        }
        if self.memories[r.index()].last_visit.stands_for(&self.pass.gathered) {
            self.visit_again(r, driver);
            return ControlFlow::Continue(());
        }
        self.memories[r.index()].last_visit.begin(&self.pass.gathered);
        let desired = self.values.content_of(&self.pass.gathered);

        // 2. Guard.
        let mut look = match self.memories[r.index()].asked {
            None => {
                let question = self.values.question(&self.pass.gathered);
                self.ask(r, question, Why::Created, driver);
                self.look(r)
            }
            Some(asked) => {
                let look = self.look(r);
                if look.foreign && policy.reverts {
                    self.ask(r, asked.question, Why::Reverted, driver);
                    self.look(r)
                } else {
                    look
                }
            }
        };
        if self.note_outcome(r, &look, desired, driver) {
            // A shadow that goes may leave its worker to the object that is asked.
            look = self.look(r);
        }

        // 3. Read, and 4. write, in the policy's order.
        let read = match policy.order {
            Order::WriteFirst => {
                if self.write_or_hold(r, &look, desired, driver) {
                    look = self.look(r);
                }
                self.read(r, &look, driver)
            }
            Order::ReadFirst => {
                let read = self.read(r, &look, driver);
                self.write_or_hold(r, &look, desired, driver);
                read
            }
        };

        // 5. If nothing was read, the memento.
        self.pass.outputs[r.index()] = read.or(self.memories[r.index()].memento);
        ControlFlow::Continue(())
    }

    /// A visit that comes to what the last one came to: it writes nothing, holds nothing new, and takes what that took.
    fn visit_again<D: Driver>(&mut self, r: OracleId, driver: &mut D) {
        let memory = &self.memories[r.index()];
        let taken = memory.last_visit.taken;
        self.pass.outputs[r.index()] = taken.map(|taken| taken.value).or(memory.memento);
        if let Some(Taken { object, value, claim }) = taken {
            driver.observe(&Fact::Took { named: self.named(object), answer: self.answer_view(value), claim });
        }
    }

    /// The inputs from the snapshot and this pass's outputs; or the place of the first that is missing.
    #[inline]
    fn gather(&mut self, r: OracleId) -> Result<(), usize> {
        let pass = &mut self.pass;
        pass.gathered.clear();
        for (input, source) in self.plan.oracle(r).asks.iter().enumerate() {
            let value = match *source {
                Source::Field(field) => pass.snapshot[field.index()],
                Source::Oracle(earlier) => pass.outputs[earlier.index()],
            };
            pass.gathered.push(value.ok_or(input)?);
        }
        Ok(())
    }

    /// The object that is asked: the one mutable object, or the newest-asked immutable one.
    #[inline]
    pub(super) fn asked_object(&self, r: OracleId) -> ObjectId {
        self.memories[r.index()].immutable.last().copied().unwrap_or(self.main(r))
    }

    /// What the choreographer sees of an object: the object itself, or its copy.
    #[inline]
    pub(super) fn view(&self, id: ObjectId) -> Shown {
        let object = self.object(id);
        match self.plan.setting().choreographer.reads_from {
            ReadsFrom::Write => object.shown(self.plan.oracle(object.oracle)),
            ReadsFrom::Cache => object.copy,
        }
    }

    /// What the rules see of the object that is asked.
    #[inline]
    pub(super) fn seen(&self, r: OracleId, view: &Shown) -> Seen {
        let memory = &self.memories[r.index()];
        let asked = memory.asked.expect("an object was asked");
        Seen {
            generation: view.generation,
            observed: view.observed,
            ready: view.ready,
            own: asked.generation,
            spec_is_last_asked: view.spec.is_some_and(|spec| self.same_question(spec, asked.question)),
            in_grace: memory.in_grace,
        }
    }

    #[inline]
    fn same_question(&self, one: QuestionId, other: QuestionId) -> bool {
        one == other || self.values.contents(one) == self.values.contents(other)
    }

    /// A look at the object that is asked. It holds until the choreographer writes.
    #[inline]
    fn look(&self, r: OracleId) -> Look {
        let view = self.view(self.asked_object(r));
        let seen = self.seen(r, &view);
        Look { view, seen, foreign: seen.generation >= seen.own && !seen.spec_is_last_asked }
    }

    /// Whether nothing more is to come of `r` as the policy sees it: nothing is held, and it was never asked or is at rest.
    pub(super) fn rests(&self, r: OracleId) -> bool {
        let (policy, oracle, memory) = (self.plan.policy(r), self.plan.oracle(r), &self.memories[r.index()]);
        memory.held.is_empty()
            && (memory.asked.is_none()
                || oracle.healthy == Healthy::Always
                || policy.at_rest(oracle, &self.look(r).seen))
    }

    /// What the object says of the question last asked: whether it succeeded or failed (§5 `stack`, `rollback`,
    /// `shadow`). Tells whether a shadow came or went.
    fn note_outcome<D: Driver>(&mut self, r: OracleId, look: &Look, desired: Content, driver: &mut D) -> bool {
        let (policy, oracle) = (self.plan.policy(r), self.plan.oracle(r));
        if policy.pending != Pending::Stack && policy.on_failure == OnFailure::Wait {
            return false;
        }
        // What follows changes what is remembered.
        self.stir(r);
        let memory = &mut self.memories[r.index()];
        if memory.failed.is_some_and(|failed| self.values.contents(failed) != desired) {
            memory.failed = None;
        }
        if look.foreign {
            return false;
        }
        let seen = look.seen;
        let asked = self.memories[r.index()].asked.expect("an object was asked");
        if policy.succeeded(oracle, &seen) {
            let memory = &mut self.memories[r.index()];
            memory.succeeded = Some(asked.question);
            // One that failed stays barred while an older one succeeds; a retry of its own may still save it.
            if memory.failed.is_some_and(|failed| self.values.contents(failed) == self.values.contents(asked.question))
            {
                memory.failed = None;
            }
            if policy.pending == Pending::Stack {
                self.discard_older(r, driver);
            }
            if let Some(shadow) = self.memories[r.index()].shadow.take() {
                self.remove(shadow, driver);
                return true;
            }
        } else if policy.failed(oracle, &seen) {
            let memory = &mut self.memories[r.index()];
            if self.values.contents(asked.question) == desired {
                memory.failed = Some(asked.question);
            }
            if let (OnFailure::Shadow, None, Some(good)) = (policy.on_failure, memory.shadow, memory.succeeded) {
                let shadow = self.shadow(r);
                self.memories[r.index()].shadow = Some(shadow);
                self.write(shadow, good, Why::Shadowed, driver);
                return true;
            }
        }
        false
    }

    /// Writes the spec of the one mutable object; or creates an immutable one, if there is none of that question.
    pub(super) fn ask<D: Driver>(&mut self, r: OracleId, question: QuestionId, why: Why, driver: &mut D) {
        let policy = self.plan.policy(r);
        self.stir(r);
        let object = match policy.lifecycle {
            Lifecycle::Mutable => {
                let object = self.main(r);
                self.write(object, question, why, driver);
                object
            }
            Lifecycle::Immutable => self.ask_immutable(r, question, driver),
        };
        let asked = Asked { question, generation: self.object(object).generation };
        let memory = &mut self.memories[r.index()];
        memory.asked = Some(asked);
        if self.plan.remembers_asked(r) && memory.history.back().is_none_or(|last| last.generation < asked.generation) {
            memory.history.push_back(asked);
        }
        if memory.hold_clock == HoldClock::Running {
            driver.cancel(Event::HoldOver(r));
        }
        memory.hold_clock = HoldClock::Stopped;
        if let Some(grace) = policy.grace {
            driver.cancel(Event::GraceOver(r));
            memory.in_grace = true;
            driver.schedule(Event::GraceOver(r), &Length::Fixed(grace), super::event::Draw::NONE);
        }
    }

    /// The object of this question becomes the newest asked.
    fn ask_immutable<D: Driver>(&mut self, r: OracleId, question: QuestionId, driver: &mut D) -> ObjectId {
        let contents = self.values.contents(question);
        let holds = |id: &ObjectId| {
            self.objects[id.slot as usize].spec.is_some_and(|spec| self.values.contents(spec) == contents)
        };
        let memory = &mut self.memories[r.index()];
        if let Some(at) = memory.immutable.iter().rposition(holds) {
            let object = memory.immutable.remove(at);
            memory.immutable.push(object);
            driver.observe(&Fact::Reused { named: self.named(object) });
            return object;
        }
        memory.created += 1;
        let number = memory.created;
        let object = self.new_object(r, number);
        self.memories[r.index()].immutable.push(object);
        self.write(object, question, Why::Created, driver);
        object
    }

    /// **Read.**
    fn read<D: Driver>(&mut self, r: OracleId, look: &Look, driver: &mut D) -> Option<ValueId> {
        let policy = self.plan.policy(r);
        if policy.lifecycle == Lifecycle::Immutable {
            return self.read_immutable(r, driver);
        }
        let waits = look.seen.in_grace && self.plan.oracle(r).healthy != Healthy::Always;
        if look.foreign || waits {
            return None;
        }
        if let Some(shadow) = self.memories[r.index()].shadow.filter(|_| look.view.ready != Ready::True) {
            return self.read_own_question(r, shadow, driver);
        }
        if !policy.may_read(self.plan.oracle(r), &look.seen) {
            return None;
        }
        let value = look.view.answer?;
        let claim = self.claim(r, &look.seen, value);
        Some(self.take(r, self.main(r), value, claim, driver))
    }

    /// The answer of the newest-asked object that is `Ready`.
    fn read_immutable<D: Driver>(&mut self, r: OracleId, driver: &mut D) -> Option<ValueId> {
        let healthy = self.plan.oracle(r).healthy == Healthy::Always;
        let in_grace = self.memories[r.index()].in_grace;
        if in_grace && !healthy {
            return None;
        }
        for at in (0..self.memories[r.index()].immutable.len()).rev() {
            let object = self.memories[r.index()].immutable[at];
            if healthy || self.view(object).ready == Ready::True {
                let read = self.read_own_question(r, object, driver);
                if read.is_some() {
                    return read;
                }
            }
        }
        None
    }

    /// Reads an object that is asked one question only, a shadow or an immutable one: the claim is its question (§5,
    /// §10.11).
    fn read_own_question<D: Driver>(&mut self, r: OracleId, id: ObjectId, driver: &mut D) -> Option<ValueId> {
        let (policy, oracle) = (self.plan.policy(r), self.plan.oracle(r));
        let view = self.view(id);
        let question = view.spec?;
        let seen = Seen {
            generation: view.generation,
            observed: view.observed,
            ready: view.ready,
            own: Generation(1),
            spec_is_last_asked: true,
            in_grace: false,
        };
        if !policy.may_read(oracle, &seen) {
            return None;
        }
        let value = view.answer?;
        let vouched =
            policy.trace != Trace::WhenReady || oracle.healthy == Healthy::Always || policy.succeeded(oracle, &seen);
        let claim = vouched.then(|| Claim { generation: view.generation, contents: self.values.contents(question) });
        Some(self.take(r, id, value, claim, driver))
    }

    /// Which question an answer of the mutable object is said to come from.
    #[inline]
    fn claim(&self, r: OracleId, seen: &Seen, value: ValueId) -> Option<Claim> {
        let (policy, oracle) = (self.plan.policy(r), self.plan.oracle(r));
        let memory = &self.memories[r.index()];
        let healthy = oracle.healthy == Healthy::Always;
        let origin = self.values.origin(value);
        let asked = match policy.trace {
            Trace::Latest => match memory.known {
                Some((making, claim)) if making == origin.making => return claim,
                _ => memory.asked,
            },
            Trace::WhenReady => memory.asked.filter(|_| healthy || policy.succeeded(oracle, seen)),
            Trace::ReportedGeneration if oracle.reports == Reports::Generation => memory.asked_as(origin.generation),
            Trace::ReportedInputs if oracle.reports == Reports::Inputs => {
                memory.asked_with(origin.inputs, &self.values)
            }
            Trace::ReportedGeneration | Trace::ReportedInputs => memory.asked.filter(|_| healthy),
        }?;
        Some(Claim { generation: asked.generation, contents: self.values.contents(asked.question) })
    }

    #[inline]
    fn take<D: Driver>(
        &mut self,
        r: OracleId,
        id: ObjectId,
        value: ValueId,
        claim: Option<Claim>,
        driver: &mut D,
    ) -> ValueId {
        driver.observe(&Fact::Took { named: self.named(id), answer: self.answer_view(value), claim });
        let memory = &mut self.memories[r.index()];
        memory.known = Some((self.values.origin(value).making, claim));
        memory.last_visit.taken = Some(Taken { object: id, value, claim });
        if self.plan.policy(r).memory != Memory::None {
            memory.memento = Some(value);
        }
        value
    }
}
