//! What scenarios came to before, and what has changed since.

mod blessed;
mod change;
mod judge;
mod text;
mod trail;

pub use blessed::{Blessed, GUARDED, PolicyResult, Row, Verdict, results};
pub use change::{Change, Kind, Parting, changes};
pub use judge::{Judged, Status, judge, needs_another_version};
pub use text::{Unreadable, read, write};
pub use trail::{LENGTH, Trail, told_at};
