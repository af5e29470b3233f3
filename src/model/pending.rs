//! Step 4 of a visit: what is put among the held, and which held question is written (contract §5 `pending`, §10.5).

use super::event::{Draw, Driver, Event};
use super::fact::{Fact, Why};
use super::memory::{Held, HoldClock};
use super::policy::{OnFailure, Pending};
use super::setting::OracleId;
use super::time::Length;
use super::value::{Content, QuestionId};
use super::visit::Look;
use super::world::World;

impl World<'_> {
    /// **Write.** Desired is first put among the held; then, if the write rule permits or the timeout has passed, the
    /// next held is written. If there is nothing to ask, a failed question may be rolled back. Tells whether it wrote.
    pub(super) fn write_or_hold<D: Driver>(
        &mut self,
        r: OracleId,
        look: &Look,
        desired: Content,
        driver: &mut D,
    ) -> bool {
        let (policy, oracle) = (self.plan.policy(r), self.plan.oracle(r));
        let spec = look.view.spec.map(|spec| self.values.contents(spec));
        self.hold(r, desired, spec, driver);

        let memory = &self.memories[r.index()];
        if memory.held.is_empty() {
            self.stop_hold_clock(r, driver);
            let good = self.question_to_roll_back_to(r, look);
            if let Some(question) = good {
                self.ask(r, question, Why::RolledBack, driver);
                self.memories[r.index()].asked_stamp = 0;
            }
            return good.is_some();
        }
        let writes = policy.may_write(oracle, &look.seen) || memory.hold_clock == HoldClock::Over;
        if writes {
            let memory = &mut self.memories[r.index()];
            let next = match policy.pending {
                Pending::Latest | Pending::Fifo => memory.held.pop_front(),
                Pending::Stack => memory.held.pop_back(),
            };
            let next = next.expect("something is held");
            self.ask(r, next.question, Why::Asked, driver);
            self.memories[r.index()].asked_stamp = next.stamp;
        }
        self.run_hold_clock(r, driver);
        writes
    }

    /// Puts desired among the held, by the `pending` rule.
    fn hold<D: Driver>(&mut self, r: OracleId, desired: Content, spec: Option<Content>, driver: &mut D) {
        let policy = self.plan.policy(r);
        let memory = &self.memories[r.index()];
        let newest = memory.held.back().map(|held| self.values.contents(held.question));
        let barred =
            policy.bars_failed() && memory.failed.is_some_and(|failed| self.values.contents(failed) == desired);
        let differs_from_spec = spec != Some(desired);
        let puts = !barred
            && match policy.pending {
                Pending::Latest => differs_from_spec && newest != Some(desired),
                Pending::Fifo => newest.map_or(differs_from_spec, |newest| newest != desired),
                Pending::Stack => differs_from_spec && newest != Some(desired),
            };
        let drops = policy.pending == Pending::Latest && newest.is_some() && (puts || barred || !differs_from_spec);
        if drops || puts {
            self.stir(r);
        }
        if drops {
            let dropped = self.memories[r.index()].held.pop_front().expect("one is held");
            driver.observe(&Fact::Discarded { oracle: r, question: self.question_view(dropped.question) });
        }
        if puts {
            let question = self.values.question(&self.pass.gathered);
            let memory = &mut self.memories[r.index()];
            memory.stamp += 1;
            memory.held.push_back(Held { question, stamp: memory.stamp });
            let held = memory.held.len();
            driver.observe(&Fact::Held { oracle: r, question: self.question_view(question), held });
        }
    }

    /// When a question is seen to have succeeded, all held ones older than it are dropped (§5 `stack`).
    pub(super) fn discard_older<D: Driver>(&mut self, r: OracleId, driver: &mut D) {
        let asked_stamp = self.memories[r.index()].asked_stamp;
        while let Some(&oldest) = self.memories[r.index()].held.front().filter(|held| held.stamp < asked_stamp) {
            self.memories[r.index()].held.pop_front();
            driver.observe(&Fact::Discarded { oracle: r, question: self.question_view(oldest.question) });
        }
    }

    /// The last question seen to succeed, if the one last asked is seen at rest with `Ready = False` (§5 `rollback`,
    /// §10.7).
    fn question_to_roll_back_to(&self, r: OracleId, look: &Look) -> Option<QuestionId> {
        let policy = self.plan.policy(r);
        // What somebody else's spec came to is no outcome of the question last asked.
        if policy.on_failure != OnFailure::Rollback || look.foreign {
            return None;
        }
        let asked = self.memories[r.index()].asked?;
        let good = self.memories[r.index()].succeeded?;
        let failed = policy.failed(self.plan.oracle(r), &look.seen);
        (failed && self.values.contents(good) != self.values.contents(asked.question)).then_some(good)
    }

    /// The `timeout` counts from the visit that first held a write.
    fn run_hold_clock<D: Driver>(&mut self, r: OracleId, driver: &mut D) {
        let Some(timeout) = self.plan.policy(r).timeout else { return };
        let memory = &mut self.memories[r.index()];
        if memory.held.is_empty() || memory.hold_clock != HoldClock::Stopped {
            return;
        }
        memory.hold_clock = HoldClock::Running;
        self.stir(r);
        driver.schedule(Event::HoldOver(r), &Length::Fixed(timeout), Draw::NONE);
    }

    fn stop_hold_clock<D: Driver>(&mut self, r: OracleId, driver: &mut D) {
        let memory = &mut self.memories[r.index()];
        if memory.hold_clock == HoldClock::Stopped {
            return;
        }
        if memory.hold_clock == HoldClock::Running {
            driver.cancel(Event::HoldOver(r));
        }
        memory.hold_clock = HoldClock::Stopped;
        self.stir(r);
    }
}
