//! Policies beside each other.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::figures::{difference, figure, half, mean, nested, percent};
use super::table::{Form, Table, in_lines};
use super::verdict::verdict;
use crate::measure::{Comparison, Finding, Kind, MEASURES, Measure, Moments, Outcome, Tally};
use crate::model::{Axis, Time};

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
}

/// The measures that decide between policies, with a short heading each.
const DECISIVE: &[(&str, &str)] = &[
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
const LEGEND: &str = "Means over the runs, with half of their 95% interval. false claims: `misattributed`, a run. latency: \
    of each run's delivered updates. starved: `starvation`, the longest time without a delivery while one was wanted. \
    undelivered: `censored`. wasted: time in attempts of which nothing was taken. traced: `coverage`.";

/// What the words mean.
const AGAINST_LEGEND: &str =
    "Mean differences with half of their 95% interval; none is shown where the interval holds zero.";

/// A policy's name is broken into lines of this width.
const NAME_WIDTH: usize = 20;

fn heading(name: &str) -> &'static str {
    DECISIVE.iter().find(|(other, _)| *other == name).map_or("", |(_, heading)| heading)
}

fn measure(name: &str) -> &'static Measure {
    Measure::named(name).expect("it stands in the table of measures")
}

impl ComparisonReport<'_> {
    /// The whole for people: the decisive measures, the differences, and the verdict.
    pub fn tables(&self, form: Form, everything: bool) -> String {
        let mut text = self.title(form);
        text += &self.main_table().render(form);
        text.push('\n');
        text += &fill(&[LEGEND.to_owned()]);
        text += &self.undelivered_note();
        if self.policies.len() > 1 {
            let _ = write!(text, "\n{}\n\n", self.against_title(form));
            text += &self.against_table().render(form);
        }
        if everything {
            for (at, tally) in self.comparison.tallies().iter().enumerate() {
                let _ = write!(text, "\n{}\n\n", subtitle(form, self.policies[at]));
                text += &self.everything(tally, at > 0).render(form);
            }
        }
        text.push('\n');
        text += &fill(&verdict(&self.policies, self.comparison, self.horizon));
        text
    }

    fn title(&self, form: Form) -> String {
        let runs = self.comparison.runs();
        let last = self.seed.wrapping_add(runs.saturating_sub(1));
        let of = match runs {
            1 => format!("one run a policy, seed {}", self.seed),
            _ => format!("{runs} runs a policy, seeds {} to {last}", self.seed),
        };
        let horizon = figure(Kind::Span, self.horizon.as_seconds());
        match form {
            Form::Terminal => format!("{}: {}\n{of}, horizon {horizon}\n\n", self.scenario, self.about),
            Form::Markdown => format!("## {}\n\n{}\n\n{of}, horizon {horizon}.\n\n", self.scenario, self.about),
        }
    }

    fn main_table(&self) -> Table {
        let headings = ["policy", "outcome"].into_iter().chain(DECISIVE.iter().map(|(_, heading)| *heading));
        let mut table = Table::new([0, 1], headings);
        for (name, tally) in self.policies.iter().zip(self.comparison.tallies()) {
            let measures = DECISIVE.iter().map(|(name, _)| {
                let measure = measure(name);
                two_lines(measure.kind, tally.measure(measure))
            });
            table.row([in_lines(name, NAME_WIDTH), self.outcomes(tally)].into_iter().chain(measures));
        }
        table
    }

    /// The shares of the outcomes, the greatest first.
    fn outcomes(&self, tally: &Tally) -> String {
        let runs = self.comparison.runs();
        let mut shares: Vec<_> = Outcome::ALL.iter().map(|&outcome| (tally.outcome(outcome), outcome)).collect();
        shares.retain(|(count, _)| *count > 0);
        // Stable: of equal shares the worse outcome stays behind the better one.
        shares.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let lines = shares.into_iter().map(|(count, outcome)| match count {
            _ if count == runs => outcome.name().to_owned(),
            _ => format!("{} {}", outcome.name(), percent(count as f64 / runs as f64)),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// For which policies the latency is not that of all runs.
    fn undelivered_note(&self) -> String {
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

    fn against_title(&self, form: Form) -> String {
        let title = subtitle(form, &format!("Against {}, on the same seeds", self.policies[0]));
        let gap = if form == Form::Markdown { "\n" } else { "" };
        format!("{title}\n{gap}{AGAINST_LEGEND}")
    }

    fn against_table(&self) -> Table {
        let headings = std::iter::once("policy").chain(AGAINST.iter().map(|name| heading(name)));
        let mut table = Table::new([0], headings);
        for (name, tally) in self.policies.iter().zip(self.comparison.tallies()).skip(1) {
            let differences = AGAINST.iter().map(|name| {
                let measure = measure(name);
                let against = tally.against_first(measure);
                if against.count == 0 {
                    return "-".to_owned();
                }
                let word = match Finding::of(measure, against) {
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
    fn everything(&self, tally: &Tally, against_first: bool) -> Table {
        let against = format!("against {}", self.policies[0]);
        let mut headings = vec!["measure", "runs", "mean", "sd", "min", "max"];
        if against_first {
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
            if against_first && against.count > 0 {
                row.extend([signed_mean(kind, against), Finding::of(measure, against).word().to_owned()]);
            } else if against_first {
                row.extend(["-".to_owned(), String::new()]);
            }
            table.row(row);
        }
        table
    }

    /// The whole as JSON.
    pub fn json(&self) -> Value {
        let policies = self.policies.iter().zip(self.comparison.tallies()).enumerate().map(|(at, (name, tally))| {
            let outcomes =
                Outcome::ALL.iter().map(|&outcome| (outcome.name().to_owned(), json!(tally.outcome(outcome))));
            let mut policy = Map::new();
            policy.insert("policy".into(), json!(name));
            policy.insert("outcomes".into(), Value::Object(outcomes.collect()));
            policy.insert("measures".into(), nested(Map::new(), |measure| statistics(tally.measure(measure))));
            let against = (at > 0).then(|| {
                nested(Map::new(), |measure| {
                    let moments = tally.against_first(measure);
                    let mut value = statistics(moments);
                    if let Some(object) = value.as_object_mut() {
                        object.insert("finding".into(), json!(Finding::of(measure, moments).word()));
                    }
                    value
                })
            });
            policy.insert("against_first".into(), json!(against));
            Value::Object(policy)
        });
        json!({
            "scenario": self.scenario,
            "about": self.about,
            "horizon": self.horizon.as_seconds(),
            "seed": self.seed,
            "runs": self.comparison.runs(),
            "first": self.policies[0],
            "policies": policies.collect::<Vec<_>>(),
            "verdict": verdict(&self.policies, self.comparison, self.horizon),
        })
    }

    /// The columns of [`ComparisonReport::records`].
    pub const COLUMNS: [&'static str; 15] = [
        "scenario",
        "policy",
        "measure",
        "runs",
        "mean",
        "sd",
        "low",
        "high",
        "min",
        "max",
        "against_runs",
        "against_mean",
        "against_low",
        "against_high",
        "finding",
    ];

    /// A record a policy and measure, for CSV; shares of the outcomes among them. What there is not is empty.
    pub fn records(&self) -> impl Iterator<Item = Vec<String>> {
        let runs = self.comparison.runs();
        self.policies.iter().zip(self.comparison.tallies()).enumerate().flat_map(move |(at, (name, tally))| {
            let begin = move |measure: &str| vec![self.scenario.to_owned(), (*name).to_owned(), measure.to_owned()];
            let outcomes = Outcome::ALL.iter().map(move |&outcome| {
                let mut record = begin(&format!("outcome.{}", outcome.name()));
                record.push(runs.to_string());
                record.push((tally.outcome(outcome) as f64 / runs as f64).to_string());
                record.resize(Self::COLUMNS.len(), String::new());
                record
            });
            let measures = MEASURES.iter().map(move |measure| {
                let mut record = begin(measure.name);
                let moments = tally.measure(measure);
                record.extend(columns(moments));
                record.extend(
                    [moments.min, moments.max]
                        .map(|value| if moments.count == 0 { String::new() } else { value.to_string() }),
                );
                if at > 0 {
                    let against = tally.against_first(measure);
                    let [count, mean, _, low, high] = columns(against);
                    record.extend([count, mean, low, high]);
                    record.push(if against.count == 0 {
                        String::new()
                    } else {
                        Finding::of(measure, against).word().to_owned()
                    });
                }
                record.resize(Self::COLUMNS.len(), String::new());
                record
            });
            outcomes.chain(measures)
        })
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

/// A mean difference with half of its interval.
fn signed_mean(kind: Kind, moments: &Moments) -> String {
    let half = half(kind, moments).map(|half| format!(" ±{half}")).unwrap_or_default();
    format!("{}{half}", difference(kind, moments.mean))
}

/// Null if there is none.
fn statistics(moments: &Moments) -> Value {
    if moments.count == 0 {
        return Value::Null;
    }
    let interval = moments.interval();
    json!({
        "runs": moments.count,
        "mean": moments.mean,
        "sd": moments.deviation(),
        "low": interval.map(|interval| interval.low),
        "high": interval.map(|interval| interval.high),
        "min": moments.min,
        "max": moments.max,
    })
}

/// How many, mean, deviation and interval.
fn columns(moments: &Moments) -> [String; 5] {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let interval = moments.interval();
    [
        moments.count.to_string(),
        number((moments.count > 0).then_some(moments.mean)),
        number(moments.deviation()),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
    ]
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
