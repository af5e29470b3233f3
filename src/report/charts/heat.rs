//! Heat maps over the values that were varied: every cell with its number, coloured as well.

use crate::report::map::{Map, Shows};
use crate::report::picture::{Canvas, Corner, Picture, of_policy};

/// A cell's size: room for five letters.
const CELL: (f64, f64) = (42.0, 22.0);
/// Room for the rows' values at the left.
const LEFT: f64 = 56.0;
/// Room for a title above,
const ABOVE: f64 = 20.0;
/// and for the columns' values and their name below.
const BELOW: f64 = 36.0;
/// Degrees of heat.
const DEGREES: usize = 7;
/// Pictures beside each other on a sheet.
const COLUMNS: usize = 3;

impl Map {
    /// Where which policy is the best: its number among the policies, from 1.
    pub fn winners(&self) -> Picture {
        self.cells_as(
            "The best policy".to_owned(),
            "Each cell bears the number of the policy that is best there.".to_owned(),
            |canvas, cell, at| match self.best(cell) {
                Some(policy) => {
                    canvas.rect(&format!("u{}", of_policy(policy)), at, (CELL.0 - 1.0, CELL.1 - 1.0));
                    (format!("{}: {} is the best", self.place(cell), self.policies[policy]), (policy + 1).to_string())
                }
                None => (format!("{}: no policy serves", self.place(cell)), "–".to_owned()),
            },
        )
    }

    /// What each cell shows of a policy.
    pub fn heat(&self, shows: Shows, policy: usize) -> Picture {
        let (low, high) = self.range(shows);
        let degree = |value: f64| match high > low {
            true if low > 0.0 && high > low * 20.0 => libm::log(value / low) / libm::log(high / low),
            true => (value - low) / (high - low),
            false => 0.0,
        };
        let about = format!("{} under {}, by cell.", shows.name(), self.policies[policy]);
        self.cells_as(self.policies[policy].clone(), about, |canvas, cell, at| {
            let Some(value) = self.value(cell, policy, shows) else {
                return (format!("{}: nothing is delivered", self.place(cell)), "–".to_owned());
            };
            let degree = (degree(value).clamp(0.0, 1.0) * (DEGREES - 1) as f64).round() as usize;
            canvas.rect(&format!("heat h{degree}"), at, (CELL.0 - 1.0, CELL.1 - 1.0));
            let told = shows.told(value);
            (format!("{}: {told}", self.place(cell)), told)
        })
    }

    /// The least and the largest value over all policies: one scale serves all.
    fn range(&self, shows: Shows) -> (f64, f64) {
        let cells = 0..self.cells.len();
        let all =
            cells.flat_map(|cell| (0..self.policies.len()).filter_map(move |policy| self.value(cell, policy, shows)));
        all.fold((f64::INFINITY, 0.0), |(low, high), value| (f64::min(low, value), f64::max(high, value)))
    }

    fn cells_as(
        &self,
        title: String,
        about: String,
        draw: impl Fn(&mut Canvas, usize, (f64, f64)) -> (String, String),
    ) -> Picture {
        let (columns, rows) = self.size();
        let mut drawn = Canvas::default();
        drawn.text("t b", Corner::Left, 0.0, 13.0, &title);
        let bottom = ABOVE + CELL.1 * rows as f64;
        for cell in 0..self.cells.len() {
            let (column, row) = (cell % columns, cell / columns);
            // The rows go up, as an axis does.
            let at = (LEFT + CELL.0 * column as f64, bottom - CELL.1 * (row + 1) as f64);
            let mut shape = Canvas::default();
            let (told, words) = draw(&mut shape, cell, at);
            shape.text("t s", Corner::Middle, at.0 + CELL.0 / 2.0, at.1 + 15.0, &words);
            drawn.told(&told, |canvas| canvas.append(&shape));
        }
        for (column, value) in self.varied[0].values.iter().enumerate() {
            let x = LEFT + CELL.0 * (column as f64 + 0.5);
            drawn.text("t s dim", Corner::Middle, x, bottom + 13.0, &fitting(value, CELL.0));
        }
        if let Some(varied) = self.varied.get(1) {
            for (row, value) in varied.values.iter().enumerate() {
                let y = bottom - CELL.1 * (row as f64 + 0.5) + 4.0;
                drawn.text("t s dim", Corner::Right, LEFT - 5.0, y, &fitting(value, LEFT - 5.0));
            }
        }
        let width = (LEFT + CELL.0 * columns as f64).max(300.0);
        drawn.text("t s dim", Corner::Left, 0.0, bottom + 29.0, &self.axes());
        Picture { width, height: bottom + BELOW, title, about, drawn }
    }

    /// What the axes are.
    fn axes(&self) -> String {
        match self.varied.as_slice() {
            [across, up, ..] => format!("→ {}   ↑ {}", across.path, up.path),
            [across] => format!("→ {}", across.path),
            [] => String::new(),
        }
    }

    /// One picture of all policies' maps.
    pub fn sheet(&self, shows: Shows) -> Picture {
        let all: Vec<Picture> = (0..self.policies.len()).map(|policy| self.heat(shows, policy)).collect();
        let (width, height) = (all[0].width + 20.0, all[0].height + 12.0);
        let mut drawn = Canvas::default();
        for (at, picture) in all.iter().enumerate() {
            drawn.moved((width * (at % COLUMNS) as f64, height * (at / COLUMNS) as f64), &picture.drawn);
        }
        Picture {
            width: width * COLUMNS.min(all.len()) as f64,
            height: height * all.len().div_ceil(COLUMNS) as f64,
            title: format!("{}: {}", shows.name(), shows.meaning()),
            about: "A map for each policy.".to_owned(),
            drawn,
        }
    }
}

/// A value as far as there is room.
fn fitting(value: &str, room: f64) -> String {
    super::rows::shortened(value, room + 6.0, 11.0)
}
