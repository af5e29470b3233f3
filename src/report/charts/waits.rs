//! How long updates wait, those that are not delivered among them: the curves of Kaplan and Meier.

use super::small::bottom_and_top;
use super::{Chart, Subject};
use crate::report::picture::{Axis, Unit, of_policy};

impl Subject<'_> {
    pub(super) fn waits(&self) -> Chart {
        let curves: Vec<_> = self.comparison.tallies().iter().map(|tally| tally.waits().survival()).collect();
        // A curve that never falls is a wait that never ends: it is drawn to the right edge.
        let ends = || curves.iter().flatten().map(|&(seconds, _)| seconds);
        let last = ends().fold(0.0, f64::max);
        let last = if last > 0.0 { last } else { self.horizon.as_seconds() };
        let curve = |at: usize, (across, up): (Axis, Axis)| {
            let mut points = Vec::new();
            let mut share = 1.0;
            for &(seconds, next) in &curves[at] {
                points.push((across.at(seconds), up.at(share * 100.0)));
                points.push((across.at(seconds), up.at(next * 100.0)));
                share = next;
            }
            points.push((across.at(last), up.at(share * 100.0)));
            thinned(points)
        };
        let about = "For each policy, the share of updates still waiting for their delivery after a time.".to_owned();
        let axes = |frame: super::small::Frame| {
            let across = Axis::fit(ends().chain([last]), frame.across);
            (across, Axis::even(Unit::Steps, (0.0, 100.0), frame.up))
        };
        let upright =
            |up: &Axis| bottom_and_top(up).into_iter().map(|(y, label)| (y, format!("{label}%"))).collect::<Vec<_>>();
        let picture = self.small(("Still waiting", about), axes, upright, |drawn, at, axes| {
            for other in (0..self.policies.len()).filter(|&other| other != at) {
                drawn.polyline("axis faint", curve(other, axes));
            }
            drawn.polyline(&format!("line l{}", of_policy(at)), curve(at, axes));
        });
        let legend = "The share of updates that still wait after a time, by Kaplan and Meier: updates that the end of the \
                      run cut off count for as long as they were seen. Grey: the other policies.";
        Chart { name: "waits", legend: legend.to_owned(), picture }
    }
}

/// Without the points that lie within half a pixel of the one before: nobody sees them.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let last = points.last().copied();
    for point in points {
        let near = |other: &(f64, f64)| (point.0 - other.0).abs() < 0.5 && (point.1 - other.1).abs() < 0.5;
        if kept.last().is_none_or(|other| !near(other)) {
            kept.push(point);
        }
    }
    kept.extend(last);
    kept
}
