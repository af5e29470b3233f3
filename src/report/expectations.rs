//! Expectations, and what came instead, in words.

use super::checked::limit;
use crate::measure::Reading;
use crate::model::Axis;
use crate::scenario::{Bound, Claimed};
use crate::validation::{Came, Miss};

/// A claim as its row says it: `outcome settled`, `starvation above 50m`.
pub fn claim(claim: &Claimed) -> String {
    match claim {
        Claimed::Outcome(outcomes) => {
            let names: Vec<_> = outcomes.iter().map(|outcome| outcome.name()).collect();
            format!("outcome {}", names.join(" or "))
        }
        Claimed::Measure(measure, bounds) => {
            let bounds: Vec<_> = bounds.iter().map(|&limit| bound(limit)).collect();
            format!("{} {}", measure.name, bounds.join(" and "))
        }
        Claimed::Property { property, holds: true } => format!("property {} holds", property.name()),
        Claimed::Property { property, holds: false } => format!("property {} does not hold", property.name()),
    }
}

fn bound(bound: Bound) -> String {
    match bound {
        Bound::Is(limit) => exact(limit),
        Bound::Above(limit) => format!("above {}", exact(limit)),
        Bound::Below(limit) => format!("below {}", exact(limit)),
        Bound::AtLeast(limit) => format!("at least {}", exact(limit)),
        Bound::AtMost(limit) => format!("at most {}", exact(limit)),
        Bound::Absent => "none".to_owned(),
    }
}

/// What came instead: `starvation is 51m, not below 40m`.
pub fn miss(miss: &Miss<'_>) -> String {
    let name = match miss.claim {
        Claimed::Outcome(_) => "outcome",
        Claimed::Measure(measure, _) => measure.name,
        Claimed::Property { property, .. } => property.name(),
    };
    let expected = claim(miss.claim);
    let expected = expected.strip_prefix(&format!("{name} ")).unwrap_or(&expected);
    match miss.claim {
        Claimed::Property { .. } => format!("{name} is {}", came(miss.came)),
        _ => format!("{name} is {}, not {expected}", came(miss.came)),
    }
}

/// What came, by itself.
pub fn came(came: Came) -> String {
    match came {
        Came::Outcome(outcome) => outcome.name().to_owned(),
        Came::Reading(Some(reading)) => exact(reading),
        Came::Reading(None) => "none".to_owned(),
        Came::Proved => "proved".to_owned(),
        Came::Refuted(steps) => format!("refuted in {steps} steps"),
        Came::Undecided(hit) => format!("undecided: {}", limit(hit)),
    }
}

/// To the last digit: a rounded value could seem to be within its bound.
fn exact(reading: Reading) -> String {
    match reading {
        Reading::Count(count) => count.to_string(),
        Reading::Span(span) => span.to_string(),
        Reading::Share(share) => share.to_string(),
    }
}
