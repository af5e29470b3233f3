//! What a comparison says, in a few plain sentences made of its figures.

use super::figures::{figure, half, percent};
use crate::measure::{Comparison, Finding, Kind, Measure, Outcome, Tally};
use crate::model::Time;

/// A policy starves if its longest wait is, in the mean, so many times that of the policy that waits least.
const STARVES_FROM: f64 = 2.0;
/// Waits shorter than this part of the run are no starvation, however short the others are.
const STARVES_FROM_PART: f64 = 0.02;
/// A policy leaves updates undelivered if it leaves so many times as many as the policy that leaves the fewest,
const LEAVES_FROM: f64 = 2.0;
/// and in the mean at least so many more.
const LEAVES_FROM_MORE: f64 = 0.5;
/// Where every policy has a fault, those stand out that have it in so many runs more than the least: of six runs that
/// differ, all one way, chance gives one in 32.
const STANDS_OUT_BY_RUNS: u64 = 6;
/// What is wasted for being early is spoken of if it is so many times what the next policy wastes.
const WASTES_FROM: f64 = 1.5;
/// No more policies than this are named as equals.
const MOST_EQUALS: usize = 3;

/// What a comparison says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// In plain sentences.
    pub sentences: Vec<String>,
    /// The policy to take, by its place; none if nothing is to be said for any.
    pub best: Option<usize>,
}

/// The verdict on these policies: which deadlock, lose updates, make false claims and starve; and which of the others
/// delivers earliest, and by how much.
pub fn verdict(policies: &[&str], comparison: &Comparison, horizon: Time) -> Verdict {
    let judge = Judge { policies, comparison, horizon };
    let deadlock = judge.ending("deadlocks for good", "Deadlock", Outcome::Deadlocked, &[]);
    let stuck =
        judge.ending("loses valid updates for good", "Valid updates lost for good", Outcome::Stuck, &deadlock.at_fault);
    // Of who deadlocks or loses updates it goes without saying that they are not delivered.
    let worse: Vec<usize> = deadlock.listed.iter().chain(&stuck.at_fault).copied().collect();
    let (undelivered, starving) = (judge.undelivered(&worse), judge.starving(&worse));
    let faults = [deadlock, stuck, judge.lying(), judge.untraced(), undelivered, starving];
    let mut sentences: Vec<String> = faults.iter().filter_map(|fault| fault.sentence.clone()).collect();
    let spotless = sentences.is_empty();
    if let [only] = policies {
        if spotless {
            sentences.push(format!("{only} neither deadlocks nor loses an update, and claims nothing that is false."));
        }
        sentences.push(format!("Under {only}, {}.", judge.latency(0)));
        return Verdict { sentences, best: Some(0) };
    }
    if spotless {
        sentences.push("No policy deadlocks, loses an update, makes a false claim or starves.".to_owned());
    }
    let (choice, best) = judge.choice(&faults, spotless);
    sentences.push(choice);
    Verdict { sentences, best }
}

struct Judge<'a> {
    policies: &'a [&'a str],
    comparison: &'a Comparison,
    horizon: Time,
}

/// One way to go wrong.
#[derive(Default)]
struct Fault {
    /// What is said of it.
    sentence: Option<String>,
    /// Who goes wrong.
    listed: Vec<usize>,
    /// Who is not to be chosen for it: not all who go wrong, if nobody goes right.
    at_fault: Vec<usize>,
}

