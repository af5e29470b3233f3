//! A comparison as JSON and CSV: every measure, every quantile, every share.

use serde_json::{Map, Value, json};

use super::ComparisonReport;
use crate::measure::{MEASURES, Moments, Outcome, Pooled, Quantile, Tally, findings};
use crate::model::Axis;
use crate::report::figures::nested;
use crate::report::verdict::verdict;

impl ComparisonReport<'_> {
    /// The whole as JSON.
    pub fn json(&self) -> Value {
        let found = findings(self.comparison);
        let said = verdict(&self.policies, self.comparison, self.horizon);
        let policies = self.policies.iter().zip(self.comparison.tallies()).enumerate().map(|(at, (name, tally))| {
            let outcomes =
                Outcome::ALL.iter().map(|&outcome| (outcome.name().to_owned(), json!(tally.outcome(outcome))));
            let mut policy = Map::new();
            policy.insert("policy".into(), json!(name));
            policy.insert("outcomes".into(), Value::Object(outcomes.collect()));
            let shares = Outcome::ALL.iter().map(|&outcome| {
                let interval = tally.outcome_interval(outcome);
                let share = tally.outcome(outcome) as f64 / self.comparison.runs() as f64;
                (outcome.name().to_owned(), json!({ "share": share, "low": interval.low, "high": interval.high }))
            });
            policy.insert("shares".into(), Value::Object(shares.collect()));
            policy.insert("measures".into(), nested(Map::new(), |measure| statistics(tally.measure(measure))));
            policy.insert("together".into(), waits(tally));
            let against = (at > 0).then(|| {
                nested(Map::new(), |measure| {
                    let mut value = statistics(tally.against_first(measure));
                    if let Some(object) = value.as_object_mut() {
                        object.insert("finding".into(), json!(found[at - 1][measure.place()].word()));
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
            "warm_up": self.warm_up.as_seconds(),
            "seed": self.seed,
            "runs": self.comparison.runs(),
            "precision": self.precision.map(|stop| json!({
                "measure": stop.asked.measure.name,
                "asked": stop.asked.part,
                "reached": stop.asked.reached(self.comparison),
                "max_runs": stop.most,
            })),
            "first": self.policies[0],
            "policies": policies.collect::<Vec<_>>(),
            "verdict": said.sentences,
            "best": said.best.map(|best| self.policies[best]),
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
        let found = findings(self.comparison);
        self.policies.iter().zip(self.comparison.tallies()).enumerate().flat_map(move |(at, (name, tally))| {
            let found = at.checked_sub(1).map(|row| found[row].clone());
            let begin = move |measure: &str| vec![self.scenario.to_owned(), (*name).to_owned(), measure.to_owned()];
            let outcomes = Outcome::ALL.iter().map(move |&outcome| {
                let mut record = begin(&format!("outcome.{}", outcome.name()));
                record.push(runs.to_string());
                record.push((tally.outcome(outcome) as f64 / runs as f64).to_string());
                let interval = tally.outcome_interval(outcome);
                record.extend([String::new(), interval.low.to_string(), interval.high.to_string()]);
                record.resize(Self::COLUMNS.len(), String::new());
                record
            });
            let quantiles = quantiles(tally).into_iter().map(move |(name, runs, quantile)| {
                let mut record = begin(&name);
                record.extend([runs.to_string(), optional(quantile.map(|quantile| quantile.value)), String::new()]);
                record.extend([quantile.and_then(|q| q.low), quantile.and_then(|q| q.high)].map(optional));
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
                if let Some(found) = &found {
                    let against = tally.against_first(measure);
                    let [count, mean, _, low, high] = columns(against);
                    record.extend([count, mean, low, high]);
                    record.push(if against.count == 0 {
                        String::new()
                    } else {
                        found[measure.place()].word().to_owned()
                    });
                }
                record.resize(Self::COLUMNS.len(), String::new());
                record
            });
            outcomes.chain(measures).chain(quantiles)
        })
    }
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

/// The quantiles that are told.
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)];

/// What became of the updates of all runs together, and how long each waited.
fn waits(tally: &Tally) -> Value {
    let told = |pooled: &Pooled| {
        let quantiles = QUANTILES.map(|(name, p)| {
            let quantile = |q: Quantile| json!({ "value": q.value, "low": q.low, "high": q.high });
            (name.to_owned(), json!(pooled.quantile(p).map(quantile)))
        });
        Value::Object(quantiles.into_iter().collect())
    };
    let waits = tally.waits();
    let wait = QUANTILES.map(|(name, p)| (name.to_owned(), json!(waits.wait(p))));
    json!({
        "delivered": waits.delivered(),
        "undelivered": waits.undelivered(),
        "latency": told(waits),
        "wait": Value::Object(wait.into_iter().collect()),
        "starvation": told(tally.starvation()),
    })
}

/// The quantiles of all runs together, each with its name and how many values it is of.
fn quantiles(tally: &Tally) -> Vec<(String, u64, Option<Quantile>)> {
    let of = |name: &str, pooled: &Pooled| {
        let told = |(quantile, p): (&str, f64)| {
            (format!("together.{name}.{quantile}"), pooled.delivered(), pooled.quantile(p))
        };
        QUANTILES.map(told).to_vec()
    };
    [of("latency", tally.waits()), of("starvation", tally.starvation())].concat()
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// How many, mean, deviation and interval.
fn columns(moments: &Moments) -> [String; 5] {
    let interval = moments.interval();
    [
        moments.count.to_string(),
        optional((moments.count > 0).then_some(moments.mean)),
        optional(moments.deviation()),
        optional(interval.map(|interval| interval.low)),
        optional(interval.map(|interval| interval.high)),
    ]
}
