//! What marks look like: told apart by shape first, by colour second.

use super::{Bar, Ended, MarkKind};
use crate::report::picture::{Canvas, Corner, Px, of_update};

/// The height of a bar.
pub(super) const BAR: f64 = 12.0;

/// The class number of an update's colour.
fn colour(update: Option<u32>) -> usize {
    update.map_or(7, of_update)
}

/// A bar from place to place; with its update's number, if there is room.
pub(super) fn bar(canvas: &mut Canvas, bar: &Bar, (from, to): (f64, f64), top: f64) {
    let width = (to - from).max(1.5);
    let colour = colour(bar.update);
    let middle = top + BAR / 2.0;
    let dashes = if bar.ended == Ended::Hangs { " dash2" } else { "" };
    canvas.rect(&format!("u{colour}{dashes}"), (from, top), (width, BAR));
    let right = from + width;
    match bar.ended {
        Ended::Well => canvas.rect(&format!("f{colour}"), (right - 3.0_f64.min(width), top), (3.0_f64.min(width), BAR)),
        // A cross at the end.
        Ended::Failed => {
            let path = format!("M{0} {1}l6 6m0 -6l-6 6", Px(right - 3.0), Px(middle - 3.0));
            canvas.path("badline", &path);
        }
        // A stroke through the end.
        Ended::Dropped => canvas.line("inkline", (right - 4.0, top + BAR + 2.0), (right + 2.0, top - 2.0)),
        Ended::GoesOn | Ended::Hangs => {}
    }
    let number = bar.update.map(|update| update.to_string()).unwrap_or_default();
    if Canvas::width_of(&number, 11.0) + 8.0 < width {
        canvas.text("t s", Corner::Left, from + 3.0, middle + 4.0, &number);
    }
}

/// A mark whose middle is here.
pub(super) fn mark(canvas: &mut Canvas, kind: MarkKind, update: Option<u32>, (x, y): (f64, f64)) {
    let colour = colour(update);
    let filled = format!("f{colour}");
    let px = Px;
    match kind {
        // Points down: something comes in.
        MarkKind::Update { .. } | MarkKind::Write => {
            canvas.path(&filled, &format!("M{} {}h8l-4 7z", px(x - 4.0), px(y - 4.0)));
            if kind == (MarkKind::Update { valid: false }) {
                canvas.path("badline", &format!("M{} {}l6 6m0 -6l-6 6", px(x - 3.0), px(y - 4.0)));
            }
        }
        // Points up: something goes out.
        MarkKind::Read => canvas.path(&filled, &format!("M{} {}h8l-4 -7z", px(x - 4.0), px(y + 4.0))),
        MarkKind::FalseClaim => {
            canvas.circle("bad", (x, y), 6.5);
            canvas.path("line hollowline", &format!("M{} {}l6 6m0 -6l-6 6", px(x - 3.0), px(y - 3.0)));
        }
        MarkKind::Delivery => canvas.circle(&filled, (x, y), 5.0),
        MarkKind::World { good } => {
            let class = if good { "ink" } else { "bad" };
            canvas.path(class, &format!("M{} {}l5 5l-5 5l-5 -5z", px(x), px(y - 5.0)));
        }
        MarkKind::Harm => {
            canvas.path("heldfill", &format!("M{} {}l2 6h6l-5 4l2 6l-5 -4l-5 4l2 -6l-5 -4h6z", px(x), px(y - 8.0)));
        }
        MarkKind::Restart => canvas.path("inkline", &format!("M{} {}a4.5 4.5 0 1 1 -4 2.5", px(x), px(y - 4.5))),
    }
}
