//! What moves: a choreographer that puts questions to oracles, exactly as `docs/model.md` says.
//!
//! Pure: no clock, no dice, no I/O, no text. [`World::apply`] is the only way that anything changes; a [`Driver`] says
//! when, rolls the dice, and hears every [`Fact`].

mod axis;
mod befall;
mod bytes;
mod controller;
mod event;
mod fact;
mod memory;
mod object;
mod pass;
mod pending;
mod plan;
pub mod policy;
mod repeats;
pub mod setting;
mod time;
mod value;
mod version;
mod visit;
mod world;

pub use axis::Axis;
pub use bytes::{Merging, Notes, Scratch};
pub use event::{Draw, Driver, Event, Purpose, Stretch};
pub use fact::{Answer, Claim, Fact, FieldSet, Named, Question, Why};
pub use object::{ObjectId, Role};
pub use plan::Plan;
pub use policy::{Policy, Ready};
pub use setting::{FieldId, Oracle, OracleId, Probability, Setting};
pub use time::{Length, SECOND, Span, Time};
pub use value::{Content, Faults, Generation, Layout, Lineage, Making, OracleSet, Origin, UpdateNumber, WorldVersion};
pub use version::MODEL_VERSION;
pub use world::World;
