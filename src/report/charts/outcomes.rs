//! How runs end: the shares of the outcomes.

use super::rows::{ACROSS, Row};
use super::{Chart, Subject};
use crate::measure::Outcome;
use crate::model::Axis as _;
use crate::report::figures::percent;
use crate::report::picture::{Axis, Unit};

impl Subject<'_> {
    pub(super) fn outcomes(&self) -> Chart {
        let runs = self.comparison.runs() as f64;
        let across = Axis::even(Unit::Steps, (0.0, 100.0), ACROSS);
        let about = "For each policy, the share of runs that end settled, waiting, stuck and deadlocked.".to_owned();
        let picture = self.rows(("How runs end", about), (&across, "percent of runs"), |at| {
            let tally = &self.comparison.tallies()[at];
            let share = move |outcome: Outcome| tally.outcome(outcome) as f64 / runs;
            let there = Outcome::ALL.iter().filter(|&&outcome| tally.outcome(outcome) > 0).rev();
            let told: Vec<String> =
                there.take(2).map(|&outcome| format!("{} {}", outcome.name(), percent(share(outcome)))).collect();
            Row {
                figures: told.join(" · "),
                draw: Box::new(move |drawn, y| {
                    let mut from = 0.0;
                    for &outcome in Outcome::ALL {
                        let to = from + share(outcome) * 100.0;
                        let (x, width) = (across.at(from), across.at(to) - across.at(from));
                        // Not by colour alone: the worse, the taller.
                        let (class, height) = match outcome {
                            Outcome::Settled => ("good", 4.0),
                            Outcome::Waiting => ("unknown", 6.0),
                            Outcome::Stuck => ("unready", 9.0),
                            Outcome::Deadlocked => ("bad", 13.0),
                        };
                        if width > 0.0 {
                            drawn.rect(class, (x, y - height / 2.0), (width, height));
                        }
                        from = to;
                    }
                }),
            }
        });
        let legend = "From left to right: settled (thin, green), waiting (grey), stuck (amber), deadlocked (tall, red). The \
                      taller, the worse.";
        Chart { name: "outcomes", legend: legend.to_owned(), picture }
    }
}
