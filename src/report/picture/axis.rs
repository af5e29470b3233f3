//! Axes: from values to pixels, with ticks at round values that never overlap.

use crate::report::durations::Short;

/// What an axis measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds, told as durations.
    Seconds,
    /// Whole steps.
    Steps,
}

/// Values from pixels to pixels.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    unit: Unit,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    by_factors: bool,
}

/// Round lengths of time, in seconds.
const ROUND: &[f64] = &[
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
    15.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1_800.0,
    3_600.0,
    7_200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    172_800.0,
    432_000.0,
    864_000.0,
    1_728_000.0,
    4_320_000.0,
    8_640_000.0,
    17_280_000.0,
    43_200_000.0,
    86_400_000.0,
];

/// Where values spread over more than this factor, equal factors get equal room.
const WIDE: f64 = 40.0;

/// Room for a tick's label, in pixels.
const LABEL: f64 = 52.0;

impl Axis {
    /// From `low` to `high` between two places.
    pub fn even(unit: Unit, (low, high): (f64, f64), (from, to): (f64, f64)) -> Axis {
        let high = if high > low { high } else { low + 1.0 };
        Axis { unit, low, high, from, to, by_factors: false }
    }

    /// An axis on which all of these seconds can be seen: even from zero, or by factors if they spread widely.
    pub fn fit(values: impl IntoIterator<Item = f64>, (from, to): (f64, f64)) -> Axis {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values {
            if value > 0.0 {
                low = low.min(value);
            }
            high = high.max(value);
        }
        if high > low * WIDE {
            let low = ROUND.iter().copied().rev().find(|&round| round <= low).unwrap_or(ROUND[0]);
            return Axis { unit: Unit::Seconds, low, high: high * 1.05, from, to, by_factors: true };
        }
        Axis::even(Unit::Seconds, (0.0, high * 1.03), (from, to))
    }

    /// Whether equal factors get equal room.
    pub fn is_by_factors(&self) -> bool {
        self.by_factors
    }

    /// Where a value lies; one off the axis at its end.
    pub fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let part = match self.by_factors {
            true => libm::log(value / self.low) / libm::log(self.high / self.low),
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + part * (self.to - self.from)
    }

    /// The values at which ticks stand, with where and how they are told.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let label = |value: f64| match self.unit {
            Unit::Seconds => Short(value).to_string(),
            Unit::Steps => format!("{value:.0}"),
        };
        if self.by_factors {
            // The roundest first; the others where there is still room.
            let round = [1.0, 60.0, 3_600.0, 86_400.0, 10.0, 600.0, 0.1, 0.01, 864_000.0, 36_000.0, 8_640_000.0];
            let mut taken: Vec<(f64, String)> = Vec::new();
            for &value in round.iter().chain(ROUND) {
                let apart = taken.iter().all(|(at, _)| (at - self.at(value)).abs() >= LABEL);
                if self.low <= value && value <= self.high && apart {
                    taken.push((self.at(value), label(value)));
                }
            }
            taken.sort_by(|one, other| one.0.total_cmp(&other.0));
            return taken;
        }
        let most = ((self.to - self.from).abs() / LABEL).max(1.0);
        let least = (self.high - self.low) / most;
        let step = match self.unit {
            Unit::Seconds => ROUND.iter().copied().find(|&round| round >= least).unwrap_or(self.high - self.low),
            Unit::Steps => {
                let whole = (1..).flat_map(|power| [1, 2, 5].map(|digit| digit as f64 * ten_to(power - 1)));
                whole.take(40).find(|&step| step >= least).unwrap_or(1.0)
            }
        };
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|number| number as f64 * step).map(|value| (self.at(value), label(value))).collect()
    }
}

fn ten_to(power: i32) -> f64 {
    (0..power).fold(1.0, |product, _| product * 10.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ticks_lie_on_the_axis_and_apart(
            low in 0.001_f64..1e6, factor in 1.0_f64..1e6, width in 100_f64..900.0,
        ) {
            for axis in [
                Axis::fit([low, low * factor], (10.0, 10.0 + width)),
                Axis::even(Unit::Steps, (0.0, (low * factor).ceil()), (10.0, 10.0 + width)),
            ] {
                let ticks = axis.ticks();
                prop_assert!(!ticks.is_empty());
                for pair in ticks.windows(2) {
                    prop_assert!(pair[1].0 - pair[0].0 >= LABEL - 1e-6, "{ticks:?}");
                }
                for (at, _) in &ticks {
                    prop_assert!((9.9..=10.1 + width).contains(at), "{at}");
                }
            }
        }

        #[test]
        fn a_larger_value_is_never_before_a_smaller(one in 0.0_f64..1e5, other in 0.0_f64..1e5) {
            let axis = Axis::fit([1.0, 1e5], (0.0, 500.0));
            prop_assert!(axis.is_by_factors());
            prop_assert_eq!(one <= other, axis.at(one) <= axis.at(other) || axis.at(one) == axis.at(other));
        }
    }
}