impl Judge<'_> {
    fn tally(&self, at: usize) -> &Tally {
        &self.comparison.tallies()[at]
    }

    fn mean(&self, name: &str, at: usize) -> f64 {
        self.tally(at).measure(named(name)).mean
    }

    fn all(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.policies.len()
    }

    /// `Heading: one (figure), another (figure).`
    fn list(&self, heading: &str, listed: Vec<usize>, figure: impl Fn(usize) -> String) -> Fault {
        if listed.is_empty() {
            return Fault::default();
        }
        let list: Vec<_> = listed.iter().map(|&at| format!("{} ({})", self.policies[at], figure(at))).collect();
        Fault { sentence: Some(format!("{heading}: {}.", list.join(", "))), at_fault: listed.clone(), listed }
    }

    /// Who ends so, apart from those of whom worse has been said. What befalls every policy tells nothing of any, unless one
    /// stands out.
    fn ending(&self, does: &str, heading: &str, outcome: Outcome, worse: &[usize]) -> Fault {
        let runs = self.comparison.runs();
        let count = |at: usize| self.tally(at).outcome(outcome);
        let asked: Vec<usize> = self.all().filter(|at| !worse.contains(at)).collect();
        let counts = || asked.iter().map(|&at| count(at));
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        if least == 0 || asked.len() == 1 {
            let found = asked.into_iter().filter(|&at| count(at) > 0).collect();
            return self.list(heading, found, |at| in_runs(count(at), runs));
        }
        let range = match least == most {
            true => in_runs(least, runs),
            false => format!("{} to {}", percent(least as f64 / runs as f64), in_runs(most, runs)),
        };
        let every = if worse.is_empty() { "Every policy" } else { "Every other policy" };
        let standing_out = asked.iter().copied().filter(|&at| count(at) >= least + STANDS_OUT_BY_RUNS).collect();
        let most_often = self.list("most often", standing_out, |at| in_runs(count(at), runs));
        let list = most_often.sentence.map_or_else(|| ".".to_owned(), |list| format!(", {list}"));
        let sentence = Some(format!("{every} {does} (in {range}){list}"));
        Fault { sentence, listed: asked, at_fault: most_often.at_fault }
    }

    /// Who makes false claims. Where all do, those are not chosen that make far more than the least.
    fn lying(&self) -> Fault {
        let lies = |at: usize| self.tally(at).measure(named("misattributed"));
        let found: Vec<usize> = self.all().filter(|&at| lies(at).positive > 0).collect();
        let shared = found.len() == self.policies.len();
        let least = self.all().map(|at| lies(at).mean).fold(f64::INFINITY, f64::min);
        let mut fault = self.list("False claims", found, |at| {
            format!("{} a run, {}", figure(Kind::Count, lies(at).mean), in_runs(lies(at).positive, lies(at).count))
        });
        if shared && self.policies.len() > 1 {
            fault.at_fault.retain(|&at| lies(at).mean > 2.0 * least);
        }
        fault
    }

    /// Who leaves answers without a claim. Where all do, it is no reason to choose another.
    fn untraced(&self) -> Fault {
        let found: Vec<usize> = self.all().filter(|&at| self.mean("coverage", at) < 1.0).collect();
        let shared = found.len() == self.policies.len();
        let mut fault = self.list("Not all that is taken is traced", found, |at| percent(self.mean("coverage", at)));
        if shared {
            fault.at_fault.clear();
        }
        fault
    }

    /// Who leaves far more undelivered than another, apart from those of whom worse has been said.
    fn undelivered(&self, worse: &[usize]) -> Fault {
        let left = |at: usize| self.mean("censored", at);
        let least = self.least(left);
        let limit = (LEAVES_FROM * left(least)).max(left(least) + LEAVES_FROM_MORE);
        let found = self.all().filter(|at| left(*at) > limit && !worse.contains(at)).collect();
        let against = format!("{} a run under {}", figure(Kind::Count, left(least)), self.policies[least]);
        let heading = format!("Valid updates not delivered ({against})");
        self.list(&heading, found, |at| format!("{} a run", figure(Kind::Count, left(at))))
    }

    /// Who starves, apart from those of whom worse has been said.
    fn starving(&self, worse: &[usize]) -> Fault {
        let wait = |at: usize| self.mean("starvation", at);
        let least = self.least(wait);
        let limit = (STARVES_FROM * wait(least)).max(STARVES_FROM_PART * self.horizon.as_seconds());
        let found = self.all().filter(|at| wait(*at) > limit && !worse.contains(at)).collect();
        let against = format!("{} under {}", figure(Kind::Span, wait(least)), self.policies[least]);
        let heading = format!("Starvation (longest wait for a delivery, {against})");
        self.list(&heading, found, |at| figure(Kind::Span, wait(at)))
    }

    fn least(&self, value: impl Fn(usize) -> f64) -> usize {
        self.all().min_by(|&one, &other| value(one).total_cmp(&value(other))).unwrap_or(0)
    }

    /// Which policy to take: of those without a fault, if there are any.
    fn choice(&self, faults: &[Fault], spotless: bool) -> (String, Option<usize>) {
        let rest: Vec<usize> =
            self.all().filter(|at| !faults.iter().any(|fault| fault.at_fault.contains(at))).collect();
        let clean = |at: usize| !faults.iter().any(|fault| fault.listed.contains(&at));
        let delivers = |at: &usize| self.tally(*at).measure(named("latency.mean")).count > 0;
        if !self.all().any(|at| delivers(&at)) {
            return ("Nothing is delivered under any of them.".to_owned(), None);
        }
        match rest.as_slice() {
            [] => {
                let dead = |at: usize| self.tally(at).outcome(Outcome::Deadlocked) == self.comparison.runs();
                let alive: Vec<usize> = self.all().filter(|at| !dead(*at) && delivers(at)).collect();
                match alive.as_slice() {
                    [] => ("No policy serves here.".to_owned(), None),
                    alive => {
                        let (best, sentence) = self.best(alive);
                        (format!("No policy is free of all that; {sentence}"), Some(best))
                    }
                }
            }
            [only] if clean(*only) => {
                let sentence = format!("Only {} is free of all that: {}.", self.policies[*only], self.latency(*only));
                (sentence, Some(*only))
            }
            rest if !rest.iter().any(delivers) => ("Under the others nothing is delivered.".to_owned(), None),
            rest if spotless || rest.len() == self.policies.len() => {
                let (best, sentence) = self.best(rest);
                (sentence, Some(best))
            }
            [only] => {
                let sentence = format!("The least at fault is {}: {}.", self.policies[*only], self.latency(*only));
                (sentence, Some(*only))
            }
            rest => {
                let (best, sentence) = self.best(rest);
                (format!("Of the others, {sentence}"), Some(best))
            }
        }
    }

    /// Which of `some` delivers earliest, and by how much.
    fn best(&self, some: &[usize]) -> (usize, String) {
        // A latency of fewer runs is that of the better ones.
        let delivers = |at: &usize| self.tally(*at).measure(named("latency.mean")).count;
        let most = some.iter().map(delivers).max().unwrap_or(0);
        let mut ranked: Vec<usize> = some.iter().copied().filter(|at| delivers(at) == most).collect();
        ranked.sort_by(|&one, &other| self.mean("latency.mean", one).total_cmp(&self.mean("latency.mean", other)));
        let best = ranked.remove(0);
        let later = ranked.iter().map(|&at| self.comparison.later(at, best));
        let found = Finding::together(named("latency.mean"), later);
        let (mut later, mut equals) = (Vec::new(), Vec::new());
        for (at, finding) in ranked.into_iter().zip(found) {
            if finding == Finding::Worse { later.push(at) } else { equals.push(at) }
        }
        let wasted = |at: usize| self.mean("wasted", at);
        let by = later.first().map(|&at| {
            let less = self.comparison.later(at, best);
            let half = half(Kind::Span, less).map(|half| format!(" (±{half})")).unwrap_or_default();
            let by = format!(", {}{half} less than under {}", figure(Kind::Span, less.mean), self.policies[at]);
            match wasted(best) > WASTES_FROM * wasted(at) {
                true => {
                    let (own, other) = (figure(Kind::Span, wasted(best)), figure(Kind::Span, wasted(at)));
                    format!("{by}, but with {own} of work wasted against {other}")
                }
                false => by,
            }
        });
        let equals = match equals.as_slice() {
            [] => String::new(),
            equals => {
                let named: Vec<_> = equals.iter().take(MOST_EQUALS).map(|&at| self.policies[at]).collect();
                let more = match equals.len().saturating_sub(MOST_EQUALS) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("; no difference is shown to {}{more}", named.join(", "))
            }
        };
        let (name, latency) = (self.policies[best], self.latency(best));
        (best, format!("{name} delivers earliest: {latency}{}{equals}.", by.unwrap_or_default()))
    }

    /// How long an update takes under a policy.
    fn latency(&self, at: usize) -> String {
        let latency = self.tally(at).measure(named("latency.mean"));
        match latency.count {
            0 => "nothing is delivered".to_owned(),
            _ => format!("an update takes {} on average", figure(Kind::Span, latency.mean)),
        }
    }
}

fn named(name: &str) -> &'static Measure {
    Measure::named(name).expect("it stands in the table of measures")
}

fn in_runs(count: u64, runs: u64) -> String {
    if count == runs { "every run".to_owned() } else { format!("{} of runs", percent(count as f64 / runs as f64)) }
}
