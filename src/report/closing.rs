//! What went wrong in a counterexample, in one sentence.

use super::names::Names;
use crate::explore::Property;
use crate::measure::Observer;
use crate::model::policy::{Read, Trace, Write};
use crate::model::setting::ReadsFrom;
use crate::model::{Content, Fact, Generation, Named, OracleId, Plan, Ready, Time, Why};

/// How an oracle's asked object stands, as far as facts tell.
#[derive(Clone, Debug, Default)]
struct Standing {
    noticed: Generation,
    ready: Ready,
    at_work: Option<Generation>,
    hangs: bool,
    /// The question last finished, and whether it succeeded.
    finished: Option<(Generation, bool)>,
    held: usize,
    taken_in_cycle: bool,
}

/// An answer taken, as it was when it was.
#[derive(Clone, Debug)]
struct Took {
    named: Named,
    answer: String,
    /// In words; none if it is forged.
    made_from: Option<String>,
    /// In words.
    claim: Option<(Generation, String)>,
    ingredients: String,
    standing: Standing,
}

/// Follows a counterexample to its end.
#[derive(Clone, Debug)]
pub struct Closing<'p> {
    plan: &'p Plan,
    property: Property,
    names: Names,
    standings: Vec<Standing>,
    /// The last answer whose taking refutes the property.
    took: Option<Took>,
    last_made: Vec<Option<String>>,
    in_cycle: bool,
}

