//! Facts in, lanes out.

use super::{Bar, Ended, Lane, Lanes, Mark, MarkKind};
use crate::measure::{Delivery, Observer};
use crate::model::{Fact, FieldId, Lineage, Named, OracleId, Plan, Question, Role, Time, Why};
use crate::report::{Clock, Detail, Moment, Story, Tone};

/// So many marks are drawn of a run: a page must stay small enough for a mail.
const MOST_MARKS: usize = 900;

/// Bars that lie over each other get so many levels at the most.
const LEVELS: usize = 6;

/// Follows a run and gathers its lanes.
#[derive(Debug)]
pub struct Gather<'p> {
    plan: &'p Plan,
    story: Story,
    delivery: Delivery,
    lanes: Lanes,
    /// The bar of each object's attempt that goes on, by slot.
    open: Vec<Option<(OracleId, usize)>>,
    /// The bar of each oracle's attempt that ended last: what it made is told of it.
    ended: Vec<Option<usize>>,
    /// The object of each oracle that was asked last, by slot.
    asked: Vec<u32>,
    marks: usize,
    /// Where there were too many marks.
    full: Option<f64>,
}

impl<'p> Gather<'p> {
    /// The lanes of a run of `plan`.
    pub fn new(plan: &'p Plan) -> Gather<'p> {
        let setting = plan.setting();
        let lane = |name: &String| Lane { name: name.clone(), ..Lane::default() };
        let oracles: Vec<Lane> = setting.oracles.iter().map(|oracle| lane(&oracle.name)).collect();
        Gather {
            plan,
            story: Story::new(setting, Detail::Told),
            delivery: Delivery::new(plan),
            open: Vec::new(),
            ended: vec![None; oracles.len()],
            // The oracles' own objects have the first slots, in order.
            asked: (0..oracles.len() as u32).collect(),
            lanes: Lanes {
                in_steps: false,
                end: 0.0,
                whole: 0.0,
                workload: Vec::new(),
                oracles,
                deliveries: Vec::new(),
                cycle_from: None,
            },
            marks: 0,
            full: None,
        }
    }

    /// Adds a fact.
    pub fn write(&mut self, moment: Moment, fact: &Fact<'_>) {
        let (at, when) = match moment {
            Moment::At(time) => (time.as_seconds(), Clock(time).to_string()),
            Moment::Step(step) => (step as f64, format!("step {step}")),
        };
        self.lanes.in_steps |= matches!(moment, Moment::Step(_));
        let sentence = self.story.tell(fact);
        if self.full.is_some() {
            return;
        }
        if self.marks >= MOST_MARKS && self.lanes.end < at {
            self.full = Some(at);
            return;
        }
        self.lanes.end = at;
        let tone = sentence.as_ref().map(|sentence| sentence.tone);
        let told = sentence.map(|sentence| format!("{when} {}: {}", sentence.who, sentence.what));
        self.place(at, &when, fact, told, tone);
    }

    /// From this step on the steps repeat without end.
    pub fn cycle_begins(&mut self, step: usize) {
        self.lanes.cycle_from = Some(step as f64);
    }

    fn place(&mut self, at: f64, when: &str, fact: &Fact<'_>, told: Option<String>, tone: Option<Tone>) {
        let told_or = |told: Option<String>| told.unwrap_or_else(|| when.to_owned());
        match *fact {
            Fact::Updated { update, item, set, valid } => {
                self.delivery.updated(Time::ZERO, update, item, set, valid);
                let kind = MarkKind::Update { valid };
                self.workload(Mark { at, kind, update: Some(update.0), told: told_or(told) });
            }
            Fact::Restarted => self.workload(Mark { at, kind: MarkKind::Restart, update: None, told: told_or(told) }),
            Fact::WorldChanged { oracle, good, .. } => {
                self.mark(oracle, Mark { at, kind: MarkKind::World { good }, update: None, told: told_or(told) });
            }
            Fact::OutageBegan { oracle } => self.lane(oracle).outages.push((at, f64::INFINITY)),
            Fact::OutageEnded { oracle } => {
                if let Some(outage) = self.lane(oracle).outages.last_mut() {
                    outage.1 = at;
                }
            }
            Fact::Forged { named, .. } | Fact::Flapped { named, .. } => {
                self.mark(named.oracle, Mark { at, kind: MarkKind::Harm, update: None, told: told_or(told) });
            }
            Fact::Wrote { named, question, why, .. } => {
                let kind = match why {
                    Why::Tampered | Why::PutBack => MarkKind::Harm,
                    _ => MarkKind::Write,
                };
                if matches!(why, Why::Asked | Why::Created) {
                    self.holds_one_less(at, named.oracle);
                }
                if named.role != Role::Shadow {
                    self.asked[named.oracle.index()] = named.object.slot;
                }
                let update = self.newest(&question);
                self.mark(named.oracle, Mark { at, kind, update, told: told_or(told) });
            }
            Fact::Reused { named } => {
                self.holds_one_less(at, named.oracle);
                self.asked[named.oracle.index()] = named.object.slot;
                self.mark(named.oracle, Mark { at, kind: MarkKind::Write, update: None, told: told_or(told) });
            }
            Fact::Held { oracle, held, .. } => self.holds(at, oracle, held),
            Fact::Discarded { oracle, .. } => self.holds_one_less(at, oracle),
            Fact::Took { named, answer, .. } => {
                if let Some(told) = told {
                    let kind = if tone == Some(Tone::False) { MarkKind::FalseClaim } else { MarkKind::Read };
                    let update = self.newest_in(&answer.lineage());
                    self.mark(named.oracle, Mark { at, kind, update, told });
                }
            }
            Fact::Began { named, question, hangs, .. } => {
                let update = self.newest(&question);
                let ended = if hangs { Ended::Hangs } else { Ended::GoesOn };
                self.begin(at, named, Bar { from: at, to: None, update, ended, level: 0, told: told_or(told) });
            }
            Fact::Finished { named, success, .. } => {
                let ended = if success { Ended::Well } else { Ended::Failed };
                let how = if success { "succeeds" } else { "fails" };
                self.end(at, named, ended, &format!("; {when} it {how}"));
            }
            Fact::Dropped { named, .. } => {
                self.end(at, named, Ended::Dropped, &format!("; {when} it is dropped"));
            }
            Fact::Made { named, .. } => {
                let lane = &mut self.lanes.oracles[named.oracle.index()];
                let made = told.as_deref().and_then(|told| told.split_once(": ")).map(|(_, made)| made.to_owned());
                if let (Some(bar), Some(made)) = (self.ended[named.oracle.index()], made) {
                    lane.bars[bar].told.push_str(&format!(" and {made}"));
                }
            }
            Fact::Answered { named, answer } if self.plan.is_sink(named.oracle) => {
                let delivered = self.delivery.answered(named.oracle, &answer.lineage());
                let all: Vec<u32> = delivered.iter().map(|pending| pending.update.0).collect();
                if let Some(&newest) = all.iter().max() {
                    let told = format!("{when} {} delivered", updates(&all));
                    let kind = MarkKind::Delivery;
                    self.marks += 1;
                    self.lanes.deliveries.push(Mark { at, kind, update: Some(newest), told });
                }
            }
            Fact::Showed { named, ready, .. } if self.asked[named.oracle.index()] == named.object.slot => {
                let ribbon = &mut self.lane(named.oracle).ribbon;
                if ribbon.last().is_none_or(|&(_, last)| last != ready) {
                    ribbon.push((at, ready));
                }
            }
            Fact::PassBegan
            | Fact::Skipped { .. }
            | Fact::Removed { .. }
            | Fact::Noticed { .. }
            | Fact::Answered { .. }
            | Fact::Showed { .. } => {}
        }
    }

    /// The lanes of a run that ends here.
    pub fn end_at(mut self, end: Moment) -> Lanes {
        let end = match end {
            Moment::At(time) => time.as_seconds(),
            Moment::Step(step) => step as f64,
        };
        self.lanes.whole = end;
        self.lanes.end = self.full.unwrap_or(end);
        self.lanes
    }

    fn newest(&self, question: &Question<'_>) -> Option<u32> {
        question.lineages().filter_map(|lineage| self.newest_in(&lineage)).max()
    }

    fn newest_in(&self, lineage: &Lineage<'_>) -> Option<u32> {
        let fields = (0..self.plan.setting().fields.len() as u16).map(FieldId);
        fields.filter_map(|field| lineage.newest(field)).max().map(|update| update.0)
    }

    fn lane(&mut self, oracle: OracleId) -> &mut Lane {
        &mut self.lanes.oracles[oracle.index()]
    }

    fn mark(&mut self, oracle: OracleId, mark: Mark) {
        self.marks += 1;
        self.lane(oracle).marks.push(mark);
    }

    fn workload(&mut self, mark: Mark) {
        self.marks += 1;
        self.lanes.workload.push(mark);
    }

    fn holds(&mut self, at: f64, oracle: OracleId, held: usize) {
        let lane = self.lane(oracle);
        // Of one instant the last counts.
        lane.held.retain(|&(since, _)| since < at);
        if lane.held.last().map_or(0, |&(_, held)| held) != held {
            lane.held.push((at, held));
        }
    }

    fn holds_one_less(&mut self, at: f64, oracle: OracleId) {
        let held = self.lane(oracle).held.last().map_or(0, |&(_, held)| held);
        self.holds(at, oracle, held.saturating_sub(1));
    }

    fn begin(&mut self, at: f64, named: Named, mut bar: Bar) {
        self.marks += 1;
        let bars = &mut self.lanes.oracles[named.oracle.index()].bars;
        let busy = |level: usize| bars.iter().any(|bar| bar.level == level && bar.to.is_none_or(|to| to > at));
        bar.level = (0..LEVELS).find(|&level| !busy(level)).unwrap_or(LEVELS - 1);
        bars.push(bar);
        let slot = named.object.slot as usize;
        if slot >= self.open.len() {
            self.open.resize(slot + 1, None);
        }
        self.open[slot] = Some((named.oracle, bars.len() - 1));
    }

    fn end(&mut self, at: f64, named: Named, ended: Ended, told: &str) {
        let open = self.open.get_mut(named.object.slot as usize).and_then(Option::take);
        self.ended[named.oracle.index()] = open.map(|(_, bar)| bar);
        if let Some((oracle, bar)) = open {
            let bar = &mut self.lanes.oracles[oracle.index()].bars[bar];
            (bar.to, bar.ended) = (Some(at), ended);
            bar.told.push_str(told);
        }
    }
}

/// `update 3 is`, `updates 3 and 4 are`, `updates 3 to 7 are`.
fn updates(all: &[u32]) -> String {
    match all {
        [one] => format!("update {one} is"),
        [one, other] => format!("updates {one} and {other} are"),
        [first, .., last] => format!("updates {first} to {last} are"),
        [] => String::new(),
    }
}

impl Observer for Gather<'_> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        self.write(Moment::At(at), fact);
    }
}
