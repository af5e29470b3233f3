//! The axes of a policy (contract §5): one table that reads them, prints them and explains them.

use crate::model::policy::Fixed;
use crate::model::policy::{
    Acknowledgement, Intake, Lifecycle, Memory, Missing, OnFailure, Order, Pending, Read, Trace, Write,
};
use crate::model::{Axis, Policy, Span};
use crate::scenario::document::Value;
use crate::scenario::failure::{self, Mistake};

/// What may stand on an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// One of these names, each with its meaning; the first is the default.
    Named(Vec<(&'static str, &'static str)>),
    /// A duration, or `"none"`, which is the default.
    Duration,
    /// `true` or `false`; `true` is the default.
    Flag,
}

/// One axis.
#[derive(Clone, Copy)]
pub struct PolicyAxis {
    /// Its key in scenario files.
    pub name: &'static str,
    /// What it decides.
    pub meaning: &'static str,
    /// What may stand on it.
    pub values: fn() -> Values,
    /// A policy's value on it, as TOML.
    pub show: fn(&Policy) -> String,
    /// Reads a value into a policy.
    pub(crate) read: fn(&Value<'_>, &mut Policy) -> failure::Read<()>,
    /// Reads a value that an oracle fixes.
    pub(crate) fix: fn(&Value<'_>, &mut Fixed) -> failure::Read<()>,
}

impl PolicyAxis {
    /// The axis of this name.
    pub fn named(name: &str) -> Option<&'static PolicyAxis> {
        AXES.iter().find(|axis| axis.name == name)
    }

    /// The default value, as TOML.
    pub fn default(&self) -> String {
        (self.show)(&Policy::default())
    }
}

/// How a kind of value is offered, printed and read.
trait OnAxis: Sized {
    fn values() -> Values;
    fn show(&self) -> String;
    fn read(value: &Value<'_>) -> failure::Read<Self>;
}

impl<T: Axis> OnAxis for T {
    fn values() -> Values {
        Values::Named(T::ALL.iter().map(|value| (value.name(), value.meaning())).collect())
    }
    fn show(&self) -> String {
        format!("\"{}\"", self.name())
    }
    fn read(value: &Value<'_>) -> failure::Read<Self> {
        value.axis()
    }
}

macro_rules! axes {
    ($($name:ident: $type:ty = $meaning:literal),+ $(,)?) => {
        /// Every axis, in the order of the contract.
        pub const AXES: &[PolicyAxis] = &[$(PolicyAxis {
            name: stringify!($name),
            meaning: $meaning,
            values: <$type as OnAxis>::values,
            show: |policy| OnAxis::show(&policy.$name),
            read: |value, policy| {
                policy.$name = OnAxis::read(value)?;
                Ok(())
            },
            fix: |value, fixed| {
                fixed.$name = Some(OnAxis::read(value)?);
                Ok(())
            },
        }),+];
    };
}

axes! {
    read: Read = "when an output may be read",
    write: Write = "when a new spec may be written",
    order: Order = "what a visit does first",
    acknowledgement: Acknowledgement = "whether a rule other than `always` also wants the latest question acknowledged",
    pending: Pending = "what is written when a held write is permitted",
    timeout: Option<Span> = "how long a write may be held before it is permitted anyway",
    grace: Option<Span> = "how long after asking nothing is read",
    memory: Memory = "what is remembered of an output",
    trace: Trace = "which question an answer is claimed for",
    on_failure: OnFailure = "what is done about a question that failed",
    missing: Missing = "what a pass does at an oracle whose inputs are missing",
    intake: Intake = "which of the workload's values a pass goes by",
    lifecycle: Lifecycle = "whether an object is asked again or a new one created",
    reverts: bool = "whether a spec that somebody else wrote is reverted at sight",
}

impl OnAxis for bool {
    fn values() -> Values {
        Values::Flag
    }
    fn show(&self) -> String {
        self.to_string()
    }
    fn read(value: &Value<'_>) -> failure::Read<Self> {
        value.flag()
    }
}

impl OnAxis for Option<Span> {
    fn values() -> Values {
        Values::Duration
    }
    fn show(&self) -> String {
        self.map_or("\"none\"".into(), |span| format!("\"{span}\""))
    }
    fn read(value: &Value<'_>) -> failure::Read<Self> {
        if value.as_text() == Some("none") {
            return Ok(None);
        }
        match value.span()? {
            Span::ZERO => Err(Mistake::at(value.place(), format!("`{}` cannot be zero", value.key()))
                .help(format!("write a longer duration, or `{} = \"none\"`", value.key()))),
            span => Ok(Some(span)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_stands_in_the_table_with_its_default() {
        let shown: Vec<_> = AXES.iter().map(|axis| format!("{} = {}", axis.name, axis.default())).collect();
        let expected = [
            r#"read = "always""#,
            r#"write = "always""#,
            r#"order = "write-first""#,
            r#"acknowledgement = "if-reported""#,
            r#"pending = "latest""#,
            r#"timeout = "none""#,
            r#"grace = "none""#,
            r#"memory = "none""#,
            r#"trace = "latest""#,
            r#"on_failure = "wait""#,
            r#"missing = "skip""#,
            r#"intake = "always""#,
            r#"lifecycle = "mutable""#,
            r#"reverts = true"#,
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_default_of_a_named_axis_is_its_first_value() {
        for axis in AXES {
            if let Values::Named(names) = (axis.values)() {
                assert_eq!(axis.default(), format!("\"{}\"", names[0].0), "{}", axis.name);
            }
        }
    }
}
