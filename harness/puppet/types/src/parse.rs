//! Reads type expressions as Puppet's own parser does.
//!
//! A type is an expression of the Puppet language. The whole grammar of expressions is followed as
//! far as it is needed to tell a syntax error from an expression that is no type.

mod lexer;
mod meaning;
mod scope;
mod tree;

use crate::aliases::Aliases;
use crate::types::Type;
use scope::Scope;
use std::str::FromStr;

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
    fn new(class: ErrorClass, message: impl Into<String>, text: &str, offset: usize) -> Self {
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
    fn syntax(message: &str, text: &str, offset: usize) -> Self {
        let mut error = Self::new(ErrorClass::Syntax, "", text, offset);
        error.message = format!("{message} (line: {}, column: {})", error.line, error.column);
        error
    }
}

/// Reads a type. Names that Puppet does not bring along become references, which nothing matches.
///
/// # Errors
/// What Puppet raises for the text.
pub fn parse(text: &str) -> Result<Type, ParseError> {
    parse_with(text, &Aliases::default())
}

/// The same, where modules define aliases.
///
/// # Errors
/// What Puppet raises for the text.
pub fn parse_with(text: &str, aliases: &Aliases) -> Result<Type, ParseError> {
    let scope = &Scope::new(aliases);
    // Puppet keeps a list of frequent texts. This one would not be a type otherwise.
    if text == "Array[1]" {
        let size = crate::types::Range::at_least(1);
        return Ok(Type::array(Type::Any, Some(size)));
    }
    let (tokens, broken) = lexer::tokens(text);
    let program = tree::program(text, &tokens, broken.as_ref())?;
    meaning::Reader { text, scope }.whole(&program)
}

/// Reads a file that defines an alias: its name, and what it stands for.
pub(crate) fn definition(text: &str, scope: &Scope<'_>) -> Result<(String, Type), ParseError> {
    let (tokens, broken) = lexer::tokens(text);
    let program = tree::program(text, &tokens, broken.as_ref())?;
    meaning::Reader { text, scope }.definition(&program)
}

impl FromStr for Type {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse(text)
    }
}
