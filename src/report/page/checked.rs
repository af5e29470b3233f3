//! Proofs and counterexamples as one page: verdicts, and each counterexample drawn step by step.

use maud::{Markup, PreEscaped, html};

use super::document;
use crate::explore::{Property, Verdict};
use crate::model::Axis as _;
use crate::report::checked::{CheckReport, cell, ground, limit};
use crate::report::lanes::key;
use crate::report::picture::Picture;

/// What was found of one scenario.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    /// What the scenario is about.
    pub about: &'a str,
    /// The verdicts.
    pub report: &'a CheckReport<'a>,
    /// The counterexamples.
    pub refuted: Vec<Refuted>,
}

/// A counterexample.
#[derive(Clone, Debug)]
pub struct Refuted {
    /// Of which policy.
    pub policy: String,
    /// To which property.
    pub property: Property,
    /// Its steps in words, a line each.
    pub steps: String,
    /// What went wrong.
    pub closing: String,
    /// The command that plays it.
    pub play: String,
    /// Its lanes.
    pub picture: Picture,
}

/// The page.
#[derive(Clone, Debug)]
pub struct CheckedPage<'a> {
    /// What was found, scenario by scenario.
    pub checked: &'a [Checked<'a>],
    /// The command that makes the page.
    pub command: &'a str,
}

impl CheckedPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let title = match self.checked {
            [one] => one.report.scenario.to_owned(),
            all => format!("{} scenarios", all.len()),
        };
        let body = html! {
            header {
                h1 { (title) }
                p.meta {
                    "Everything was tried: whatever was under way could be the next to happen, and every draw fell each way. \
                     Proved: it holds for every duration, within the bounds told. Refuted: here is the shortest way there."
                }
            }
            main {
                @for (number, checked) in self.checked.iter().enumerate() {
                    (section(number, checked, self.checked.len() > 1))
                }
                section {
                    h2 { "What the signs mean" }
                    div.scroll tabindex="0" role="region" aria-label="What the signs mean" {
                        figure.key.lanes { (PreEscaped(key().inline(false))) }
                    }
                }
                section {
                    h2 { "How to make it again" }
                    p { code { (self.command) } }
                    p.meta { "Rehearsal " (env!("CARGO_PKG_VERSION")) }
                }
            }
        };
        document(&title, &body)
    }
}

fn section(number: usize, checked: &Checked<'_>, headed: bool) -> Markup {
    let report = checked.report;
    let place = |policy: &str, property: Property| {
        checked.refuted.iter().position(|refuted| refuted.policy == policy && refuted.property == property)
    };
    let id = |at: usize| format!("counterexample-{number}-{at}");
    html! {
        section {
            @if headed { h2 { (report.scenario) } }
            p { (checked.about) }
            div.scroll tabindex="0" role="region" aria-label="Policies by properties" {
                table {
                    thead {
                        tr {
                            th.w scope="col" { "policy" }
                            @for property in report.properties { th.w scope="col" title=(property.meaning()) { (property.name()) } }
                        }
                    }
                    tbody {
                        @for (policy, found) in &report.policies {
                            tr {
                                th scope="row" { (policy) }
                                @for (property, verdict) in &found.decided {
                                    td.w { (cell_of(verdict, place(policy, *property).map(id))) }
                                }
                            }
                        }
                    }
                }
            }
            details {
                summary { "What the properties say" }
                dl {
                    @for property in report.properties { dt { b { (property.name()) } } dd { (property.meaning()) } }
                }
            }
            @for (policy, found) in &report.policies {
                @for seen in found.bounded.iter().chain(&found.endless) {
                    p.meta { (policy) ": " (ground(seen)) }
                }
            }
            @for (at, refuted) in checked.refuted.iter().enumerate() {
                details.policy id=(id(at)) open[checked.refuted.len() == 1] {
                    summary { b { (refuted.policy) } ", " (refuted.property.name()) ": " (refuted.closing) }
                    figure.lanes {
                        figcaption { (refuted.picture.about) " " code { (refuted.play) } }
                        p.told aria-live="polite" {}
                        div.scroll { (PreEscaped(refuted.picture.inline(true))) }
                    }
                    details {
                        summary { "Step by step" }
                        div.scroll tabindex="0" role="region" aria-label="Step by step" { pre { (refuted.steps) } }
                    }
                }
            }
        }
    }
}

fn cell_of(verdict: &Verdict, counterexample: Option<String>) -> Markup {
    match (verdict, counterexample) {
        (Verdict::Refuted(_), Some(id)) => html! { a.fault href=(format!("#{id}")) { "✗ " (cell(verdict)) } },
        (Verdict::Undecided(hit), _) => html! { "? undecided" small { (limit(*hit)) } },
        _ => html! { span.up { "✓ " } (cell(verdict)) },
    }
}
