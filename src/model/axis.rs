//! A setting with a few named values. One declaration gives the type, its spelling in TOML, its place in help texts
//! and tables, and its meaning in a sentence.

/// What every named setting offers.
pub trait Axis: Copy + PartialEq + Sized + 'static {
    /// Every value, in the order of the contract; the first is the default.
    const ALL: &'static [Self];
    /// The value's spelling in scenario files.
    fn name(self) -> &'static str;
    /// What the value means, in a sentence.
    fn meaning(self) -> &'static str;
    /// The value with this spelling.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name)
    }
}

macro_rules! axis {
    ($(#[$doc:meta])* $name:ident { $($value:ident = $text:literal : $meaning:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = $meaning] $value),+ }

        impl $crate::model::Axis for $name {
            const ALL: &'static [Self] = &[$($name::$value),+];
            fn name(self) -> &'static str {
                match self { $($name::$value => $text),+ }
            }
            fn meaning(self) -> &'static str {
                match self { $($name::$value => $meaning),+ }
            }
        }

        impl Default for $name {
            fn default() -> Self { <Self as $crate::model::Axis>::ALL[0] }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::model::Axis::name(*self))
            }
        }
    };
}
pub(crate) use axis;
