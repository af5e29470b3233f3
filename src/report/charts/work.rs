//! What the oracles' work comes to.

use super::rows::{ACROSS, Row};
use super::{Chart, Subject, named};
use crate::measure::Kind;
use crate::report::figures::{figure, percent};
use crate::report::picture::{Axis, Unit, of_policy};

impl Subject<'_> {
    pub(super) fn work(&self) -> Chart {
        let mean = |name: &str, at: usize| self.comparison.tallies()[at].measure(named(name)).mean;
        let most = (0..self.policies.len()).map(|at| mean("work", at)).fold(0.0, f64::max);
        let across = Axis::even(Unit::Seconds, (0.0, most * 1.03), ACROSS);
        let about =
            "For each policy, the time that oracles spend in attempts in a run: the part of which something was \
                     taken, and the part that was wasted."
                .to_owned();
        let picture = self.rows(("Work and waste", about), (&across, "time in attempts, a run"), |at| {
            let (work, wasted) = (mean("work", at), mean("wasted", at));
            let share = if work > 0.0 { wasted / work } else { 0.0 };
            let colour = of_policy(at);
            Row {
                figures: format!("{} wasted, {}", figure(Kind::Span, wasted), percent(share)),
                draw: Box::new(move |drawn, y| {
                    let (from, useful, all) = (across.at(0.0), across.at(work - wasted), across.at(work));
                    drawn.rect(&format!("f{colour}"), (from, y - 5.0), (useful - from, 10.0));
                    drawn.rect("hollow", (useful, y - 4.5), (all - useful, 9.0));
                    let path = [(useful, y - 4.5), (all, y - 4.5), (all, y + 4.5), (useful, y + 4.5)];
                    drawn.polyline(&format!("line edge l{colour}"), path);
                }),
            }
        });
        let legend = "Mean time that oracles spend in attempts, a run. Filled: something of it was taken. Hollow: nothing \
                      was, or it failed.";
        Chart { name: "work", legend: legend.to_owned(), picture }
    }
}
