//! How long updates take that are delivered, and how many are not.

use super::rows::{ACROSS, Row};
use super::{Chart, Subject};
use crate::measure::Kind;
use crate::report::figures::{figure, percent};
use crate::report::picture::{Axis, of_policy};

/// The quantiles that are drawn.
const DRAWN: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

impl Subject<'_> {
    pub(super) fn latency(&self) -> Chart {
        let quantiles = |at: usize| {
            let waits = self.comparison.tallies()[at].waits();
            DRAWN.map(|p| waits.quantile(p).map(|quantile| quantile.value))
        };
        let all = (0..self.policies.len()).flat_map(quantiles).flatten();
        let across = Axis::fit(all, ACROSS);
        let about =
            "For each policy, the 5th, 25th, 50th, 75th and 95th percentile of the time from a valid update to its \
                     delivery, and the share of updates that are not delivered."
                .to_owned();
        let unit = match across.is_by_factors() {
            true => "time from an update to its delivery, by factors",
            false => "time from an update to its delivery",
        };
        let picture = self.rows(("Latency", about), (&across, unit), |at| {
            let waits = self.comparison.tallies()[at].waits();
            let updates = waits.delivered() + waits.undelivered();
            let left = match waits.undelivered() {
                0 => String::new(),
                left => format!(" · {} not delivered", percent(left as f64 / updates as f64)),
            };
            let [Some(p5), Some(p25), Some(p50), Some(p75), Some(p95)] = quantiles(at) else {
                return Row { figures: "nothing is delivered".to_owned(), draw: Box::new(|_, _| ()) };
            };
            let colour = of_policy(at);
            Row {
                figures: format!("{}{left}", figure(Kind::Span, p50)),
                draw: Box::new(move |drawn, y| {
                    drawn.line(&format!("line l{colour}"), (across.at(p5), y), (across.at(p95), y));
                    let (from, to) = (across.at(p25), across.at(p75));
                    drawn.rect(&format!("f{colour}"), (from, y - 5.0), ((to - from).max(1.0), 10.0));
                    drawn.line("inkline thick", (across.at(p50), y - 7.0), (across.at(p50), y + 7.0));
                }),
            }
        });
        let legend = "Of delivered updates: the line reaches from the 5th to the 95th percentile, the box from the 25th to \
                      the 75th, the upright mark is the median. What is not delivered is told beside it: it has no latency.";
        Chart { name: "latency", legend: legend.to_owned(), picture }
    }
}
