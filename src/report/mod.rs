//! Results out: timelines, traces, tables, JSON, CSV. Nothing is computed here; everything is said.

pub mod charts;
pub mod checked;
mod closing;
pub mod comparison;
pub mod counterexample;
mod durations;
pub mod expectations;
mod figures;
pub mod lanes;
pub mod map;
mod names;
pub mod page;
pub mod picture;
pub mod regression;
mod run;
mod story;
mod table;
mod timeline;
mod trace;
mod verdict;

pub use closing::Closing;
pub use durations::{Clock, Short};
pub use names::Names;
pub use run::RunReport;
pub use story::{Detail, Sentence, Story, Tone};
pub use table::{Form, Table, in_lines};
pub use timeline::{Moment, Timeline};
pub use trace::Trace;
pub use verdict::{Verdict, verdict};
