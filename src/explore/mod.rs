//! The second driver: no clock and no dice. Every pending event may be the next, every draw falls both ways, a timer may go
//! off and a cache may follow at any time (contract §9). What it proves holds for every duration.
//!
//! A state is a world, what may happen next, and what may still befall it; [`check`] looks at all that can be reached, and a
//! [`Walk`] goes one way.

mod befall;
mod fair;
mod graph;
mod live;
mod progress;
mod property;
mod search;
mod state;
mod step;
mod tally;
mod walk;

pub use befall::{Bounds, Updates};
pub use property::{Decided, Property, Refutation, Verdict};
pub use search::{Limit, Limits, Options, Report, Seen, check};
pub use step::Step;
pub use walk::Walk;
