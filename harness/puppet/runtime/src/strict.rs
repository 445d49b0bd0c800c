//! What happens if a provider breaks its type's definition.

/// Puppet's setting `strict`: what happens if a provider breaks its type's definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strict {
    /// Nothing, or a debug message.
    Off,
    /// A warning.
    #[default]
    Warning,
    /// An error.
    Error,
}

impl Strict {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Off, Self::Warning, Self::Error];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
