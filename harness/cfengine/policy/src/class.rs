//! The class expression language: `a.b|!c&(d)`, names with variables in them.
//!
//! [`parse`] reads as much as is an expression and says how far that is, as
//! the agent does: what stands behind is left alone. Blanks are no part of the
//! language; [`without_blanks`] takes them out where the agent does so.

mod parser;

use std::fmt;
use std::rc::Rc;

/// A class expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// Any of these: `a|b` or `a||b`; two or more.
    Or(Vec<Expression>),
    /// All of these: `a.b` or `a&b`; two or more.
    And(Vec<Expression>),
    /// Not this: `!a`.
    Not(Box<Expression>),
    /// The name of a class, to be put together.
    Name(Vec<Part>),
}

/// A piece of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// As it stands, with a namespace or an index perhaps.
    Text(Rc<str>),
    /// The value of a variable.
    Variable {
        /// `$` or `@`.
        sigil: Sigil,
        /// The variable's name, which may hold variables; `.` stands in it
        /// as text.
        name: Vec<Part>,
    },
}

/// How a variable is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sigil {
    /// `$(x)`
    Scalar,
    /// `@(x)`
    List,
}

/// An expression and what was read of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The expression.
    pub expression: Expression,
    /// How many bytes it took.
    pub length: usize,
}

/// Why a text does not start with an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassError {
    /// The byte at which it went wrong.
    pub offset: usize,
    /// What would have gone on.
    pub expected: &'static str,
}

impl fmt::Display for ClassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl std::error::Error for ClassError {}

/// Reads the expression that a text starts with.
pub fn parse(text: &str) -> Result<Parsed, ClassError> {
    parser::Parser::new(text).whole()
}

/// The text without blanks and tabs, as expressions are evaluated.
pub fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '\t')).collect()
}

/// What a name stands for that is no class: `true` and `false` are what they say.
pub fn constant(name: &str) -> Option<bool> {
    match name {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Whether two names stand side by side with nothing but blanks between.
pub fn has_inner_blank(text: &[u8]) -> bool {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut before_blank = None;
    text.windows(2).any(|pair| {
        if matches!(pair[1], b' ' | b'\t') {
            if !matches!(pair[0], b' ' | b'\t') {
                before_blank = Some(pair[0]);
            }
            return false;
        }
        matches!(pair[0], b' ' | b'\t') && name(&pair[1]) && before_blank.as_ref().is_some_and(name)
    })
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Or(sides) => separated(f, sides, "|"),
            Self::And(sides) => separated(f, sides, "."),
            Self::Not(inner) => write!(f, "!{}", Primary(inner)),
            Self::Name(parts) => parts.iter().try_for_each(|part| part.fmt(f)),
        }
    }
}

/// An expression as an operand: in brackets unless it is a name.
struct Primary<'a>(&'a Expression);

impl fmt::Display for Primary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            name @ Expression::Name(_) => name.fmt(f),
            other => write!(f, "({other})"),
        }
    }
}

fn separated(f: &mut fmt::Formatter<'_>, sides: &[Expression], operator: &str) -> fmt::Result {
    for (at, side) in sides.iter().enumerate() {
        if at > 0 {
            f.write_str(operator)?;
        }
        match side {
            Expression::Not(_) => write!(f, "{side}")?,
            other => write!(f, "{}", Primary(other))?,
        }
    }
    Ok(())
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Variable { sigil, name } => {
                f.write_str(match sigil {
                    Sigil::Scalar => "$(",
                    Sigil::List => "@(",
                })?;
                name.iter().try_for_each(|part| part.fmt(f))?;
                f.write_str(")")
            }
        }
    }
}

#[cfg(test)]
mod tests;