impl<'p> Closing<'p> {
    /// The closing of a counterexample to `property`.
    pub fn new(plan: &'p Plan, property: Property) -> Closing<'p> {
        let oracles = plan.setting().oracles.len();
        Closing {
            plan,
            property,
            names: Names::new(plan.setting()),
            standings: vec![Standing::default(); oracles],
            took: None,
            last_made: vec![None; oracles],
            in_cycle: false,
        }
    }

    /// From here on the steps repeat.
    pub fn cycle_begins(&mut self) {
        self.in_cycle = true;
    }

    /// What went wrong.
    pub fn sentence(&self) -> String {
        match self.property {
            Property::Traceable | Property::Covered | Property::Untampered | Property::InStep => {
                self.took.as_ref().map_or_else(String::new, |took| self.taken(took))
            }
            Property::Live => format!("From here on nothing can be delivered any more{}.", self.stand_still()),
            Property::Eventual => {
                format!("What is wanted is never delivered, though the world was put right{}.", self.stand_still())
            }
            Property::Progress => self.starves(),
            Property::NoHiddenSuccess => self.hidden(),
        }
    }

    fn taken(&self, took: &Took) -> String {
        let answer = &took.answer;
        let made_from = took.made_from.as_deref().unwrap_or("nothing, being forged");
        match (self.property, &took.claim) {
            (Property::Traceable, Some((generation, question))) => format!(
                "{answer} was made from {made_from} and claimed for {question} (generation {}), because {}.",
                generation.0,
                self.why_taken(took, *generation)
            ),
            (Property::Covered, _) => {
                format!("{answer} was taken without a claim, because {}.", self.why_unclaimed(took))
            }
            (Property::Untampered, _) => {
                format!("{answer}, made from {made_from}, was taken: an enemy's writing is in it.")
            }
            _ => format!("{answer} was taken, and mixes versions: it was made of {}.", took.ingredients),
        }
    }

    /// Why an answer to an older question could be read.
    fn why_taken(&self, took: &Took, claimed: Generation) -> String {
        let policy = self.plan.policy(took.named.oracle);
        let object = self.names.object(took.named);
        if took.made_from.is_none() {
            return "an enemy wrote it into the status".to_owned();
        }
        if self.plan.setting().choreographer.reads_from == ReadsFrom::Cache {
            return format!("the choreographer read a copy that lagged behind {object}");
        }
        let state = was_at(&took.standing, claimed);
        match policy.read {
            Read::Always => format!("whatever shows is read: {object} {state}"),
            Read::Acknowledged => format!("{object} had acknowledged generation {} when it {state}", claimed.0),
            Read::AtRest | Read::Ready => {
                format!("{object} showed Ready {} when it {state}", took.standing.ready.name())
            }
        }
    }

    fn why_unclaimed(&self, took: &Took) -> String {
        let policy = self.plan.policy(took.named.oracle);
        let object = self.names.object(took.named);
        match policy.trace {
            Trace::Latest => "nothing had been asked".to_owned(),
            Trace::WhenReady => format!("{object} was not Ready for the question last asked"),
            Trace::ReportedGeneration => format!("{object} reports no generation that was asked"),
            Trace::ReportedInputs => format!("{object} reports no inputs that were asked"),
        }
    }

    /// What keeps everything where it is.
    fn stand_still(&self) -> String {
        let reasons: Vec<_> = self.plan.oracles().filter_map(|r| self.why_still(r)).collect();
        if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
    }

    fn why_still(&self, r: OracleId) -> Option<String> {
        let standing = &self.standings[r.index()];
        let oracle = self.names.oracle(r);
        let stands = match (standing.hangs, standing.finished, standing.ready) {
            (true, ..) => format!("{oracle} hangs at generation {}", standing.at_work.unwrap_or_default().0),
            (_, Some((generation, false)), ready) => {
                format!("{oracle} failed at generation {} and shows Ready {}", generation.0, ready.name())
            }
            (.., ready) if standing.held > 0 => format!("{oracle} shows Ready {}", ready.name()),
            _ => return None,
        };
        let rule = match self.plan.policy(r).write {
            Write::Always => None,
            Write::AtRest => Some("at rest"),
            Write::Ready => Some("when Ready is True"),
        };
        let holds =
            rule.filter(|_| standing.held > 0).map(|rule| format!(", and what is held back is written only {rule}"));
        Some(format!("{stands}{}", holds.unwrap_or_default()))
    }

    fn starves(&self) -> String {
        let never = self.plan.oracles().find(|r| !self.standings[r.index()].taken_in_cycle);
        let why =
            never.map_or_else(String::new, |r| format!(": no answer of {} is taken in them", self.names.oracle(r)));
        format!("These steps can repeat without end: good updates keep coming, and nothing is ever delivered{why}.")
    }

    fn hidden(&self) -> String {
        let hidden = self.plan.oracles().find_map(|r| Some((r, self.last_made[r.index()].as_ref()?)));
        hidden.map_or_else(String::new, |(r, answer)| {
            let standing = &self.standings[r.index()];
            let rests = match standing.finished {
                Some((generation, false)) => {
                    format!("{} then failed at generation {}", self.names.oracle(r), generation.0)
                }
                _ => format!("{} shows Ready {}", self.names.oracle(r), standing.ready.name()),
            };
            format!("{answer} was never taken, and nothing newer either: {rests}, and nothing is under way any more.")
        })
    }
}

/// What an object was at when an answer was taken for one to this question.
fn was_at(standing: &Standing, claimed: Generation) -> String {
    let generation = claimed.0;
    if standing.noticed < claimed {
        return format!("had not noticed generation {generation} yet");
    }
    match (standing.at_work, standing.finished) {
        (Some(at), _) if at == claimed && standing.hangs => format!("hung at generation {generation}"),
        (Some(at), _) if at == claimed => format!("was still at work on generation {generation}"),
        (_, Some((at, false))) if at == claimed => format!("had failed at generation {generation}"),
        (_, Some((at, true))) if at == claimed => {
            format!("had succeeded at generation {generation}, and its answer was not there yet")
        }
        _ => format!("had not begun generation {generation} yet"),
    }
}

impl Observer for Closing<'_> {
    fn hear(&mut self, _: Time, fact: &Fact<'_>) {
        self.names.learn(fact);
        let standing = |named: Named| named.oracle.index();
        match *fact {
            // What is written is held no longer.
            Fact::Wrote { named, why: Why::Asked, .. } => {
                let held = &mut self.standings[standing(named)].held;
                *held = held.saturating_sub(1);
            }
            Fact::Noticed { named, generation } => self.standings[standing(named)].noticed = generation,
            Fact::Began { named, generation, hangs, .. } => {
                let standing = &mut self.standings[standing(named)];
                (standing.at_work, standing.hangs) = (Some(generation), hangs);
            }
            Fact::Dropped { named, .. } => {
                let standing = &mut self.standings[standing(named)];
                (standing.at_work, standing.hangs) = (None, false);
            }
            Fact::Finished { named, generation, success, .. } => {
                let standing = &mut self.standings[standing(named)];
                (standing.at_work, standing.finished) = (None, Some((generation, success)));
            }
            Fact::Showed { named, ready, .. } => self.standings[standing(named)].ready = ready,
            Fact::Held { oracle, held, .. } => self.standings[oracle.index()].held = held,
            Fact::Discarded { oracle, .. } => {
                let held = &mut self.standings[oracle.index()].held;
                *held = held.saturating_sub(1);
            }
            Fact::Made { named, answer } if !self.plan.is_sink(named.oracle) => {
                self.last_made[standing(named)] = Some(self.names.answer(named.oracle, answer.making()));
            }
            Fact::Took { named, answer, claim } => {
                let at = standing(named);
                self.standings[at].taken_in_cycle |= self.in_cycle;
                let name = self.names.answer(named.oracle, answer.making());
                if self.last_made[at].as_ref() == Some(&name) {
                    self.last_made[at] = None;
                }
                if self.property.refuted_by(fact) && self.took.is_none() {
                    let words = |names: &mut Names, contents: Content| names.question_in_words(contents);
                    self.took = Some(Took {
                        named,
                        answer: name,
                        made_from: answer.origin().made_from.map(|made| words(&mut self.names, made)),
                        claim: claim.map(|claim| (claim.generation, words(&mut self.names, claim.contents))),
                        ingredients: self.names.ingredients(&answer.lineage()),
                        standing: self.standings[at].clone(),
                    });
                }
            }
            _ => {}
        }
    }
}
