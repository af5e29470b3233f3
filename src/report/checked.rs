//! What a check found: a verdict per policy and property.

use serde_json::{Value, json};

use super::table::{Form, Table, in_lines};
use crate::explore::{Limit, Property, Report, Seen, Verdict};
use crate::model::Axis;

/// What a check of some policies found.
#[derive(Clone, Debug)]
pub struct CheckReport<'a> {
    /// The scenario.
    pub scenario: &'a str,
    /// Each policy, and what was found of it.
    pub policies: Vec<(&'a str, Report)>,
    /// What was decided, in this order.
    pub properties: &'a [Property],
}

/// Tables of verdicts: policies by properties for each scenario, or, of one property, scenarios by policies.
pub fn tables(reports: &[CheckReport<'_>], form: Form) -> String {
    let [first, _, ..] = reports else { return reports.iter().map(|report| report.table(form)).collect() };
    let names = |report: &CheckReport<'_>| report.policies.iter().map(|&(name, _)| name.to_owned()).collect::<Vec<_>>();
    if first.properties.len() > 1 || reports.iter().any(|report| names(report) != names(first)) {
        let tables = reports.iter().map(|report| format!("{}\n\n{}", report.scenario, report.table(form)));
        return tables.collect::<Vec<_>>().join("\n");
    }
    let mut table = Table::new([0], ["scenario".to_owned()].into_iter().chain(names(first)));
    for report in reports {
        let verdicts = report.policies.iter().flat_map(|(_, report)| &report.decided);
        let cells = verdicts.map(|(_, verdict)| cell_in(verdict, form));
        table.row([in_lines(report.scenario, NAME_WIDTH)].into_iter().chain(cells));
    }
    table.render(form)
}

/// How wide a name may be in a table.
const NAME_WIDTH: usize = 14;
/// How wide a heading may be in a table.
const HEADING_WIDTH: usize = 10;

/// What the marks of a terminal's tables mean.
pub const LEGEND: &str = "✗ 6: refuted, in 6 steps; ✗ 4+2: in 4 steps, and 2 that repeat without end";

/// A verdict in a cell: eight columns of words are too wide for a terminal.
fn cell_in(verdict: &Verdict, form: Form) -> String {
    let cell = cell(verdict);
    match (form, cell.strip_prefix("refuted")) {
        (Form::Terminal, Some(steps)) => format!("✗{steps}"),
        _ => cell,
    }
}

impl CheckReport<'_> {
    fn table(&self, form: Form) -> String {
        self.verdicts(form).render(form)
    }

    /// Policies by properties.
    pub fn verdicts(&self, form: Form) -> Table {
        let heading = |property: &Property| match form {
            Form::Terminal => in_lines(property.name(), HEADING_WIDTH),
            Form::Markdown => property.name().to_owned(),
        };
        let mut table = Table::new([0], ["policy".to_owned()].into_iter().chain(self.properties.iter().map(heading)));
        for (policy, report) in &self.policies {
            let cells = report.decided.iter().map(|(_, verdict)| cell_in(verdict, form));
            table.row([in_lines(policy, NAME_WIDTH)].into_iter().chain(cells));
        }
        table
    }

    /// The whole as JSON.
    pub fn json(&self) -> Value {
        let policies = self.policies.iter().map(|(policy, report)| {
            let verdicts = report.decided.iter().map(|(property, verdict)| {
                let mut value = verdict_as_json(verdict);
                value["property"] = property.name().into();
                value
            });
            json!({
                "policy": policy,
                "verdicts": verdicts.collect::<Vec<_>>(),
                "bounded": report.bounded.as_ref().map(seen_as_json),
                "endless": report.endless.as_ref().map(seen_as_json),
            })
        });
        json!({ "scenario": self.scenario, "policies": policies.collect::<Vec<_>>() })
    }
}

/// A verdict in a cell of a table: of what is refuted the steps, or those before and in the cycle.
pub fn cell(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Proved => "proved".to_owned(),
        Verdict::Undecided(_) => "undecided".to_owned(),
        Verdict::Refuted(refutation) => match refutation.cycle_from {
            None => format!("refuted {}", refutation.steps.len()),
            Some(from) => format!("refuted {from}+{}", refutation.steps.len() - from),
        },
    }
}

/// Which limit was hit, and what to do about it.
pub fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::States => "as many states were seen as --max-states allows",
        Limit::Memory => "as much memory is used as --max-memory allows",
        Limit::Time => "it took as long as --max-time allows",
        Limit::Stopped => "it was stopped",
        Limit::Wakes => "more wake-ups are under way at once than a state counts, 255",
        Limit::Versions => {
            "a run in which nothing is delivered goes on only with more versions of the workload than --versions allows"
        }
    }
}

/// How much of a graph was seen, and what it holds within.
pub fn ground(seen: &Seen) -> String {
    let Seen { within, states, transitions, depth, .. } = seen;
    format!("{states} states, {transitions} transitions, {depth} steps deep, with {within}")
}

fn seen_as_json(seen: &Seen) -> Value {
    json!({ "within": seen.within, "states": seen.states, "transitions": seen.transitions, "depth": seen.depth })
}

fn verdict_as_json(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Proved => json!({ "verdict": "proved" }),
        Verdict::Refuted(refutation) => json!({
            "verdict": "refuted",
            "steps": refutation.steps.len(),
            "repeats_from": refutation.cycle_from.map(|from| from + 1),
        }),
        Verdict::Undecided(hit) => json!({ "verdict": "undecided", "because": limit(*hit) }),
    }
}
