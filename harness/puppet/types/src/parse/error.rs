//! Why a text is no type.

/// What an error is to Ruby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// `Puppet::ParseErrorWithIssue`: the text is no Puppet code.
    Syntax,
    /// `Puppet::ParseError`: the text is no type.
    NoType,
    /// `ArgumentError`: the parameters contradict each other.
    Argument,
    /// `RegexpError`: a regular expression does not compile.
    Regexp,
    /// `NoMethodError`: Puppet fails on the parameters without a message of its own.
    NoMethod,
    /// `TypeError`: a parameter of another class, likewise.
    Type,
    /// `Puppet::Pops::Types::TypeAssertionError`
    Assertion,
}

impl ErrorClass {
    /// The name of the class in Ruby.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax => "Puppet::ParseErrorWithIssue",
            Self::NoType => "Puppet::ParseError",
            Self::Argument => "ArgumentError",
            Self::Regexp => "RegexpError",
            Self::NoMethod => "NoMethodError",
            Self::Type => "TypeError",
            Self::Assertion => "Puppet::Pops::Types::TypeAssertionError",
        }
    }
}

/// Why a text is no type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (column {column})")]
pub struct ParseError {
    /// What Ruby raises.
    pub class: ErrorClass,
    /// Its message. For classes of Ruby's own, the wording may differ.
    pub message: String,
    /// The line of the error, from 1.
    pub line: usize,
    /// The character in that line, from 1.
    pub column: usize,
    /// The byte in the text.
    pub offset: usize,
}

impl ParseError {
    pub(super) fn new(
        class: ErrorClass,
        message: impl Into<String>,
        text: &str,
        offset: usize,
    ) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            class,
            message: message.into(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            offset,
        }
    }

    /// A syntax error, whose message ends in its place.
    pub(super) fn syntax(message: &str, text: &str, offset: usize) -> Self {
        let mut error = Self::new(ErrorClass::Syntax, "", text, offset);
        error.message = format!("{message} (line: {}, column: {})", error.line, error.column);
        error
    }
}
