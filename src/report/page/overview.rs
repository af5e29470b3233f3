//! Several comparisons on one page: scenarios by policies, each with a link to its own.

use maud::{Markup, html};

use super::document;
use crate::measure::{Kind, Measure, Outcome, Tally};
use crate::model::Axis as _;
use crate::report::comparison::ComparisonReport;
use crate::report::figures::{figure, percent};
use crate::report::table::{Form, Table};
use crate::report::verdict::{Verdict, verdict};

/// Several comparisons.
#[derive(Clone, Debug)]
pub struct Overview<'a> {
    /// The comparisons.
    pub reports: &'a [ComparisonReport<'a>],
    /// The folder of each, from here.
    pub folders: &'a [String],
    /// The command that makes all of it.
    pub command: &'a str,
}

/// What a policy comes to in a scenario.
struct Cell {
    /// What went wrong, the worst first.
    faults: Vec<String>,
    latency: Option<f64>,
}

impl Overview<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let body = html! {
            header {
                h1 { (self.reports.len()) " scenarios" }
                p.meta {
                    "Each cell: the mean time from an update to its delivery, and in red what goes wrong. ★: the policy that \
                     the verdict names."
                }
            }
            main {
                section { (self.matrix()) }
                section {
                    h2 { "Verdicts" }
                    @for (report, folder) in self.reports.iter().zip(self.folders) {
                        h3 { a href=(link(folder)) { (report.scenario) } }
                        p.meta { (report.about) }
                        @for sentence in &said(report).sentences { p { (sentence) } }
                    }
                }
                section {
                    h2 { "How to make it again" }
                    p { code { (self.command) } }
                }
            }
        };
        document("Scenarios by policies", &body)
    }

    fn matrix(&self) -> Markup {
        let policies = self.policies();
        html! {
            div.scroll tabindex="0" role="region" aria-label="Scenarios by policies" {
                table {
                    thead {
                        tr {
                            th.w scope="col" { "policy" }
                            @for (report, folder) in self.reports.iter().zip(self.folders) {
                                th scope="col" { a href=(link(folder)) { (report.scenario) } }
                            }
                        }
                    }
                    tbody {
                        @for name in &policies {
                            tr {
                                th scope="row" { (name) }
                                @for report in self.reports { (cell_of(report, name)) }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The same as Markdown.
    pub fn markdown(&self) -> String {
        let columns = 0..=self.reports.len();
        let headers = ["policy"].into_iter().chain(self.reports.iter().map(|report| report.scenario));
        let mut table = Table::new(columns, headers);
        for name in self.policies() {
            let cells = self.reports.iter().map(|report| match place(report, name) {
                None => "–".to_owned(),
                Some(at) => {
                    let Cell { faults, latency } = cell(report, at);
                    let star = if said(report).best == Some(at) { " ★" } else { "" };
                    let latency = latency.map_or_else(|| "–".to_owned(), |mean| figure(Kind::Span, mean));
                    format!("{latency}{star} {}", faults.join(", ")).trim().to_owned()
                }
            });
            table.row([name.to_owned()].into_iter().chain(cells));
        }
        let mut text = format!("{}\n", table.render(Form::Markdown));
        for report in self.reports {
            text += &format!("### {}\n\n{}\n", report.scenario, report.verdict());
        }
        format!("{text}```sh\n{}\n```\n", self.command)
    }

    /// The policies of all scenarios, in the order in which they are met.
    fn policies(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.reports.iter().flat_map(|report| &report.policies) {
            if !names.contains(name) {
                names.push(name);
            }
        }
        names
    }
}

fn link(folder: &str) -> String {
    format!("{folder}/report.html")
}

fn said(report: &ComparisonReport<'_>) -> Verdict {
    verdict(&report.policies, report.comparison, report.horizon)
}

fn place(report: &ComparisonReport<'_>, name: &str) -> Option<usize> {
    report.policies.iter().position(|other| *other == name)
}

fn cell(report: &ComparisonReport<'_>, at: usize) -> Cell {
    let tally: &Tally = &report.comparison.tallies()[at];
    let runs = report.comparison.runs() as f64;
    let ill = [Outcome::Deadlocked, Outcome::Stuck].into_iter().filter(|&outcome| tally.outcome(outcome) > 0);
    let mut faults: Vec<String> =
        ill.map(|outcome| format!("{} {}", outcome.name(), percent(tally.outcome(outcome) as f64 / runs))).collect();
    let measure = |name: &str| tally.measure(Measure::named(name).expect("it stands in the table of measures"));
    if measure("misattributed").mean > 0.0 {
        faults.push(format!("{} false claims", figure(Kind::Count, measure("misattributed").mean)));
    }
    let latency = measure("latency.mean");
    Cell { faults, latency: (latency.count > 0).then_some(latency.mean) }
}

fn cell_of(report: &ComparisonReport<'_>, name: &str) -> Markup {
    let Some(at) = place(report, name) else { return html! { td { "–" } } };
    let Cell { faults, latency } = cell(report, at);
    html! {
        td {
            @match latency {
                Some(mean) => (figure(Kind::Span, mean)),
                None => "nothing delivered",
            }
            @if said(report).best == Some(at) { span.best { " ★" span.hidden { " the best" } } }
            @for fault in &faults { small.fault { (fault) } }
        }
    }
}
