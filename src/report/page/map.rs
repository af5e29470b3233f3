//! A grid of comparisons as a page: where each policy is the best, and a map of each measure for each policy.

use maud::{Markup, PreEscaped, html};

use super::document;
use super::parts::swatch;
use crate::report::map::{Map, Shows};
use crate::report::picture::Picture;

/// The page.
#[derive(Clone, Debug)]
pub struct MapPage<'a> {
    /// The map.
    pub map: &'a Map,
    /// How many runs there are in each cell, and of what.
    pub runs: String,
    /// Where the cells' scenarios are, as commands name it.
    pub cells: &'a str,
    /// The command that makes the page.
    pub command: &'a str,
}

impl MapPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let map = self.map;
        let body = html! {
            header {
                h1 { (map.scenario) }
                p { (map.about) }
                p.meta { (self.runs) }
            }
            main {
                section.verdict aria-label="Verdict" {
                    @for sentence in map.sentences() { p { (sentence) } }
                }
                section {
                    h2 { "The best policy" }
                    (self.map(&map.winners()))
                    ol.policies {
                        @for (at, policy) in map.policies.iter().enumerate() {
                            li class=[(!self.wins(at)).then_some("meta")] { (swatch(at)) (policy) }
                        }
                    }
                    p.legend {
                        "A cell bears the number of the policy that its verdict names. The scenario of each cell is in "
                        code { (self.cells) } ": compare or run it to see why."
                    }
                }
                @for (at, shows) in Shows::all().into_iter().enumerate() {
                    section {
                        details open[at < 3] {
                            summary { b { (shows.name()) } ": " (shows.meaning()) }
                            div.charts {
                                @for policy in 0..map.policies.len() { (self.map(&map.heat(shows, policy))) }
                            }
                        }
                    }
                }
                section {
                    h2 { "How to make it again" }
                    p { code { (self.command) } }
                    p.meta { "Rehearsal " (env!("CARGO_PKG_VERSION")) ". The same command gives the same bytes." }
                }
            }
        };
        document(&map.scenario, &body)
    }

    fn wins(&self, policy: usize) -> bool {
        (0..self.map.cells.len()).any(|cell| self.map.best(cell) == Some(policy))
    }

    fn map(&self, picture: &Picture) -> Markup {
        html! {
            figure.heatmap { div.scroll tabindex="0" role="region" aria-label=(picture.title) { (PreEscaped(picture.inline(true))) } }
        }
    }
}
