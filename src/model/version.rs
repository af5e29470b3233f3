//! Which model this is.

/// The model's version: raised by every change of a rule, of a measure or of a draw that changes what some run comes to, so
/// that results of different models are never taken for each other.
///
/// `tests/digests.rs` holds whoever changes the model to it.
pub const MODEL_VERSION: u32 = 1;
