//! Aliases that cannot be followed.

/// Why an alias cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfollowed {
    /// Its module is not here.
    #[error("an alias of another module, which is not here")]
    Elsewhere,
    /// It contains itself.
    #[error("an alias that contains itself, which is not supported")]
    Recursive,
    /// It stands for a type of too many parts.
    #[error("an alias of too many parts")]
    TooLarge,
    /// Puppet refuses its file.
    #[error("an alias whose file is at fault: {0}")]
    Broken(String),
}
