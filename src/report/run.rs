//! One run: what it comes to.

use serde_json::{Value, json};

use super::figures::{figure, nested, reading};
use super::table::{Form, Table};
use crate::measure::{MEASURES, Measures};
use crate::model::{Axis, Time};

/// What one run comes to, and what run it was.
#[derive(Clone, Debug)]
pub struct RunReport<'a> {
    /// The scenario.
    pub scenario: &'a str,
    /// The policy.
    pub policy: &'a str,
    /// The seed.
    pub seed: u64,
    /// The run's end.
    pub horizon: Time,
    /// The digest of all its facts.
    pub digest: String,
    /// What was measured.
    pub measures: Measures,
}

impl RunReport<'_> {
    /// The whole as JSON.
    pub fn json(&self) -> Value {
        let outcome = json!({ "outcome": self.measures.outcome.name() });
        let outcome = outcome.as_object().cloned().unwrap_or_default();
        json!({
            "scenario": self.scenario,
            "policy": self.policy,
            "seed": self.seed,
            "horizon": self.horizon.as_seconds(),
            "digest": self.digest,
            "measures": nested(outcome, |measure| reading((measure.read)(&self.measures))),
        })
    }

    /// The measures, a line each with what it means.
    pub fn table(&self) -> String {
        let mut table = Table::new([0, 2], ["measure", "value", "meaning"]);
        let outcome = self.measures.outcome;
        table.row(["outcome", outcome.name(), outcome.meaning()]);
        for measure in MEASURES {
            let value = (measure.read)(&self.measures);
            let value = value.map_or_else(|| "-".to_owned(), |value| figure(measure.kind, value.as_f64()));
            table.row([measure.name, &value, measure.meaning]);
        }
        table.row(["digest", "", &self.digest]);
        table.render(Form::Terminal)
    }
}
