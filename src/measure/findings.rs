//! What paired differences show, when many are looked at together.

use super::comparison::Comparison;
use super::measures::{Better, MEASURES, Measure};
use super::statistics::Moments;

/// What a paired difference shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A difference is shown, on the good side.
    Better,
    /// The same, on the bad side.
    Worse,
    /// More, of what is neither good nor bad.
    More,
    /// Less, of what is neither good nor bad.
    Less,
    /// Chance alone may have made it.
    NotShown,
}

/// The chance that a finding is taken on, where there is none.
pub const RISK: f64 = 0.05;

/// The measures that decide between policies: they are looked at together, and corrected together.
pub const DECISIVE: &[&str] =
    &["misattributed", "latency.mean", "latency.p50", "latency.p95", "starvation", "censored", "wasted", "coverage"];

impl Finding {
    /// The plain word.
    pub fn word(self) -> &'static str {
        match self {
            Finding::Better => "better",
            Finding::Worse => "worse",
            Finding::More => "more",
            Finding::Less => "less",
            Finding::NotShown => "no difference shown",
        }
    }

    /// What `difference` of a measure shows, if by chance alone one as large comes with probability `p`.
    fn of(measure: &Measure, difference: &Moments, p: Option<f64>) -> Finding {
        if p.is_none_or(|p| p >= RISK) {
            return Finding::NotShown;
        }
        match (measure.better, difference.mean > 0.0) {
            (Better::Lower, true) | (Better::Higher, false) => Finding::Worse,
            (Better::Lower, false) | (Better::Higher, true) => Finding::Better,
            (Better::Neither, true) => Finding::More,
            (Better::Neither, false) => Finding::Less,
        }
    }

    /// What several differences of one measure show, looked at together.
    pub fn together<'m>(measure: &Measure, differences: impl Iterator<Item = &'m Moments> + Clone) -> Vec<Finding> {
        let chances: Vec<Option<f64>> = differences.clone().map(Moments::chance).collect();
        let corrected = holm(&chances);
        differences.zip(corrected).map(|(difference, p)| Finding::of(measure, difference, p)).collect()
    }
}

/// What each policy's differences to the first policy show: a row a policy but the first, one for each of [`MEASURES`].
///
/// The [`DECISIVE`] measures of all policies are one family, the other measures another; in each, the chance that even one
/// finding is due to chance is at most [`RISK`].
pub fn findings(comparison: &Comparison) -> Vec<Vec<Finding>> {
    let rows = || comparison.tallies().iter().skip(1);
    let mut found: Vec<Vec<Finding>> = rows().map(|_| vec![Finding::NotShown; MEASURES.len()]).collect();
    for decisive in [true, false] {
        let family = || MEASURES.iter().enumerate().filter(|(_, measure)| DECISIVE.contains(&measure.name) == decisive);
        let chances: Vec<Option<f64>> =
            rows().flat_map(|tally| family().map(|(_, measure)| tally.against_first(measure).chance())).collect();
        let mut corrected = holm(&chances).into_iter();
        for (row, tally) in found.iter_mut().zip(rows()) {
            for (at, measure) in family() {
                row[at] = Finding::of(measure, tally.against_first(measure), corrected.next().flatten());
            }
        }
    }
    found
}

/// Chances corrected for being looked at together (Holm 1979): the least is taken times how many there are, the next times
/// one less, and none is less than the one before it. What has no chance is not counted.
fn holm(chances: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> = chances.iter().enumerate().filter_map(|(at, &p)| Some((at, p?))).collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut corrected = vec![None; chances.len()];
    let mut least = 0.0_f64;
    for (rank, &(at, p)) in order.iter().enumerate() {
        least = least.max((p * (order.len() - rank) as f64).min(1.0));
        corrected[at] = Some(least);
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::super::statistics::draws::Uniform;
    use super::*;

    fn difference(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|&value| moments.push(value));
        moments
    }

    #[test]
    fn a_difference_is_named_by_what_is_better() {
        let finding =
            |name, values: &[f64]| Finding::together(Measure::named(name).unwrap(), [difference(values)].iter())[0];
        assert_eq!(finding("starvation", &[1.0, 1.1, 0.9]), Finding::Worse);
        assert_eq!(finding("starvation", &[-1.0, -1.1, -0.9]), Finding::Better);
        assert_eq!(finding("coverage", &[0.5, 0.5, 0.5]), Finding::Better);
        assert_eq!(finding("passes", &[3.0, 4.0, 3.0]), Finding::More);
        assert_eq!(finding("starvation", &[-1.0, 1.0, 0.5]), Finding::NotShown);
        assert_eq!(finding("starvation", &[0.0, 0.0]), Finding::NotShown);
        assert_eq!(finding("starvation", &[5.0]), Finding::NotShown);
    }

    #[test]
    fn holm_is_as_published() {
        // Holm's steps by hand: 0.01·4, 0.02·3, 0.03·2 = 0.06, then 0.5.
        let corrected = holm(&[Some(0.5), Some(0.01), None, Some(0.03), Some(0.02)]);
        let expected = [Some(0.5), Some(0.04), None, Some(0.06), Some(0.06)];
        for (one, other) in corrected.iter().zip(expected) {
            assert!(one.unwrap_or(-1.0) - other.unwrap_or(-1.0) < 1e-12, "{corrected:?}");
        }
    }

    /// Of twenty differences of which none is real, some one is found in no more than 5 of 100 tries; uncorrected, in 64.
    #[test]
    fn together_they_err_no_more_often_than_one() {
        let mut uniform = Uniform::new(11);
        let measure = Measure::named("starvation").unwrap();
        let tries = 2_000;
        let (mut erred, mut uncorrected) = (0, 0);
        for _ in 0..tries {
            let all: Vec<Moments> = (0..20)
                .map(|_| {
                    difference(&(0..20).map(|_| (0..12).map(|_| uniform.next() - 0.5).sum()).collect::<Vec<f64>>())
                })
                .collect();
            let found = Finding::together(measure, all.iter());
            erred += usize::from(found.iter().any(|&finding| finding != Finding::NotShown));
            uncorrected += usize::from(all.iter().any(|one| one.chance().is_some_and(|p| p < RISK)));
        }
        // Three standard errors of 5% over two thousand tries.
        assert!(erred <= 129, "{erred} of {tries}");
        assert!(uncorrected > 1_000, "{uncorrected} of {tries}: the test has no power");
    }
}
