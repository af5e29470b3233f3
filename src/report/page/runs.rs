//! A policy's part of the page: its run in the middle, its worst run, and all its figures.

use maud::{Markup, PreEscaped, html};

use super::{Page, Shown, parts};
use crate::measure::{Kind, Measure, findings};
use crate::report::figures::figure;

impl Page<'_> {
    pub(super) fn policy(&self, at: usize, open: bool) -> Markup {
        let report = self.report;
        let tally = &report.comparison.tallies()[at];
        let found = findings(report.comparison);
        let latency = tally.measure(Measure::named("latency.mean").expect("it stands in the table"));
        let brief = match latency.count {
            0 => "nothing is delivered".to_owned(),
            _ => format!("an update takes {} on average", figure(Kind::Span, latency.mean)),
        };
        let outcomes: Vec<String> = report.outcomes(tally).into_iter().map(|(_, told)| told).collect();
        let outcomes = outcomes.join(", ");
        let (median, worst) = &self.runs[at];
        html! {
            details.policy id=(format!("policy-{at}")) open[open] {
                summary {
                    (parts::swatch(at))
                    b { (report.policies[at]) } " – " (outcomes) "; " (brief)
                    @if open { " ★" span.hidden { " the best" } }
                }
                (self.run(at, median, "The run in the middle"))
                @match worst {
                    Some(worst) => {
                        details {
                            summary { "The worst run: seed " (worst.seed) }
                            (self.run(at, worst, "The worst run"))
                        }
                    }
                    None => p.meta { "It is the worst run as well." }
                }
                details {
                    summary { "Every measure" }
                    (parts::table(&report.everything(tally, at.checked_sub(1).map(|row| found[row].as_slice()))))
                }
            }
        }
    }

    fn run(&self, at: usize, shown: &Shown, which: &str) -> Markup {
        let Shown { seed, lanes } = shown;
        let picture = lanes.picture(format!("{which} under {}, seed {seed}", self.report.policies[at]));
        let cut = lanes.cut().map(|cut| format!("; shown is {cut}")).unwrap_or_default();
        html! {
            figure.lanes {
                figcaption { (which) ", seed " (seed) ": " (picture.about) " " code { (self.run_command(at, *seed)) } (cut) }
                p.told aria-live="polite" {}
                div.scroll { (PreEscaped(picture.inline(true))) }
            }
        }
    }
}
