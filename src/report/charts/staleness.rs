//! How stale what is delivered is in the course of the runs.

use super::small::{Frame, bottom_and_top};
use super::{Chart, Subject};
use crate::measure::Band;
use crate::model::Span;
use crate::report::picture::{Axis, Unit, of_policy};

impl Subject<'_> {
    pub(super) fn staleness(&self) -> Chart {
        let bands: Vec<Vec<Band>> = (0..self.policies.len()).map(|at| self.samples.bands(at)).collect();
        let highest = |bands: &Vec<Band>| bands.iter().map(|band| band.high.as_seconds()).fold(0.0, f64::max);
        let peaks: Vec<f64> = bands.iter().map(highest).collect();
        let horizon = self.horizon.as_seconds();
        let axes = |frame: Frame| {
            let across = Axis::even(Unit::Seconds, (0.0, horizon), frame.across);
            (across, Axis::fit(peaks.iter().flat_map(|&peak| [peak, peak / 10.0]), frame.up))
        };
        let about =
            "For each policy, how long the oldest update that matters has waited, in the course of a run: the range \
                     of eight runs in ten, and the median."
                .to_owned();
        let picture = self.small(("Staleness over time", about), axes, bottom_and_top, |drawn, at, (across, up)| {
            let instants = bands[at].len().max(1) as f64;
            let line = |value: fn(&Band) -> Span| {
                let point = move |(number, band): (usize, &Band)| {
                    (across.at(horizon * (number + 1) as f64 / instants), up.at(value(band).as_seconds()))
                };
                bands[at].iter().enumerate().map(point).collect::<Vec<_>>()
            };
            let mut around = line(|band| band.high);
            around.extend(line(|band| band.low).into_iter().rev());
            let colour = of_policy(at);
            drawn.polyline(&format!("f{colour} pale"), around);
            drawn.polyline(&format!("line l{colour}"), line(|band| band.middle));
        });
        let runs = self.samples.of(0).len();
        let legend = format!(
            "How long the oldest update that matters has waited, at each time of a run: the line is the median of the first \
             {runs} runs, the band leaves out the lowest and the highest tenth of them. It climbs where a policy starves or \
             deadlocks."
        );
        Chart { name: "staleness", legend, picture }
    }
}
