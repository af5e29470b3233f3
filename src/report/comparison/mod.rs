//! Policies beside each other.

mod data;

use std::fmt::Write as _;

use super::figures::{difference, figure, half, mean, percent};
use super::table::{Form, Table, in_lines};
use super::verdict::verdict;
use crate::measure::{
    Comparison, DECISIVE, Finding, Kind, MEASURES, Measure, Moments, Outcome, Pooled, Precision, Tally, findings,
};
use crate::model::{Axis, Span, Time};

/// A comparison of a scenario's policies, and what it was made of.
#[derive(Clone, Debug)]
pub struct ComparisonReport<'a> {
    /// The scenario.
    pub scenario: &'a str,
    /// What it is about.
    pub about: &'a str,
    /// The end of each run.
    pub horizon: Time,
    /// The first seed.
    pub seed: u64,
    /// The policies' names, in order; the others are held against the first.
    pub policies: Vec<&'a str>,
    /// What came of it.
    pub comparison: &'a Comparison,
    /// Why there are so many runs; none if so many were asked for.
    pub precision: Option<Stop>,
    /// What is before is left out.
    pub warm_up: Span,
}

/// Runs were made until a precision was reached, or there were too many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// The precision that was asked for.
    pub asked: Precision,
    /// The most runs that were allowed.
    pub most: u64,
}

/// The measures of the first table, with a short heading each.
pub(super) const SHOWN: &[(&str, &str)] = &[
    ("misattributed", "false\nclaims"),
    ("latency.p50", "latency\np50"),
    ("latency.p95", "latency\np95"),
    ("starvation", "starved"),
    ("censored", "un-\ndelivered"),
    ("wasted", "wasted"),
    ("coverage", "traced"),
];

/// Those of them that are held against the first policy.
const AGAINST: &[&str] = &["misattributed", "latency.p95", "starvation", "censored", "wasted"];

/// What the short headings mean.
pub(super) const LEGEND: &str = "Means over the runs, with half of their 95% interval. false claims: `misattributed`, a run. latency: \
    of each run's delivered updates. starved: `starvation`, the longest time without a delivery while one was wanted. \
    undelivered: `censored`. wasted: time in attempts of which nothing was taken. traced: `coverage`.";

/// What the words of quantiles mean.
pub(super) const TOGETHER_LEGEND: &str = "Quantiles with their 95% intervals. latency: of the updates delivered. wait: of all updates, \
    those not delivered among them, by Kaplan and Meier; > where more than that share was still waiting at the last delivery. \
    starved: of the runs.";

/// A policy's name is broken into lines of this width.
const NAME_WIDTH: usize = 20;

fn heading(name: &str) -> &'static str {
    SHOWN.iter().find(|(other, _)| *other == name).map_or("", |(_, heading)| heading)
}

fn measure(name: &str) -> &'static Measure {
    Measure::named(name).expect("it stands in the table of measures")
}

