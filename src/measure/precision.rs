//! How many runs are enough.

use super::comparison::Comparison;
use super::measures::Measure;

/// A precision to reach: half of the 95% interval of a measure's mean, as a part of that mean, under every policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Of this measure.
    pub measure: &'static Measure,
    /// The part, above 0.
    pub part: f64,
}

/// No precision is judged by fewer runs: the spread that few runs show is often too small, and whoever stops there stops
/// with an interval that is too narrow.
pub const FEWEST_RUNS: u64 = 96;
/// Runs come in multiples of this.
const STEP: u64 = 8;

impl Precision {
    /// The part that half of the interval is of the mean, under the policy where it is largest; none where the measure has
    /// no mean above zero under any policy.
    pub fn reached(&self, comparison: &Comparison) -> Option<f64> {
        let parts = comparison.tallies().iter().filter_map(|tally| {
            let moments = tally.measure(self.measure);
            (moments.mean > 0.0).then(|| moments.interval().map(|interval| interval.half() / moments.mean)).flatten()
        });
        parts.reduce(f64::max)
    }

    /// How many runs to have before looking again, when `comparison` has too few; none when it has enough.
    ///
    /// The number comes from the spread seen so far, so that there are few looks: looking after every run, and stopping at
    /// the first narrow interval, would stop with those that are narrow by chance.
    pub fn next(&self, comparison: &Comparison, most: u64) -> Option<u64> {
        let runs = comparison.runs();
        if runs < FEWEST_RUNS.min(most) {
            return Some(FEWEST_RUNS.min(most));
        }
        let reached = self.reached(comparison)?;
        if reached <= self.part || runs >= most {
            return None;
        }
        let wanted = runs as f64 * (reached / self.part).powi(2);
        let wanted = if wanted < most as f64 { libm::ceil(wanted) as u64 } else { most };
        Some(wanted.max(runs + STEP).next_multiple_of(STEP).min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::super::measures::{Measures, Outcome};
    use super::super::statistics::draws::Uniform;
    use super::super::waits::Waits;
    use super::*;
    use crate::model::Span;

    const NO_WAITS: Waits<'static> = Waits { delivered: &[], undelivered: &[] };

    fn run(starvation: f64) -> Measures {
        Measures { starvation: Span((starvation * 1e9) as u64), ..Measures::nothing(Outcome::Settled) }
    }

    /// A skewed measure (exponential, of mean 1000 s): stopping when 10% are reached must leave the interval honest.
    #[test]
    fn stopping_early_does_not_lie() {
        let mut uniform = Uniform::new(3);
        let precision = Precision { measure: Measure::named("starvation").unwrap(), part: 0.1 };
        let (repeats, most) = (1_000, 100_000);
        let (mut covered, mut looks) = (0, 0);
        for _ in 0..repeats {
            let mut comparison = Comparison::new(1);
            while let Some(next) = precision.next(&comparison, most) {
                looks += 1;
                while comparison.runs() < next {
                    comparison.push(&[run(-1_000.0 * libm::log(uniform.next()))], [NO_WAITS].into_iter());
                }
            }
            assert!(precision.reached(&comparison).unwrap() <= 0.1 && comparison.runs() < most);
            let interval = comparison.tallies()[0].measure(precision.measure).interval().unwrap();
            covered += usize::from(interval.low <= 1_000.0 && 1_000.0 <= interval.high);
        }
        // Three standard errors below 95%; the skew alone costs half a point.
        let share = covered as f64 / repeats as f64;
        assert!((0.925..0.972).contains(&share), "{share}");
        assert!(looks <= 5 * repeats, "{looks} looks");
    }

    #[test]
    fn what_cannot_be_reached_ends_at_the_most() {
        let precision = Precision { measure: Measure::named("starvation").unwrap(), part: 0.001 };
        let mut comparison = Comparison::new(1);
        let mut at = 0;
        while let Some(next) = precision.next(&comparison, 500) {
            for _ in comparison.runs()..next {
                at += 1;
                comparison.push(&[run(f64::from(at % 7))], [NO_WAITS].into_iter());
            }
        }
        assert_eq!(comparison.runs(), 500);
        // Where there is nothing to measure, there is nothing to wait for.
        let mut nothing = Comparison::new(1);
        (0..FEWEST_RUNS).for_each(|_| nothing.push(&[run(0.0)], [NO_WAITS].into_iter()));
        assert_eq!((precision.reached(&nothing), precision.next(&nothing, 500)), (None, None));
    }
}
