//! What is wrong with a text.

/// Arrays and objects nested deeper than this are [`JsonErrorKind::TooDeep`].
pub const MAX_DEPTH: usize = 512;

/// What is wrong with a JSON text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct JsonError {
    /// Offset in the input.
    pub offset: usize,
    /// What is wrong there.
    pub kind: JsonErrorKind,
}

/// What can be wrong with a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    /// Invalid UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// More than [`MAX_DEPTH`] nested arrays and objects.
    #[error("nested too deep")]
    TooDeep,
    /// A byte order mark.
    #[error("a byte order mark")]
    ByteOrderMark,
    /// A byte below 0x20 in a string that is not escaped.
    #[error("raw control character 0x{0:02x} in a string")]
    ControlCharacter(u8),
    /// A backslash before a character that cannot be escaped.
    #[error("invalid escape in a string")]
    Escape,
    /// A number with a leading zero, or without a required digit.
    #[error("malformed number")]
    Number,
    /// The text ends inside a value, or contains none.
    #[error("unexpected end")]
    UnexpectedEnd,
    /// A comma before a closing bracket.
    #[error("trailing comma")]
    TrailingComma,
    /// A byte that does not fit, and what is expected instead.
    #[error("expected {0}")]
    Expected(&'static str),
    /// Something after the value.
    #[error("more text after the value")]
    TrailingText,
}
