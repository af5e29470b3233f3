//! Facts in, measures out (contract §7).

mod comparison;
mod delivery;
mod digest;
mod exposure;
mod freshness;
mod measures;
mod meter;
mod statistics;

use crate::model::{Fact, Time};

pub use comparison::{Comparison, Finding, Tally};
pub use delivery::{Delivery, Pending};
pub use digest::Digest;
pub use measures::{Better, Kind, Latency, MEASURES, MeanAndPeak, Measure, Measures, Outcome, Reading};
pub use meter::Meter;
pub use statistics::{Interval, Moments, t_quantile};

/// Whoever hears the facts of a run, in order.
pub trait Observer {
    /// `fact` came to pass at `at`.
    fn hear(&mut self, at: Time, fact: &Fact<'_>);
}

/// Nobody.
impl Observer for () {
    #[inline(always)]
    fn hear(&mut self, _: Time, _: &Fact<'_>) {}
}

/// Two at once.
impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline(always)]
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        self.0.hear(at, fact);
        self.1.hear(at, fact);
    }
}

/// Somebody, or nobody.
impl<O: Observer> Observer for Option<O> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        if let Some(observer) = self {
            observer.hear(at, fact);
        }
    }
}

impl<O: Observer> Observer for &mut O {
    #[inline(always)]
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        (**self).hear(at, fact);
    }
}
