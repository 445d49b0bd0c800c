//! Class expressions, and why a text is none.

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
    /// The name of a class, in parts.
    Name(Vec<Part>),
}

/// A piece of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Literal text, perhaps with a namespace or an index.
    Text(Rc<str>),
    /// The value of a variable.
    Variable {
        /// `$` or `@`.
        sigil: Sigil,
        /// The variable's name, which may contain variables; a `.` in it is text.
        name: Vec<Part>,
    },
}

/// The sigil of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sigil {
    /// `$(x)`
    Scalar,
    /// `@(x)`
    List,
}

/// A parsed expression and its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The expression.
    pub expression: Expression,
    /// The number of bytes that were parsed.
    pub length: usize,
}

/// Why a text does not start with an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassError {
    /// The offset of the error.
    pub offset: usize,
    /// What the parser expected.
    pub expected: &'static str,
}

impl fmt::Display for ClassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl std::error::Error for ClassError {}

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

/// An expression as an operand: in brackets, unless it is a name.
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
