//! A small picture a policy, beside each other on the same axes.

use super::rows::shortened;
use super::{Subject, WIDTH};
use crate::report::picture::{Axis, Canvas, Corner, Picture};

/// Small pictures in a row.
const COLUMNS: usize = 2;
const GAP: f64 = 14.0;
const CELL: f64 = (WIDTH - GAP * (COLUMNS as f64 - 1.0)) / COLUMNS as f64;
/// The height of what is drawn in one.
const HEIGHT: f64 = 62.0;
/// Room for the name above it, and for the ticks below it.
const ABOVE: f64 = 18.0;
const BELOW: f64 = 22.0;
/// Room for the numbers at the left.
const LEFT: f64 = 40.0;

/// A small picture's frame: where its axes lie.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub across: (f64, f64),
    /// From the bottom to the top.
    pub up: (f64, f64),
}

impl Subject<'_> {
    /// A small picture a policy. `axes` are made for the first and serve all; the second, upright one has few ticks.
    pub(super) fn small(
        &self,
        (title, about): (&str, String),
        axes: impl Fn(Frame) -> (Axis, Axis),
        upright: impl Fn(&Axis) -> Vec<(f64, String)>,
        draw: impl Fn(&mut Canvas, usize, (Axis, Axis)),
    ) -> Picture {
        let mut drawn = Canvas::default();
        let tall = ABOVE + HEIGHT + BELOW;
        for (at, name) in self.policies.iter().enumerate() {
            let (left, top) = ((CELL + GAP) * (at % COLUMNS) as f64, tall * (at / COLUMNS) as f64);
            let frame = Frame { across: (left + LEFT, left + CELL - 4.0), up: (top + ABOVE + HEIGHT, top + ABOVE) };
            let (across, up) = axes(frame);
            drawn.text("t s", Corner::Left, left, top + 12.0, &shortened(name, CELL, 11.0));
            for (y, label) in upright(&up) {
                drawn.line("grid", (frame.across.0, y), (frame.across.1, y));
                drawn.text("t s dim", Corner::Right, frame.across.0 - 4.0, y + 4.0, &label);
            }
            for (x, label) in ends(across.ticks()) {
                drawn.line("axis", (x, frame.up.0), (x, frame.up.0 + 3.0));
                let half = Canvas::width_of(&label, 11.0) / 2.0;
                drawn.text("t s dim", Corner::Middle, x.min(left + CELL - half), frame.up.0 + 15.0, &label);
            }
            drawn.line("axis", (frame.across.0, frame.up.0), (frame.across.1, frame.up.0));
            draw(&mut drawn, at, (across, up));
        }
        let rows = self.policies.len().div_ceil(COLUMNS);
        let width = if self.policies.len() == 1 { CELL } else { WIDTH };
        Picture { width, height: tall * rows as f64, title: title.to_owned(), about, drawn }
    }
}

/// The first and the last tick, which suffice for a small picture.
fn ends(ticks: Vec<(f64, String)>) -> Vec<(f64, String)> {
    match ticks.as_slice() {
        [first, .., last] => vec![first.clone(), last.clone()],
        _ => ticks,
    }
}

/// The ends of an upright axis of durations: its bottom and its highest round value.
pub(super) fn bottom_and_top(axis: &Axis) -> Vec<(f64, String)> {
    ends(axis.ticks())
}
