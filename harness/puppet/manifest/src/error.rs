//! Errors with their places.

/// What is wrong with a manifest or a catalog, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct Error {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The character on the line, from 1.
    pub column: u32,
    /// What is wrong, in Puppet's words if Puppet would refuse it as well. Puppet puts
    /// `Evaluation Error: ` before some messages, and the name of the node behind them; they are not
    /// part of it.
    pub message: String,
    /// Whether it is wrong, or only beyond this crate.
    pub kind: Kind,
}

/// Kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The text does not follow the grammar, or a check before the evaluation refuses it.
    Syntax,
    /// The text is well formed, but it means nothing that Puppet accepts.
    Evaluation,
    /// Puppet would accept it; this crate does not know it.
    Unsupported,
}

/// Errors are large, and rare.
pub(crate) type Result<T> = std::result::Result<T, Box<Error>>;

/// The sentence about a part of the language that is not supported, such as `function 'include'`.
pub(crate) fn unsupported(part: &str) -> String {
    format!(
        "the supported part of the language has no {part}: compile the catalog with Puppet and give Stickler the JSON"
    )
}
