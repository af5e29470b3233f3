//! A row a policy: its name and figures on one line, and beneath them what is drawn on an axis that all rows share.

use super::{Subject, WIDTH};
use crate::report::picture::{Axis, Canvas, Corner, Picture};

/// From the left and the right edge to the axis.
const MARGIN: f64 = 8.0;
/// The height of a row.
const ROW: f64 = 36.0;
/// Below the top of a row: where its words stand,
const WORDS: f64 = 14.0;
/// and the middle of what is drawn.
const MIDDLE: f64 = 25.0;
/// The size of the figures' letters.
const FIGURES: f64 = 11.0;
/// The size of the names' letters.
const NAME: f64 = 12.0;
/// Room for the axis beneath the rows.
const FOOT: f64 = 34.0;

/// Where the axis of rows begins and ends.
pub(super) const ACROSS: (f64, f64) = (MARGIN, WIDTH - MARGIN - 8.0);

/// Draws on the axis, around a height.
type Draw<'a> = Box<dyn Fn(&mut Canvas, f64) + 'a>;

/// What stands in a row.
pub(super) struct Row<'a> {
    /// What is told beside the name.
    pub figures: String,
    /// What is drawn.
    pub draw: Draw<'a>,
}

impl Subject<'_> {
    /// A picture of a row a policy.
    pub(super) fn rows<'a>(
        &self,
        (title, about): (&str, String),
        axis: (&Axis, &str),
        row: impl Fn(usize) -> Row<'a>,
    ) -> Picture {
        let mut drawn = Canvas::default();
        let bottom = ROW * self.policies.len() as f64;
        for at in (0..self.policies.len()).step_by(2) {
            drawn.rect("row", (0.0, ROW * at as f64), (WIDTH, ROW));
        }
        for (x, _) in axis.0.ticks() {
            drawn.line("grid", (x, 0.0), (x, bottom));
        }
        for (at, name) in self.policies.iter().enumerate() {
            let top = ROW * at as f64;
            let Row { figures, draw } = row(at);
            let room = WIDTH - 2.0 * MARGIN - Canvas::width_of(&figures, FIGURES) - 8.0;
            drawn.text("t", Corner::Left, MARGIN, top + WORDS, &shortened(name, room, NAME));
            drawn.text("t s dim", Corner::Right, WIDTH - MARGIN, top + WORDS, &figures);
            draw(&mut drawn, top + MIDDLE);
        }
        foot(&mut drawn, axis, bottom);
        Picture { width: WIDTH, height: bottom + FOOT, title: title.to_owned(), about, drawn }
    }
}

/// Ticks and unit under an axis.
fn foot(drawn: &mut Canvas, (axis, unit): (&Axis, &str), bottom: f64) {
    drawn.line("axis", (ACROSS.0, bottom), (ACROSS.1, bottom));
    for (x, label) in axis.ticks() {
        drawn.line("axis", (x, bottom), (x, bottom + 4.0));
        let half = Canvas::width_of(&label, FIGURES) / 2.0;
        drawn.text("t s dim", Corner::Middle, x.clamp(half, WIDTH - half), bottom + 15.0, &label);
    }
    drawn.text("t s dim", Corner::Right, WIDTH - MARGIN, bottom + 29.0, unit);
}

/// As much of a name as there is room for.
pub(super) fn shortened(name: &str, room: f64, size: f64) -> String {
    if Canvas::width_of(name, size) <= room {
        return name.to_owned();
    }
    let letters = (room / Canvas::width_of("n", size)).floor().max(2.0) as usize - 1;
    name.chars().take(letters).chain(['…']).collect()
}
