//! The longest time without a delivery.

use super::rows::{ACROSS, Row};
use super::{Chart, Subject, named};
use crate::measure::Kind;
use crate::report::figures::mean;
use crate::report::picture::{Axis, of_policy};

impl Subject<'_> {
    pub(super) fn starvation(&self) -> Chart {
        let moments = |at: usize| self.comparison.tallies()[at].measure(named("starvation"));
        let median =
            |at: usize| self.comparison.tallies()[at].starvation().quantile(0.95).map(|quantile| quantile.value);
        let values = (0..self.policies.len())
            .flat_map(|at| [Some(moments(at).mean), moments(at).interval().map(|interval| interval.high), median(at)]);
        let across = Axis::fit(values.flatten(), ACROSS);
        let about =
            "For each policy, the longest time in a run without a delivery while one was wanted: mean with its 95% \
                     interval, and 95th percentile of the runs."
                .to_owned();
        let unit = match across.is_by_factors() {
            true => "longest time without a delivery, by factors",
            false => "longest time without a delivery",
        };
        let picture = self.rows(("Starvation", about), (&across, unit), |at| {
            let moments = moments(at);
            let (center, interval) = (moments.mean, moments.interval());
            let worst = median(at);
            let colour = of_policy(at);
            Row {
                figures: mean(Kind::Span, moments),
                draw: Box::new(move |drawn, y| {
                    if let Some(worst) = worst {
                        drawn.line(&format!("line dash2 l{colour}"), (across.at(center), y), (across.at(worst), y));
                        drawn.line(
                            &format!("line l{colour}"),
                            (across.at(worst), y - 4.0),
                            (across.at(worst), y + 4.0),
                        );
                    }
                    if let Some(interval) = interval {
                        let (from, to) = (across.at(interval.low.max(0.0)), across.at(interval.high));
                        drawn.rect(&format!("f{colour} pale"), (from, y - 4.0), (to - from, 8.0));
                    }
                    drawn.circle(&format!("f{colour}"), (across.at(center), y), 4.0);
                }),
            }
        });
        let legend = "The longest time in a run without a delivery while one was wanted: the dot is the mean, the pale bar \
                      its 95% interval, the end of the dashed line what one run in twenty exceeds.";
        Chart { name: "starvation", legend: legend.to_owned(), picture }
    }
}
