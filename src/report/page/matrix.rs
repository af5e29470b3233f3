//! The matrix: policies by measures, with numbers, marks, and what shows where a number comes from.

use maud::{Markup, html};

use super::parts::swatch;
use super::{Page, shell_word};
use crate::measure::{Better, Finding, Measure, Outcome, Tally, findings};
use crate::report::comparison::SHOWN;
use crate::report::figures::{figure, half};

/// What the marks mean.
pub(super) const LEGEND: &str = "▲ better, ▼ worse than the first policy, by Holm's test of all cells together; a cell without \
    a mark shows no difference. Bold: the best of its column. Red: what must not be. Where there is most to see, \"show me\" \
    gives the command that tells the worst such run.";

impl Page<'_> {
    pub(super) fn matrix(&self, best: Option<usize>) -> Markup {
        let report = self.report;
        let found = findings(report.comparison);
        let heading = |text: &str| text.replace("-\n", "").replace('\n', " ");
        html! {
            div.scroll tabindex="0" role="region" aria-label="Policies by measures" {
                table {
                    thead {
                        tr {
                            th.w scope="col" { "policy" }
                            th.w scope="col" { "outcome" }
                            @for (_, name) in SHOWN { th scope="col" { (heading(name)) } }
                        }
                    }
                    tbody {
                        @for (at, (name, tally)) in report.policies.iter().zip(report.comparison.tallies()).enumerate() {
                            tr {
                                th scope="row" {
                                    (swatch(at))
                                    a href=(format!("#policy-{at}")) { (name) }
                                    @if best == Some(at) { span.best { " ★" span.hidden { " the best" } } }
                                }
                                (self.outcome(at, tally))
                                @for (measure, _) in SHOWN {
                                    @let measure = Measure::named(measure).expect("it stands in the table of measures");
                                    @let finding = at.checked_sub(1).map(|row| found[row][measure.place()]);
                                    (self.cell(at, tally, measure, finding))
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn outcome(&self, at: usize, tally: &Tally) -> Markup {
        let is_ill = |outcome: Outcome| matches!(outcome, Outcome::Deadlocked | Outcome::Stuck);
        let shares = self.report.outcomes(tally);
        let worst = shares.iter().map(|&(outcome, _)| outcome).max().filter(|&outcome| is_ill(outcome));
        let sample = worst.and_then(|outcome| self.samples.first_with(at, outcome));
        html! {
            td.w {
                @for (outcome, told) in &shares { div class=[is_ill(*outcome).then_some("fault")] { (told) } }
                @if let Some(sample) = sample { (self.show_me(at, sample.seed)) }
            }
        }
    }

    fn cell(&self, at: usize, tally: &Tally, measure: &Measure, finding: Option<Finding>) -> Markup {
        let moments = tally.measure(measure);
        if moments.count == 0 {
            return html! { td { span aria-label="none" { "–" } } };
        }
        let fault = measure.name == "misattributed" && moments.mean > 0.0;
        let others = self.report.comparison.tallies().iter().map(|tally| tally.measure(measure));
        let others = others.filter(|other| other.count > 0);
        let is_best = match measure.better {
            Better::Lower => others.clone().all(|other| moments.mean <= other.mean),
            Better::Higher => others.clone().all(|other| moments.mean >= other.mean),
            Better::Neither => false,
        };
        // Where all are equal none is the best.
        let is_best = is_best && others.clone().any(|other| other.mean != moments.mean);
        let class = if fault { Some("fault") } else { is_best.then_some("best") };
        let half = half(measure.kind, moments).map(|half| format!("±{half}"));
        let is_worst = match measure.better {
            Better::Lower => others.clone().all(|other| moments.mean >= other.mean),
            Better::Higher => others.clone().all(|other| moments.mean <= other.mean),
            Better::Neither => false,
        };
        let surprises = fault || (is_worst && finding == Some(Finding::Worse));
        let sample = surprises.then(|| self.samples.worst_by(at, measure)).flatten();
        html! {
            td {
                span class=[class] { (figure(measure.kind, moments.mean)) }
                @match finding {
                    Some(Finding::Better) => { "\u{a0}" span.up { "▲" span.hidden { " better" } } }
                    Some(Finding::Worse) => { "\u{a0}" span.down { "▼" span.hidden { " worse" } } }
                    _ => {}
                }
                @if let Some(half) = half { small { (half) } }
                @if let Some(sample) = sample { (self.show_me(at, sample.seed)) }
            }
        }
    }

    fn show_me(&self, at: usize, seed: u64) -> Markup {
        html! {
            details.showme {
                summary { "show me" }
                code { (self.run_command(at, seed)) }
            }
        }
    }

    /// The command that tells one run.
    pub(super) fn run_command(&self, at: usize, seed: u64) -> String {
        let policy = shell_word(self.report.policies[at]);
        format!("rehearsal run {} --policy {policy} --seed {seed}", shell_word(self.file))
    }
}
