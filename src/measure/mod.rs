//! Facts in, measures out (contract §7).

mod comparison;
mod delivery;
mod digest;
mod exposure;
mod findings;
mod freshness;
mod measures;
mod meter;
mod precision;
mod samples;
mod statistics;
mod waits;

use crate::model::{Event, Fact, Time};

pub use comparison::{Comparison, Tally};
pub use delivery::{Delivery, Pending};
pub use digest::Digest;
pub use findings::{DECISIVE, Finding, RISK, findings};
pub use measures::{Better, Kind, Latency, MEASURES, MeanAndPeak, Measure, Measures, Outcome, Reading};
pub use meter::Meter;
pub use precision::Precision;
pub use samples::{Band, Sample, Samples, StalenessOverTime};
pub use statistics::{Interval, Moments, t_quantile};
pub use waits::{Pooled, Quantile, Waits, wilson};

/// Whoever hears the facts of a run, in order.
pub trait Observer {
    /// `fact` came to pass at `at`.
    fn hear(&mut self, at: Time, fact: &Fact<'_>);

    /// `event` happens; the facts that follow come of it.
    #[inline(always)]
    fn happens(&mut self, event: Event) {
        let _ = event;
    }

    /// A draw in it falls so.
    #[inline(always)]
    fn falls(&mut self, so: bool) {
        let _ = so;
    }
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

    #[inline(always)]
    fn happens(&mut self, event: Event) {
        self.0.happens(event);
        self.1.happens(event);
    }

    #[inline(always)]
    fn falls(&mut self, so: bool) {
        self.0.falls(so);
        self.1.falls(so);
    }
}

/// Somebody, or nobody.
impl<O: Observer> Observer for Option<O> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        if let Some(observer) = self {
            observer.hear(at, fact);
        }
    }

    fn happens(&mut self, event: Event) {
        if let Some(observer) = self {
            observer.happens(event);
        }
    }

    fn falls(&mut self, so: bool) {
        if let Some(observer) = self {
            observer.falls(so);
        }
    }
}

impl<O: Observer> Observer for &mut O {
    #[inline(always)]
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        (**self).hear(at, fact);
    }

    #[inline(always)]
    fn happens(&mut self, event: Event) {
        (**self).happens(event);
    }

    #[inline(always)]
    fn falls(&mut self, so: bool) {
        (**self).falls(so);
    }
}
