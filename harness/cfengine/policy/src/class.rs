//! The class expression language: `a.b|!c&(d)`, with variables in names.
//!
//! Like cf-agent, [`parse`] parses the longest expression at the start of a text and returns its
//! length; it ignores the rest. The grammar has no blanks; [`without_blanks`] removes them where
//! cf-agent does.

mod expression;
mod parser;

pub use expression::{ClassError, Expression, Parsed, Part, Sigil};

/// Parses the expression at the start of a text.
pub fn parse(text: &str) -> Result<Parsed, ClassError> {
    parser::Parser::new(text).whole()
}

/// Removes blanks and tabs, as cf-agent does before evaluation.
pub fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '\t')).collect()
}

/// The value of a constant: `true` and `false` are no classes.
pub fn constant(name: &str) -> Option<bool> {
    match name {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Whether only blanks separate two names.
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

#[cfg(test)]
mod tests;