impl ComparisonReport<'_> {
    /// The whole for people: the decisive measures, the differences, and the verdict.
    pub fn tables(&self, form: Form, everything: bool) -> String {
        format!("{}{}\n{}", self.title(form), self.figures(form, everything), self.verdict())
    }

    /// The whole as Markdown, the verdict first, as a reviewer wants it, and the command that makes it last.
    pub fn review(&self, command: &str) -> String {
        let form = Form::Markdown;
        format!(
            "{}{}\n{}\nMade by Rehearsal {} with\n\n```sh\n{command}\n```\n",
            self.title(form),
            self.verdict(),
            self.figures(form, false),
            env!("CARGO_PKG_VERSION"),
        )
    }

    /// The title and the verdict.
    pub fn headline(&self) -> String {
        format!("{}{}\n", self.title(Form::Terminal), self.verdict())
    }

    /// The verdict, as a paragraph.
    pub fn verdict(&self) -> String {
        fill(&verdict(&self.policies, self.comparison, self.horizon).sentences)
    }

    /// All tables with what explains them.
    fn figures(&self, form: Form, everything: bool) -> String {
        let mut text = self.main_table().render(form);
        text.push('\n');
        text += &fill(&[LEGEND.to_owned()]);
        text += &self.undelivered_note();
        text += &self.precision_note();
        if self.policies.len() > 1 {
            let _ = write!(text, "\n{}\n\n", self.against_title(form));
            text += &self.against_table().render(form);
        }
        if everything {
            let _ = write!(text, "\n{}\n\n", subtitle(form, "All runs together"));
            text += &self.together().render(form);
            let _ = write!(text, "\n{}", fill(&[TOGETHER_LEGEND.to_owned()]));
            let found = findings(self.comparison);
            for (at, tally) in self.comparison.tallies().iter().enumerate() {
                let _ = write!(text, "\n{}\n\n", subtitle(form, self.policies[at]));
                text += &self.everything(tally, at.checked_sub(1).map(|row| found[row].as_slice())).render(form);
            }
        }
        text
    }

    fn title(&self, form: Form) -> String {
        let runs = self.comparison.runs();
        let last = self.seed.wrapping_add(runs.saturating_sub(1));
        let of = match runs {
            1 => format!("one run a policy, seed {}", self.seed),
            _ => format!("{runs} runs a policy, seeds {} to {last}", self.seed),
        };
        let horizon = self.length();
        match form {
            Form::Terminal => format!("{}: {}\n{of}, horizon {horizon}\n\n", self.scenario, self.about),
            Form::Markdown => format!("## {}\n\n{}\n\n{of}, horizon {horizon}.\n\n", self.scenario, self.about),
        }
    }

    /// How long the runs are, and how much of them is measured.
    pub fn length(&self) -> String {
        let horizon = figure(Kind::Span, self.horizon.as_seconds());
        match self.warm_up {
            Span::ZERO => horizon,
            warm_up => format!("{horizon}, measured from {}", figure(Kind::Span, warm_up.as_seconds())),
        }
    }

    fn main_table(&self) -> Table {
        let headings = ["policy", "outcome"].into_iter().chain(SHOWN.iter().map(|(_, heading)| *heading));
        let mut table = Table::new([0, 1], headings);
        for (name, tally) in self.policies.iter().zip(self.comparison.tallies()) {
            let measures = SHOWN.iter().map(|(name, _)| {
                let measure = measure(name);
                two_lines(measure.kind, tally.measure(measure))
            });
            let outcomes: Vec<String> = self.outcomes(tally).into_iter().map(|(_, told)| told).collect();
            table.row([in_lines(name, NAME_WIDTH), outcomes.join("\n")].into_iter().chain(measures));
        }
        table
    }

    /// The shares of the outcomes, the greatest first.
    pub(super) fn outcomes(&self, tally: &Tally) -> Vec<(Outcome, String)> {
        let runs = self.comparison.runs();
        let mut shares: Vec<_> = Outcome::ALL.iter().map(|&outcome| (tally.outcome(outcome), outcome)).collect();
        shares.retain(|(count, _)| *count > 0);
        // Stable: of equal shares the worse outcome stays behind the better one.
        shares.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let told = |count: u64, outcome: Outcome| match count {
            _ if count == runs => outcome.name().to_owned(),
            _ => format!("{} {}", outcome.name(), percent(count as f64 / runs as f64)),
        };
        shares.into_iter().map(|(count, outcome)| (outcome, told(count, outcome))).collect()
    }

    /// For which policies the latency is not that of all runs.
    pub(super) fn undelivered_note(&self) -> String {
        let runs = self.comparison.runs();
        let latency = measure("latency.mean");
        let fewer: Vec<_> = self
            .policies
            .iter()
            .zip(self.comparison.tallies())
            .map(|(name, tally)| (name, tally.measure(latency).count))
            .filter(|(_, count)| *count < runs)
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        if fewer.is_empty() {
            return String::new();
        }
        fill(&[format!("Runs of {runs} that delivered anything, over which alone latency is: {}.", fewer.join(", "))])
    }

    /// Why the runs end where they do.
    pub(super) fn precision_note(&self) -> String {
        let Some(Stop { asked, most }) = self.precision else { return String::new() };
        let (runs, name) = (self.comparison.runs(), asked.measure.name);
        let part = |part: f64| format!("{:.2}%", part * 100.0);
        fill(&[match asked.reached(self.comparison) {
            None => format!("{runs} runs: no policy has a {name} above zero, so that there is no precision to reach."),
            Some(reached) if reached <= asked.part => format!(
                "{runs} runs were enough: half of the interval of {name} is at most {} of the mean ({} was asked for).",
                part(reached),
                part(asked.part),
            ),
            Some(reached) => format!(
                "The precision is not reached: at {runs} runs, of at most {most}, half of the interval of {name} is up to {} \
                 of the mean ({} was asked for).",
                part(reached),
                part(asked.part),
            ),
        }])
    }

    /// Quantiles over the updates of all runs, and over all runs.
    pub(super) fn together(&self) -> Table {
        let headings = ["policy", "delivered", "latency\np50", "p95", "p99", "wait\np50", "p95", "starved\np50", "p95"];
        let mut table = Table::new([0], headings);
        for (name, tally) in self.policies.iter().zip(self.comparison.tallies()) {
            let waits = tally.waits();
            let all = waits.delivered() + waits.undelivered();
            let delivered = match all {
                0 => "-".to_owned(),
                _ => format!("{}\nof {all}", percent(waits.delivered() as f64 / all as f64)),
            };
            let wait = |p: f64| match waits.wait(p) {
                Some(wait) => figure(Kind::Span, wait),
                None if waits.delivered() == 0 => "never".to_owned(),
                None => waits
                    .survival()
                    .last()
                    .map_or_else(String::new, |&(last, _)| format!(">{}", figure(Kind::Span, last))),
            };
            let mut row = vec![in_lines(name, NAME_WIDTH), delivered];
            row.extend([0.5, 0.95, 0.99].map(|p| quantile(waits, p)));
            row.extend([0.5, 0.95].map(wait));
            row.extend([0.5, 0.95].map(|p| quantile(tally.starvation(), p)));
            table.row(row);
        }
        table
    }

    fn against_title(&self, form: Form) -> String {
        let title = subtitle(form, &format!("Against {}, on the same seeds", self.policies[0]));
        let gap = if form == Form::Markdown { "\n" } else { "" };
        let looks = (self.policies.len() - 1) * DECISIVE.len();
        let legend = fill(&[format!(
            "Mean differences with half of their 95% interval. The words are Holm's, for all {looks} differences of the \
             decisive measures together: chance alone makes even one of them in at most 5 of 100 comparisons."
        )]);
        format!("{title}\n{gap}{}", legend.trim_end())
    }

    fn against_table(&self) -> Table {
        let headings = std::iter::once("policy").chain(AGAINST.iter().map(|name| heading(name)));
        let mut table = Table::new([0], headings);
        let policies = self.policies.iter().zip(self.comparison.tallies()).skip(1);
        for ((name, tally), found) in policies.zip(findings(self.comparison)) {
            let differences = AGAINST.iter().map(|name| {
                let measure = measure(name);
                let against = tally.against_first(measure);
                if against.count == 0 {
                    return "-".to_owned();
                }
                let word = match found[measure.place()] {
                    Finding::NotShown => "none shown",
                    finding => finding.word(),
                };
                format!("{}\n{word}", signed_mean(measure.kind, against))
            });
            table.row(std::iter::once(in_lines(name, NAME_WIDTH)).chain(differences));
        }
        table
    }

    /// Every measure of one policy, and how it differs from the first.
    pub(super) fn everything(&self, tally: &Tally, found: Option<&[Finding]>) -> Table {
        let against = format!("against {}", self.policies[0]);
        let mut headings = vec!["measure", "runs", "mean", "sd", "min", "max"];
        if found.is_some() {
            headings.extend([&against, "finding"]);
        }
        let mut table = Table::new([0, 7], headings);
        for measure in MEASURES {
            let (kind, moments) = (measure.kind, tally.measure(measure));
            let show = |value: f64| if moments.count == 0 { "-".to_owned() } else { figure(kind, value) };
            let mut row = vec![
                measure.name.to_owned(),
                moments.count.to_string(),
                mean(kind, moments),
                moments.deviation().map_or_else(|| "-".to_owned(), show),
                show(moments.min),
                show(moments.max),
            ];
            let against = tally.against_first(measure);
            match found {
                Some(found) if against.count > 0 => {
                    row.extend([signed_mean(kind, against), found[measure.place()].word().to_owned()]);
                }
                Some(_) => row.extend(["-".to_owned(), String::new()]),
                None => {}
            }
            table.row(row);
        }
        table
    }
}

