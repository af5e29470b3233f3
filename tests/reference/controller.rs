//! An oracle's controller (§3).

use rehearsal::model::Role;
use rehearsal::model::policy::Ready;
use rehearsal::model::setting::{Acknowledges, Between, OnNewQuestion, Oracle, Retention, StatusPhase, WhileWorking};

use super::facts::Fact;
use super::simulator::{What, World, fixed};
use super::values::{Question, contents, lineage};

/// What a controller is at.
#[derive(Clone, Debug)]
pub enum Phase {
    Idle,
    /// Waiting for a worker, to begin this attempt at this question of this generation.
    InLine(u32, Question, u32),
    Working(Attempt),
    BetweenTwoQuestions,
    /// Waiting to begin this attempt at this question of this generation.
    WaitingToRetry(u32, Question, u32),
}

/// Work on a question.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub generation: u32,
    pub question: Question,
    /// Counted from 1.
    pub number: u32,
    pub world: u32,
    pub well: bool,
}

impl World<'_> {
    /// A write of the object's spec is noticed in a while.
    pub fn a_write_is_going_to_be_noticed(&mut self, o: usize) {
        let oracle = &self.setting.oracles[self.objects[o].who.oracle];
        let object = &mut self.objects[o];
        if oracle.on_new_question == OnNewQuestion::Queue {
            let brings = Some((object.generation, object.spec.clone()));
            self.after(fixed(&oracle.notice), What::Notice(o, brings));
        } else if !object.notice_under_way {
            object.notice_under_way = true;
            self.after(fixed(&oracle.notice), What::Notice(o, None));
        }
    }

    pub fn notice(&mut self, o: usize, brings: Option<(u32, Question)>) {
        let oracle = &self.setting.oracles[self.objects[o].who.oracle];
        let object = &mut self.objects[o];
        object.notice_under_way = false;
        let (generation, question) = brings.unwrap_or((object.generation, object.spec.clone()));
        object.heard = Some((generation, question.clone()));
        if oracle.acknowledges == Acknowledges::Hearing {
            object.observed = object.observed.max(generation);
        }
        let who = object.who;
        self.tell(Fact::Noticed { who, generation });
        self.show(o);
        match (self.objects[o].phase.clone(), oracle.on_new_question) {
            (Phase::Idle | Phase::WaitingToRetry(..), _) => self.begin(o, generation, question, 1),
            (_, OnNewQuestion::Queue) => self.objects[o].queue.push_back((generation, question)),
            (Phase::InLine(..), _) => self.objects[o].phase = Phase::InLine(generation, question, 1),
            (_, OnNewQuestion::Finish) => {}
            (Phase::BetweenTwoQuestions, OnNewQuestion::Restart) => self.begin(o, generation, question, 1),
            (Phase::Working(dropped), OnNewQuestion::Restart) => {
                self.cancel(|what| matches!(what, What::Finish(other) if *other == o));
                self.tell(Fact::Dropped { who, generation: dropped.generation });
                self.begin_with_a_worker(o, generation, question, 1);
            }
        }
    }

    /// Begins as soon as there is a worker.
    fn begin(&mut self, o: usize, generation: u32, question: Question, attempt: u32) {
        self.cancel(|what| matches!(what, What::Retry(other) | What::Next(other) if *other == o));
        let r = self.objects[o].who.oracle;
        if self.has_a_free_worker(r) {
            self.begin_with_a_worker(o, generation, question, attempt);
        } else {
            self.objects[o].phase = Phase::InLine(generation, question, attempt);
            self.oracles[r].line.push(o);
        }
    }

    fn has_a_free_worker(&self, r: usize) -> bool {
        let at_work = self
            .objects
            .iter()
            .filter(|object| !object.removed && object.who.oracle == r && matches!(object.phase, Phase::Working(_)));
        let at_work = at_work.count();
        self.setting.oracles[r].workers.is_none_or(|workers| at_work < workers as usize)
    }

    /// Workers that are free take the first in line.
    pub fn serve_the_line(&mut self, r: usize) {
        while !self.oracles[r].line.is_empty() && self.has_a_free_worker(r) {
            let o = self.oracles[r].line.remove(0);
            let Phase::InLine(generation, question, attempt) = self.objects[o].phase.clone() else {
                panic!("only who waits is in line");
            };
            self.begin_with_a_worker(o, generation, question, attempt);
        }
    }

    fn begin_with_a_worker(&mut self, o: usize, generation: u32, question: Question, number: u32) {
        let r = self.objects[o].who.oracle;
        let oracle = &self.setting.oracles[r];
        self.cancel(|what| matches!(what, What::Flap(other) if *other == o));
        let (world, world_is_good) = (self.oracles[r].world, self.oracles[r].world_is_good);

        let object = &mut self.objects[o];
        object.flapped_down = false;
        object.ready = while_working(oracle, object.ready, object.answer.is_some());
        if oracle.acknowledges == Acknowledges::Start {
            object.observed = object.observed.max(generation);
        }
        if oracle.retention == Retention::Cleared {
            object.answer = None;
        }
        let begun = object.attempts.entry(contents(&question)).or_default();
        *begun += 1;
        let begun = *begun;

        // What the attempt will come to is settled now.
        let versions = lineage(&question).fields;
        let went_in = |set: &std::collections::BTreeMap<usize, u32>| {
            set.iter().any(|(&field, &version)| versions.contains(&(field, version)))
        };
        let bad = self.updates.iter().any(|update| update.bad_for.contains(&r) && went_in(&update.set));
        let hanging = self.updates.iter().any(|update| update.hangs_for.contains(&r) && went_in(&update.set));
        let hangs = hanging || (!self.probing && oracle.hangs.get() == 1.0);
        let fault = !self.probing && (oracle.fails.get() == 1.0 || begun <= oracle.fails_first);
        let well = !bad && world_is_good && !fault;

        if hangs && let Some(health) = oracle.health {
            self.objects[o].ready = health.in_phase(StatusPhase::Hung);
        }
        self.objects[o].phase = Phase::Working(Attempt { generation, question, number, world, well });
        self.tell(Fact::Began { who: self.objects[o].who, generation, attempt: number, world, hangs });
        self.show(o);
        if !hangs {
            self.after(fixed(&oracle.work), What::Finish(o));
        }
    }

    pub fn finish(&mut self, o: usize) {
        let Phase::Working(attempt) = self.objects[o].phase.clone() else { panic!("only work is finished") };
        let who = self.objects[o].who;
        let oracle = &self.setting.oracles[who.oracle];
        self.objects[o].phase = Phase::Idle;
        let (generation, number) = (attempt.generation, attempt.number);
        self.tell(Fact::Finished { who, generation, attempt: number, success: attempt.well });
        if attempt.well {
            let answer = self.make(o, &attempt);
            match fixed(&oracle.answer_lag) {
                0 => self.answer(o, answer),
                lag => self.after(lag, What::Appear(o, answer)),
            }
        }

        let world = self.oracles[who.oracle].world;
        let object = &mut self.objects[o];
        if oracle.acknowledges == Acknowledges::Finish {
            object.observed = object.observed.max(generation);
        }
        let heard = object.heard.as_ref().expect("it has heard what it worked on").0;
        let world_changed = world != attempt.world && !matches!(who.role, Role::Immutable(_));
        let something_newer_waits = heard > generation || world_changed || !object.queue.is_empty();
        object.ready = if something_newer_waits && oracle.between == Between::Working {
            while_working(oracle, object.ready, object.answer.is_some())
        } else {
            after_work(oracle, attempt.well)
        };
        self.show(o);

        if something_newer_waits {
            self.objects[o].phase = Phase::BetweenTwoQuestions;
            self.after(fixed(&oracle.gap), What::Next(o));
        } else if !attempt.well && oracle.retry.as_ref().is_some_and(|retry| retry.attempts.is_none_or(|n| number < n))
        {
            let retry = oracle.retry.as_ref().expect("it was just seen");
            let backoff = fixed(&retry.backoff) as f64 * retry.factor.powi(number as i32 - 1);
            let backoff = (backoff.round() as u64).min(retry.max.map_or(u64::MAX, |max| max.0));
            self.objects[o].phase = Phase::WaitingToRetry(generation, attempt.question, number + 1);
            self.after(backoff, What::Retry(o));
        } else if attempt.well
            && !self.probing
            && let Some(flaps) = &oracle.flaps
        {
            self.after(fixed(&flaps.up), What::Flap(o));
        }
        self.serve_the_line(who.oracle);
    }

    pub fn next(&mut self, o: usize) {
        let object = &mut self.objects[o];
        let oldest = object.queue.pop_front();
        let (generation, question) = oldest.or(object.heard.clone()).expect("something waits");
        self.begin(o, generation, question, 1);
    }

    pub fn retry(&mut self, o: usize) {
        let Phase::WaitingToRetry(generation, question, attempt) = self.objects[o].phase.clone() else {
            panic!("only who waits retries");
        };
        self.begin(o, generation, question, attempt);
    }

    pub fn react(&mut self, o: usize) {
        let object = &self.objects[o];
        if let (Phase::Idle | Phase::WaitingToRetry(..), Some((generation, question))) = (&object.phase, &object.heard)
        {
            let (generation, question) = (*generation, question.clone());
            self.begin(o, generation, question, 1);
        }
    }

    /// The object goes, with all that its controller was going to do.
    pub fn remove(&mut self, o: usize) {
        let who = self.objects[o].who;
        if let Phase::Working(attempt) = &self.objects[o].phase {
            let generation = attempt.generation;
            self.tell(Fact::Dropped { who, generation });
        }
        self.objects[o].removed = true;
        self.objects[o].phase = Phase::Idle;
        self.tell(Fact::Removed { who });
        self.cancel(|what| match what {
            What::Flap(other) | What::Notice(other, _) | What::React(other) | What::Finish(other) => *other == o,
            What::Next(other) | What::Retry(other) | What::Appear(other, _) | What::Follow(other, _) => *other == o,
            _ => false,
        });
        self.oracles[who.oracle].line.retain(|other| *other != o);
        self.serve_the_line(who.oracle);
    }
}

/// What `Ready` is during work, if it was `before`.
fn while_working(oracle: &Oracle, before: Ready, answered: bool) -> Ready {
    if let Some(rule) = oracle.health {
        return if answered { rule.in_phase(StatusPhase::LaterWork) } else { rule.in_phase(StatusPhase::FirstWork) };
    }
    match oracle.while_working {
        WhileWorking::Unknown => Ready::Unknown,
        WhileWorking::Unchanged => before,
        WhileWorking::False => Ready::False,
    }
}

/// What `Ready` is at rest.
pub fn after_work(oracle: &Oracle, well: bool) -> Ready {
    match (oracle.health, well) {
        (Some(rule), true) => rule.in_phase(StatusPhase::Succeeded),
        (Some(rule), false) => rule.in_phase(StatusPhase::Failed),
        (None, false) if oracle.reports_failure => Ready::False,
        (None, _) => Ready::True,
    }
}
