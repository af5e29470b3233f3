//! The first driver: a clock, an event queue, keyed chance; one run, and many in parallel.

mod arrivals;
pub mod chance;
mod engine;
mod play;
pub mod queue;
mod runs;
mod simulator;

pub use engine::Ties;
pub use play::{Given, Unplayable};
pub use runs::{Batch, Round, Seeds};
pub use simulator::{Limits, Overrun, Simulator};
