//! Random scenarios: every setting, every axis, everything that can befall a run, from one seed.

use rehearsal::model::policy::{Fixed, Lifecycle, OnFailure, Policy};
use rehearsal::model::setting::{
    Choreographer, Flaps, Forge, Health, Outage, Restart, Retry, Source, Tamper, Update, When, WorldChange,
};
use rehearsal::model::{Axis, FieldId, Length, Oracle, OracleId, Probability, SECOND, Setting, Span, Time};
use rehearsal::simulate::chance::Numbers;

/// What may come.
#[derive(Clone, Copy)]
pub struct Allow {
    /// Oracles that keep every default but their durations and failures.
    pub only_well_behaved: bool,
    /// Forged answers.
    pub forging: bool,
}

pub const EVERYTHING: Allow = Allow { only_well_behaved: false, forging: true };

pub struct Random {
    numbers: Numbers,
    /// Of what an oracle's template says: apart, so that the rest of a scenario stays what it was before there was any.
    of_templates: Numbers,
}

const HORIZON: u64 = 2_000;

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { numbers: Numbers::from_seed(seed), of_templates: Numbers::from_seed(!seed) }
    }

    /// One of `0..n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.numbers.word() % n
    }

    pub fn coin(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    pub fn axis<A: Axis>(&mut self) -> A {
        A::ALL[self.below(A::ALL.len() as u64) as usize]
    }

    /// Mostly the default.
    fn rarely<A: Axis + Default>(&mut self, one_in: u64) -> A {
        if self.coin(one_in) { self.axis() } else { A::default() }
    }

    fn instant(&mut self) -> Time {
        Time(self.below(HORIZON) * SECOND)
    }

    fn span(&mut self, most: u64) -> Span {
        Span::seconds(self.below(most + 1))
    }

    /// Short lengths in whole seconds, so that ties abound, and some drawn ones. Work takes a second at least: an oracle
    /// that takes no time and seems to fail while it works can be rolled back without end in one instant.
    fn length(&mut self, least: u64, most: u64) -> Length {
        let a = Span::seconds(least) + self.span(most);
        match self.below(8) {
            0..5 => Length::Fixed(a),
            5 => Length::Uniform(a, a + self.span(most)),
            6 => Length::Exponential(a),
            _ => Length::Empirical(vec![a, a + self.span(most)]),
        }
    }

    fn sometimes(&mut self, most: u64) -> Length {
        if self.coin(3) { self.length(0, most) } else { Length::ZERO }
    }

    fn chance(&mut self) -> Probability {
        let p = if self.coin(4) { self.below(50) as f64 / 100.0 } else { 0.0 };
        Probability::new(p).expect("a probability")
    }

    fn when(&mut self) -> When {
        if self.coin(2) {
            return When::At(self.instant());
        }
        let from = self.instant();
        When::Stream {
            from,
            until: from + Span::seconds(1 + self.below(600)),
            every: Length::Exponential(Span::seconds(1 + self.below(60))),
            count: self.coin(3).then(|| 1 + self.below(5)),
        }
    }

    fn oracle(&mut self, at: usize, fields: usize, allow: Allow) -> Oracle {
        let mut asks = Vec::new();
        for earlier in 0..at {
            if self.coin(2) {
                asks.push(Source::Oracle(OracleId(earlier as u16)));
            }
        }
        for field in 0..fields {
            // The first oracle asks every field, so that each is asked.
            if at == 0 || self.coin(4) {
                asks.push(Source::Field(FieldId(field as u16)));
            }
        }
        if asks.is_empty() {
            asks.push(Source::Field(FieldId(0)));
        }
        let mut oracle = Oracle::new(format!("oracle-{at}"), asks);
        oracle.notice = self.sometimes(5);
        oracle.work = self.length(1, 40);
        oracle.gap = self.sometimes(5);
        oracle.fails = self.chance();
        oracle.fails_first = if self.coin(8) { self.below(3) as u32 } else { 0 };
        if self.coin(4) {
            oracle.retry = Some(Retry {
                backoff: Length::Fixed(Span::seconds(1 + self.below(20))),
                factor: [1.0, 1.5, 2.0][self.below(3) as usize],
                max: self.coin(2).then(|| Span::seconds(60)),
                attempts: self.coin(2).then(|| 1 + self.below(4) as u32),
            });
        }
        oracle.on_new_question = self.rarely(2);
        oracle.retention = self.rarely(3);
        oracle.reproducible = !self.coin(6);
        oracle.workers = self.coin(6).then(|| 1 + self.below(2) as u32);
        oracle.reports = self.axis();
        if !allow.only_well_behaved {
            oracle.answer_lag = self.sometimes(10);
            oracle.acknowledges = self.rarely(2);
            oracle.while_working = self.rarely(3);
            oracle.between = self.rarely(3);
            oracle.healthy = self.rarely(10);
            oracle.reports_failure = !self.coin(6);
            oracle.reconciles = !self.coin(10);
            oracle.hangs = if self.coin(6) { self.chance() } else { Probability::NEVER };
            oracle.flaps = self.coin(5).then(|| Flaps {
                up: Length::Fixed(Span::seconds(1 + self.below(60))),
                down: Length::Fixed(Span::seconds(1 + self.below(10))),
                to: self.axis(),
            });
            self.template(&mut oracle);
        }
        oracle
    }

    /// What the template of an oracle reads of it and fixes of every policy, now and then.
    fn template(&mut self, oracle: &mut Oracle) {
        std::mem::swap(&mut self.numbers, &mut self.of_templates);
        if self.coin(6) {
            oracle.health = Some(Health::new(|_| self.axis()));
        }
        if self.coin(6) {
            oracle.fixed = Fixed {
                read: self.maybe(),
                write: self.maybe(),
                order: self.maybe(),
                acknowledgement: self.maybe(),
                pending: self.maybe(),
                memory: self.maybe(),
                trace: self.maybe(),
                on_failure: self.maybe(),
                missing: self.maybe(),
                lifecycle: self.maybe(),
                ..Fixed::default()
            };
        }
        std::mem::swap(&mut self.numbers, &mut self.of_templates);
    }

    fn maybe<A: Axis>(&mut self) -> Option<A> {
        self.coin(5).then(|| self.axis())
    }

    pub fn setting(&mut self, allow: Allow) -> Setting {
        let fields = 1 + self.below(3) as usize;
        let oracles = (0..1 + self.below(4) as usize).map(|at| self.oracle(at, fields, allow)).collect::<Vec<_>>();
        let names = (0..fields).map(|field| format!("field-{field}")).collect();
        let mut setting = Setting::new(Time(HORIZON * SECOND), names, oracles);
        let count = setting.oracles.len() as u64;
        setting.choreographer = Choreographer {
            watch: self.sometimes(3),
            visit: self.sometimes(2),
            reads_from: if allow.only_well_behaved { Default::default() } else { self.rarely(4) },
            cache_lag: self.length(0, 5),
            resync: self.coin(4).then(|| Length::Fixed(Span::seconds(50 + self.below(500)))),
        };
        for _ in 0..1 + self.below(4) {
            let mut set: Vec<_> = (0..fields as u16).map(FieldId).filter(|_| self.coin(2)).collect();
            if set.is_empty() {
                set.push(FieldId(0));
            }
            let mut bad_for = Vec::new();
            if self.coin(2) {
                bad_for.push((OracleId(self.below(count) as u16), self.chance()));
            }
            let hangs_for = if self.coin(10) && !allow.only_well_behaved {
                vec![OracleId(self.below(count) as u16)]
            } else {
                Vec::new()
            };
            let when = self.when();
            setting.updates.push(Update { when, set, bad_for, hangs_for });
        }
        for r in 0..count as u16 {
            let oracle = OracleId(r);
            if self.coin(3) {
                let (when, bad) = (self.when(), self.coin(3));
                setting.worlds.push(WorldChange { oracle, when, bad });
            }
            if self.coin(4) {
                let from = self.instant();
                setting.outages.push(Outage { oracle, from, until: from + Span::seconds(1 + self.below(100)) });
            }
            if self.coin(4) {
                let at = self.instant();
                let input = self.below(setting.oracles[r as usize].asks.len() as u64) as usize;
                let until = self.coin(2).then(|| at + Span::seconds(1 + self.below(30)));
                setting.tampers.push(Tamper { oracle, input, at, until });
            }
            if allow.forging && self.coin(8) {
                setting.forges.push(Forge { oracle, at: self.instant() });
            }
        }
        for _ in 0..self.below(3) {
            setting.restarts.push(Restart { at: self.instant() });
        }
        setting
    }

    pub fn policy(&mut self) -> Policy {
        let mut policy = Policy {
            read: self.axis(),
            write: self.axis(),
            order: self.axis(),
            acknowledgement: self.axis(),
            pending: self.axis(),
            timeout: self.coin(3).then(|| Span::seconds(1 + self.below(100))),
            grace: self.coin(5).then(|| Span::seconds(1 + self.below(20))),
            memory: self.axis(),
            trace: self.axis(),
            on_failure: self.axis(),
            missing: self.axis(),
            intake: Default::default(),
            lifecycle: self.rarely(3),
            reverts: !self.coin(4),
        };
        std::mem::swap(&mut self.numbers, &mut self.of_templates);
        policy.intake = self.rarely(8);
        std::mem::swap(&mut self.numbers, &mut self.of_templates);
        if policy.lifecycle == Lifecycle::Immutable {
            policy.on_failure = OnFailure::Wait;
        }
        policy
    }
}
