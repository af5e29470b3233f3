//! **Rehearsal**: a discrete-event simulator of supply chain choreography in Kubernetes.
//!
//! A pure [`model`] in the middle; drivers move it; observers watch it; faces around it read scenarios in and print
//! results out.

pub mod catalogue;
pub mod cli;
pub mod explore;
pub mod kubernetes;
pub mod measure;
pub mod model;
pub mod reduction;
pub mod regression;
pub mod report;
pub mod scenario;
pub mod schedule;
pub mod simulate;
pub mod validation;
