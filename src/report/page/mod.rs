//! A comparison as one page: a file that needs nothing else, on any screen, on paper, by eye, ear and keyboard.

mod checked;
mod map;
mod matrix;
mod overview;
mod parts;
mod runs;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::charts::{Chart, Subject};
use super::comparison::{ComparisonReport, LEGEND, TOGETHER_LEGEND};
use super::lanes::{Lanes, key};
use super::picture::{STYLE, variables};
use super::verdict::verdict;
use crate::measure::Samples;

pub use checked::{Checked, CheckedPage, Refuted};
pub use map::MapPage;
pub use overview::Overview;
pub(crate) use parts::shell_word;

/// One run of a policy, to be shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its seed.
    pub seed: u64,
    /// The run as lanes.
    pub lanes: Lanes,
}

/// What a page is made of.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// The comparison.
    pub report: &'a ComparisonReport<'a>,
    /// Some of its runs.
    pub samples: &'a Samples,
    /// The scenario's file, as commands name it.
    pub file: &'a str,
    /// The command that makes the page.
    pub command: &'a str,
    /// Each policy's run in the middle, and its worst one if that is another.
    pub runs: &'a [(Shown, Option<Shown>)],
}

const CSS: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// The script's SHA-256: no other may run.
const SCRIPT_HASH: &str = "sha256-AxZ2dDeGPpMONe4S35mOwclqqxsdDZiXVRnO4ZhO7NY=";

impl Page<'_> {
    /// What the page's charts are drawn of.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            policies: &self.report.policies,
            comparison: self.report.comparison,
            samples: self.samples,
            horizon: self.report.horizon,
        }
    }

    /// The page, with these charts.
    pub fn html(&self, charts: &[Chart]) -> String {
        let report = self.report;
        let runs = report.comparison.runs();
        let last = report.seed.wrapping_add(runs.saturating_sub(1));
        let verdict = verdict(&report.policies, report.comparison, report.horizon);
        let body = html! {
            header {
                h1 { (report.scenario) }
                p { (report.about) }
                p.meta {
                    (report.policies.len()) " policies, " (runs) " runs of each over " (report.length()) ", seeds "
                    (report.seed) " to " (last) ". Every policy met the same updates, durations and failures."
                }
            }
            main {
                section.verdict aria-label="Verdict" {
                    @for sentence in &verdict.sentences { p { (sentence) } }
                }
                section {
                    h2 { "Policies by measures" }
                    (self.matrix(verdict.best))
                    p.legend { (LEGEND) " " (matrix::LEGEND) }
                    (notes(&[report.undelivered_note(), report.precision_note()]))
                    details {
                        summary { "Quantiles over all runs together" }
                        (parts::table(&report.together()))
                        p.legend { (TOGETHER_LEGEND) }
                    }
                }
                section {
                    h2 { "In pictures" }
                    div.charts {
                        @for chart in charts {
                            figure {
                                h3 { (chart.picture.title) }
                                (PreEscaped(chart.picture.inline(false)))
                                figcaption { (chart.legend) }
                            }
                        }
                    }
                }
                section {
                    h2 { "One run of each policy" }
                    p.legend {
                        "The run in the middle of the first " (self.samples.of(0).len()) " by mean staleness; the worst of \
                         them is one step away. Point at a sign, or press Tab and the arrow keys, and it is told in a sentence."
                    }
                    details {
                        summary { "What the signs mean" }
                        div.scroll tabindex="0" role="region" aria-label="What the signs mean" {
                            figure.key.lanes { (PreEscaped(key().inline(false))) }
                        }
                    }
                    @for at in 0..report.policies.len() { (self.policy(at, verdict.best == Some(at))) }
                }
                section {
                    h2 { "How to make it again" }
                    p { code { (self.command) } }
                    p.meta { "Rehearsal " (env!("CARGO_PKG_VERSION")) ". The same command gives the same bytes." }
                }
            }
        };
        document(report.scenario, &body)
    }
}

fn notes(notes: &[String]) -> Markup {
    html! { @for note in notes.iter().filter(|note| !note.is_empty()) { p.legend { (note) } } }
}

/// A whole page.
pub(crate) fn document(title: &str, body: &Markup) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{SCRIPT_HASH}'; base-uri 'none'"
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(style())) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn style() -> String {
    format!(
        ":root{{{}}}@media (prefers-color-scheme:dark){{:root{{{}}}}}@media print{{:root{{{}}}}}\n{CSS}{STYLE}",
        variables(false),
        variables(true),
        variables(false)
    )
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_script_is_the_one_that_may_run() {
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(SCRIPT));
        assert_eq!(SCRIPT_HASH, format!("sha256-{hash}"));
    }
}
