//! What a controller does (contract §3): one method a rule.

use super::event::{Draw, Driver, Event, Purpose, Stretch};
use super::fact::{Fact, Named, Why};
use super::object::{Attempt, Heard, ObjectId, Phase, Role, Shown, Task};
use super::policy::Ready;
use super::repeats::Counts;
use super::setting::{
    Acknowledges, Between, FlapTo, OnNewQuestion, Oracle, OracleId, Probability, Retention, StatusPhase, WhileWorking,
};
use super::time::Length;
use super::value::{Generation, Making, Origin, QuestionId, ValueId, WorldVersion};
use super::world::World;

impl World<'_> {
    /// Writes a spec. A write that leaves all contents as they are changes nothing; otherwise the generation goes up and
    /// the controller notices, `notice` later. An object that is not reconciled answers inside the write (§10.8).
    pub(super) fn write<D: Driver>(&mut self, id: ObjectId, question: QuestionId, why: Why, driver: &mut D) -> bool {
        let plan = self.plan;
        let object = &mut self.objects[id.slot as usize];
        let oracle = plan.oracle(object.oracle);
        if object.spec.is_some_and(|spec| self.values.contents(spec) == self.values.contents(question)) {
            return false;
        }
        let before = object.shown(oracle);
        object.generation = object.generation.next();
        object.spec = Some(question);
        if let Some(health) = &oracle.health {
            if !oracle.reconciles {
                object.ready = health.in_phase(StatusPhase::Succeeded);
            } else if object.generation == Generation(1) {
                object.ready = health.in_phase(StatusPhase::NeverReported);
            }
        }
        let generation = object.generation;
        let named = self.named(id);
        driver.observe(&Fact::Wrote { named, generation, question: self.question_view(question), why });
        if !oracle.reconciles {
            let world = self.worlds[named.oracle.index()].version;
            let repeat = self.count_attempt(id, question, 1).begun;
            let value = self.make_answer(id, Task { generation, question, attempt: 1 }, world, repeat, driver);
            self.set_answer(id, value, driver);
        } else {
            let about = Draw::of(&oracle.notice, || self.about(Purpose::Notice, id, question, 0));
            let object = &mut self.objects[id.slot as usize];
            if oracle.on_new_question == OnNewQuestion::Queue {
                object.notices.push_back(Heard { generation, question });
                driver.schedule(Event::Notice(id), &oracle.notice, about);
            } else if !object.noticing {
                object.noticing = true;
                driver.schedule(Event::Notice(id), &oracle.notice, about);
            }
        }
        self.showed(id, before, driver);
        true
    }

    /// **Noticing.**
    pub(super) fn notice<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let oracle = self.plan.oracle(self.object(id).oracle);
        let object = &mut self.objects[id.slot as usize];
        let before = object.shown(oracle);
        let heard = if oracle.on_new_question == OnNewQuestion::Queue {
            object.notices.pop_front().expect("a notice is of a write")
        } else {
            object.noticing = false;
            Heard { generation: object.generation, question: object.spec.expect("a notice is of a write") }
        };
        assert!(object.heard.is_none_or(|earlier| earlier.generation < heard.generation), "notices come in order");
        object.heard = Some(heard);
        if oracle.acknowledges == Acknowledges::Hearing {
            object.observed = object.observed.max(heard.generation);
        }
        let phase = object.phase;
        driver.observe(&Fact::Noticed { named: self.named(id), generation: heard.generation });
        self.showed(id, before, driver);

        let newest = Task { generation: heard.generation, question: heard.question, attempt: 1 };
        match (phase, oracle.on_new_question) {
            (Phase::Idle, _) => self.begin(id, newest, driver),
            (Phase::Backoff(_), _) => {
                driver.cancel(Event::Retry(id));
                self.begin(id, newest, driver);
            }
            (_, OnNewQuestion::Queue) => self.objects[id.slot as usize].queue.push_back(heard),
            // It has not begun yet: what it begins when a worker is free is the newest.
            (Phase::Lined(_), _) => self.objects[id.slot as usize].phase = Phase::Lined(newest),
            (_, OnNewQuestion::Finish) => {}
            (Phase::Gap, OnNewQuestion::Restart) => {
                driver.cancel(Event::Next(id));
                self.begin(id, newest, driver);
            }
            (Phase::Working(attempt), OnNewQuestion::Restart) => {
                driver.cancel(Event::Finish(id));
                self.drop_attempt(id, attempt, driver);
                self.start(id, newest, driver);
            }
            (Phase::Hung(attempt), OnNewQuestion::Restart) => {
                self.drop_attempt(id, attempt, driver);
                self.start(id, newest, driver);
            }
        }
    }

    fn drop_attempt<D: Driver>(&mut self, id: ObjectId, attempt: Attempt, driver: &mut D) {
        driver.observe(&Fact::Dropped { named: self.named(id), generation: attempt.task.generation });
    }

    /// **Workers.** Begins a question, or lines up for a worker.
    fn begin<D: Driver>(&mut self, id: ObjectId, task: Task, driver: &mut D) {
        let r = self.object(id).oracle;
        if let Some(workers) = self.plan.oracle(r).workers {
            let crew = &mut self.crews[r.index()];
            if crew.busy >= workers {
                crew.line.push_back(id);
                self.objects[id.slot as usize].phase = Phase::Lined(task);
                return;
            }
            crew.busy += 1;
        }
        self.start(id, task, driver);
    }

    /// A worker is free: the first in line begins.
    fn release_worker<D: Driver>(&mut self, r: OracleId, driver: &mut D) {
        if self.plan.oracle(r).workers.is_none() {
            return;
        }
        let crew = &mut self.crews[r.index()];
        crew.busy -= 1;
        let Some(id) = crew.line.pop_front() else { return };
        crew.busy += 1;
        let Phase::Lined(task) = self.object(id).phase else { unreachable!("only lined-up objects stand in line") };
        self.start(id, task, driver);
    }

    /// **Beginning g.**
    fn start<D: Driver>(&mut self, id: ObjectId, task: Task, driver: &mut D) {
        let plan = self.plan;
        let r = self.object(id).oracle;
        let oracle = plan.oracle(r);
        let world = self.worlds[r.index()];
        let contents = self.values.contents(task.question);
        let faults = self.values.faults(task.question);
        let calm = self.calm;

        let counts = self.count_attempt(id, task.question, task.attempt);
        let object = &mut self.objects[id.slot as usize];
        let before = object.shown(oracle);
        let has_answer = object.answer.is_some();
        object.ready = while_working(oracle, object.ready, has_answer);
        if oracle.acknowledges == Acknowledges::Start {
            object.observed = object.observed.max(task.generation);
        }
        if oracle.retention == Retention::Cleared {
            object.answer = None;
        }
        if oracle.flaps.is_some() {
            object.down = false;
            driver.cancel(Event::Flap(id));
        }
        let about = |purpose| Draw {
            purpose,
            subject: plan.oracle_name(r).0,
            which: contents.with(world.version.0.into()).0,
            repeat: u64::from(counts.begun) << 32 | u64::from(task.attempt),
        };
        let by_chance = |driver: &mut D, chance: Probability, purpose| {
            !calm && chance > Probability::NEVER && driver.decide(chance, about(purpose))
        };
        let hangs = faults.hangs.has(r) || by_chance(driver, oracle.hangs, Purpose::Hangs);
        let good = world.good && !faults.bad_for.has(r);
        let fails = !hangs
            && (!good
                || !calm && counts.attempted < oracle.fails_first
                || by_chance(driver, oracle.fails, Purpose::Fails));
        let attempt = Attempt { task, world: world.version, fails, repeat: counts.begun };
        object.phase = if hangs { Phase::Hung(attempt) } else { Phase::Working(attempt) };
        if let Some(health) = oracle.health.as_ref().filter(|_| hangs) {
            object.ready = health.in_phase(StatusPhase::Hung);
        }
        driver.observe(&Fact::Began {
            named: self.named(id),
            generation: task.generation,
            question: self.question_view(task.question),
            attempt: task.attempt,
            world: world.version,
            hangs,
        });
        self.showed(id, before, driver);
        if !hangs {
            driver.schedule(Event::Finish(id), &oracle.work, Draw::of(&oracle.work, || about(Purpose::Work)));
        }
    }

    /// Counts an attempt, if it matters how often the object has begun the question; tells what came before it.
    fn count_attempt(&mut self, id: ObjectId, question: QuestionId, attempt: u32) -> Counts {
        let contents = self.values.contents(question);
        let object = &mut self.objects[id.slot as usize];
        if self.plan.counts_repeats(object.oracle) {
            object.repeats.begin(contents, attempt)
        } else {
            Counts::default()
        }
    }

    /// **Finishing g.**
    pub(super) fn finish<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let Phase::Working(attempt) = self.object(id).phase else { unreachable!("only work under way finishes") };
        let Attempt { task, world, fails, repeat } = attempt;
        let r = self.object(id).oracle;
        let oracle = self.plan.oracle(r);
        let before = self.object(id).shown(oracle);
        driver.observe(&Fact::Finished {
            named: self.named(id),
            generation: task.generation,
            attempt: task.attempt,
            success: !fails,
        });
        if !fails {
            let value = self.make_answer(id, task, world, repeat, driver);
            if oracle.answer_lag == Length::ZERO {
                self.set_answer(id, value, driver);
            } else {
                self.objects[id.slot as usize].late.push_back(value);
                let about =
                    Draw::of(&oracle.answer_lag, || self.about(Purpose::AnswerLag, id, task.question, repeat.into()));
                driver.schedule(Event::Appear(id), &oracle.answer_lag, about);
            }
        }
        let world_changed = world != self.worlds[r.index()].version && self.sees_worlds(id);
        let object = &mut self.objects[id.slot as usize];
        if oracle.acknowledges == Acknowledges::Finish {
            object.observed = object.observed.max(task.generation);
        }
        let heard = object.heard.expect("work is on a question heard");
        let newer_waits = heard.generation > task.generation || world_changed || !object.queue.is_empty();
        object.ready = if newer_waits && oracle.between == Between::Working {
            while_working(oracle, object.ready, object.answer.is_some())
        } else {
            at_rest(oracle, fails)
        };

        if newer_waits {
            object.phase = Phase::Gap;
            let about = Draw::of(&oracle.gap, || self.about(Purpose::Gap, id, task.question, repeat.into()));
            driver.schedule(Event::Next(id), &oracle.gap, about);
        } else if let Some(retry) = oracle.retry.as_ref().filter(|_| fails).filter(|retry| retry.allows(task.attempt)) {
            object.phase = Phase::Backoff(Task { attempt: task.attempt + 1, ..task });
            let stretch = Stretch {
                factor: libm::pow(retry.factor, f64::from(task.attempt - 1)),
                limit: retry.max.map_or(u64::MAX, |max| max.0),
            };
            let about =
                self.about(Purpose::Backoff, id, task.question, u64::from(repeat) << 32 | u64::from(task.attempt));
            driver.schedule_stretched(Event::Retry(id), &retry.backoff, stretch, about);
        } else {
            object.phase = Phase::Idle;
            object.flaps = 0;
            if let Some(flaps) = oracle.flaps.as_ref().filter(|_| !fails && !self.calm) {
                driver.schedule(Event::Flap(id), &flaps.up, self.about(Purpose::FlapUp, id, task.question, 0));
            }
        }
        self.showed(id, before, driver);
        self.release_worker(r, driver);
    }

    /// The next question: the oldest queued, else the one heard now.
    pub(super) fn next<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let object = &mut self.objects[id.slot as usize];
        debug_assert_eq!(object.phase, Phase::Gap);
        let next = object.queue.pop_front().or(object.heard).expect("something waits");
        self.begin(id, Task { generation: next.generation, question: next.question, attempt: 1 }, driver);
    }

    /// The same question again, with the contents it began with (§10.1).
    pub(super) fn retry<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let Phase::Backoff(task) = self.object(id).phase else { unreachable!("only a failure is retried") };
        self.begin(id, task, driver);
    }

    /// **World change**: the controller's part.
    pub(super) fn react<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let object = self.object(id);
        let Some(heard) = object.heard else { return };
        match object.phase {
            Phase::Backoff(_) => driver.cancel(Event::Retry(id)),
            Phase::Idle => {}
            // Something newer waits: whatever is under way finds that the world has changed.
            Phase::Lined(_) | Phase::Working(_) | Phase::Hung(_) | Phase::Gap => return,
        }
        self.begin(id, Task { generation: heard.generation, question: heard.question, attempt: 1 }, driver);
    }

    /// Whether a change of the world reaches the object: an immutable one never sees a later world (§5).
    pub(super) fn sees_worlds(&self, id: ObjectId) -> bool {
        self.plan.oracle(self.object(id).oracle).reconciles && !matches!(self.object(id).role, Role::Immutable(_))
    }

    /// **Flapping.**
    pub(super) fn flap<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let oracle = self.plan.oracle(self.object(id).oracle);
        let Some(flaps) = &oracle.flaps else { return };
        let object = &mut self.objects[id.slot as usize];
        // One that waits for a worker has not begun, so it still flaps.
        debug_assert!(matches!(object.phase, Phase::Idle | Phase::Lined(_)));
        let before = object.shown(oracle);
        object.down = !object.down;
        object.ready = match (object.down, &oracle.health, flaps.to) {
            (false, ..) => at_rest(oracle, false),
            (true, Some(health), _) => health.in_phase(StatusPhase::Flapped),
            (true, None, FlapTo::False) => Ready::False,
            (true, None, FlapTo::Unknown) => Ready::Unknown,
        };
        object.flaps += 1;
        let (ready, count, down) = (object.ready, object.flaps, object.down);
        let question = object.heard.expect("only a success flaps").question;
        driver.observe(&Fact::Flapped { named: self.named(id), ready });
        self.showed(id, before, driver);
        if !self.calm {
            let (length, purpose) = if down { (&flaps.down, Purpose::FlapDown) } else { (&flaps.up, Purpose::FlapUp) };
            driver.schedule(Event::Flap(id), length, self.about(purpose, id, question, count.into()));
        }
    }

    /// A late answer appears, whatever has begun since, unless a later one shows by then.
    pub(super) fn appear<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let oracle = self.plan.oracle(self.object(id).oracle);
        let object = &mut self.objects[id.slot as usize];
        let before = object.shown(oracle);
        let value = object.late.pop_front().expect("an answer is late");
        let making = self.values.origin(value).making;
        if object.answer.is_some_and(|shown| self.values.origin(shown).making > making) {
            return;
        }
        self.set_answer(id, value, driver);
        self.showed(id, before, driver);
    }

    fn make_answer<D: Driver>(
        &mut self,
        id: ObjectId,
        task: Task,
        world: WorldVersion,
        repeat: u32,
        driver: &mut D,
    ) -> ValueId {
        let r = self.object(id).oracle;
        let contents = self.values.contents(task.question);
        let mut content = self.plan.oracle_name(r).with(contents.0).with(world.0.into());
        if !self.plan.oracle(r).reproducible {
            content = content.with(task.attempt.into()).with(repeat.into());
            // A shadow makes its own; each that lived in the slot is another.
            if self.object(id).role == Role::Shadow {
                content = content.with(1 + u64::from(id.life));
            }
        }
        let making = self.next_making(r);
        let origin = Origin { making, made_from: Some(contents), generation: task.generation, inputs: contents };
        let value = self.values.answer(r, content, task.question, world, origin);
        driver.observe(&Fact::Made { named: self.named(id), answer: self.answer_view(value) });
        value
    }

    pub(super) fn next_making(&mut self, r: OracleId) -> Making {
        let making = &mut self.makings[r.index()];
        making.0 += 1;
        *making
    }

    fn set_answer<D: Driver>(&mut self, id: ObjectId, value: ValueId, driver: &mut D) {
        self.objects[id.slot as usize].answer = Some(value);
        driver.observe(&Fact::Answered { named: self.named(id), answer: self.answer_view(value) });
    }

    /// A shadow goes: whatever its controller was at ends.
    pub(super) fn remove<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let (r, role, phase) = (self.object(id).oracle, self.object(id).role, self.object(id).phase);
        match phase {
            Phase::Working(_) => driver.cancel(Event::Finish(id)),
            Phase::Gap => driver.cancel(Event::Next(id)),
            Phase::Backoff(_) => driver.cancel(Event::Retry(id)),
            Phase::Idle | Phase::Lined(_) | Phase::Hung(_) => {}
        }
        driver.cancel(Event::Flap(id));
        if let Phase::Working(attempt) | Phase::Hung(attempt) = phase {
            self.drop_attempt(id, attempt, driver);
        }
        driver.observe(&Fact::Removed { named: self.named(id) });
        self.objects[id.slot as usize].vacate(r, role);
        match phase {
            Phase::Working(_) | Phase::Hung(_) => self.release_worker(r, driver),
            Phase::Lined(_) => self.crews[r.index()].line.retain(|&other| other != id),
            Phase::Idle | Phase::Gap | Phase::Backoff(_) => {}
        }
    }

    /// Tells of a real change of what an object shows, and wakes the choreographer (§4).
    pub(super) fn showed<D: Driver>(&mut self, id: ObjectId, before: Shown, driver: &mut D) {
        let object = self.object(id);
        let now = object.shown(self.plan.oracle(object.oracle));
        let same = |a: Shown, b: Shown| {
            (a.generation, a.observed, a.ready, a.answer) == (b.generation, b.observed, b.ready, b.answer)
        };
        if same(before, now) {
            return;
        }
        driver.observe(&Fact::Showed {
            named: self.named(id),
            generation: now.generation,
            observed: now.observed,
            ready: now.ready,
            answer: now.answer.map(|answer| self.values.origin(answer).making),
        });
        self.stir(object.oracle);
        self.seen_change(id, now, driver);
    }

    pub(super) fn named(&self, id: ObjectId) -> Named {
        let object = self.object(id);
        Named { oracle: object.oracle, object: id, role: object.role }
    }

    /// What a draw about a question of an object is keyed by (§8, §10.10).
    fn about(&self, purpose: Purpose, id: ObjectId, question: QuestionId, repeat: u64) -> Draw {
        let r = self.object(id).oracle;
        let world = self.worlds[r.index()].version;
        Draw {
            purpose,
            subject: self.plan.oracle_name(r).0,
            which: self.values.contents(question).with(world.0.into()).0,
            repeat,
        }
    }
}

/// What `Ready` becomes when work begins.
fn while_working(oracle: &Oracle, ready: Ready, has_answer: bool) -> Ready {
    match (&oracle.health, oracle.while_working) {
        (Some(health), _) if has_answer => health.in_phase(StatusPhase::LaterWork),
        (Some(health), _) => health.in_phase(StatusPhase::FirstWork),
        (None, WhileWorking::Unknown) => Ready::Unknown,
        (None, WhileWorking::Unchanged) => ready,
        (None, WhileWorking::False) => Ready::False,
    }
}

/// What `Ready` becomes with an outcome.
fn at_rest(oracle: &Oracle, fails: bool) -> Ready {
    match &oracle.health {
        Some(health) if fails => health.in_phase(StatusPhase::Failed),
        Some(health) => health.in_phase(StatusPhase::Succeeded),
        None if fails && oracle.reports_failure => Ready::False,
        None => Ready::True,
    }
}