fn subtitle(form: Form, title: &str) -> String {
    match form {
        Form::Terminal => title.to_owned(),
        Form::Markdown => format!("### {title}"),
    }
}

/// A mean, and half of its interval beneath it.
fn two_lines(kind: Kind, moments: &Moments) -> String {
    if moments.count == 0 {
        return "-".to_owned();
    }
    let half = half(kind, moments).map(|half| format!("\n±{half}")).unwrap_or_default();
    format!("{}{half}", figure(kind, moments.mean))
}

/// A quantile, and its interval beneath it; an end that is not known is left open.
fn quantile(pooled: &Pooled, p: f64) -> String {
    let Some(quantile) = pooled.quantile(p) else { return "-".to_owned() };
    let value = figure(Kind::Span, quantile.value);
    let end = |end: Option<f64>| end.map_or_else(|| "?".to_owned(), |end| figure(Kind::Span, end));
    let (low, high) = (end(quantile.low), end(quantile.high));
    if low == value && high == value { value } else { format!("{value}\n{low}–{high}") }
}

/// A mean difference with half of its interval.
fn signed_mean(kind: Kind, moments: &Moments) -> String {
    let half = half(kind, moments).map(|half| format!(" ±{half}")).unwrap_or_default();
    format!("{}{half}", difference(kind, moments.mean))
}

/// Sentences as a paragraph of a hundred columns.
fn fill(sentences: &[String]) -> String {
    const WIDTH: usize = 100;
    let mut lines = vec![String::new()];
    for word in sentences.iter().flat_map(|sentence| sentence.split_whitespace()) {
        let last = lines.last_mut().expect("there is a line");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_owned());
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
