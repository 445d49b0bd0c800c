//! The allowed values of attributes and arguments.

use super::kind::Type;
use regex::{Regex, RegexBuilder};
use std::sync::OnceLock;

/// A set of allowed values.
#[derive(Debug)]
pub enum Range {
    /// Any value.
    Any,
    /// Texts that match a pattern as a whole.
    Pattern(Pattern),
    /// These words.
    Menu(Vec<&'static str>),
    /// Integers within these bounds.
    Ints(i64, i64),
    /// Real numbers within these bounds.
    Reals(f64, f64),
}

impl Range {
    pub(super) fn read(kind: Type, text: &'static str) -> Self {
        if text.is_empty() {
            return Self::Any;
        }
        match kind.item().unwrap_or(kind) {
            Type::Option => Self::Menu(text.split(',').collect()),
            Type::Int | Type::IntRange => {
                let (from, to) = ends(text);
                Self::Ints(int(from), int(to))
            }
            Type::Real | Type::RealRange => {
                let (from, to) = ends(text);
                Self::Reals(from.parse().unwrap_or(0.0), to.parse().unwrap_or(0.0))
            }
            _ => Self::Pattern(Pattern::new(text)),
        }
    }
}

/// The value of `inf` among integers.
pub(super) const INFINITY: i64 = 999_999_999;

fn ends(text: &'static str) -> (&'static str, &'static str) {
    text.split_once(',').unwrap_or((text, text))
}

fn int(text: &str) -> i64 {
    text.parse().unwrap_or(INFINITY)
}

/// A regular expression that is compiled on first use.
#[derive(Debug)]
pub struct Pattern {
    text: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn new(text: &'static str) -> Self {
        Self {
            text,
            regex: OnceLock::new(),
        }
    }

    /// The pattern as a text.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Whether the first match is the whole text; cf-agent does not try other matches.
    pub fn matches(&self, value: &str) -> bool {
        if value == self.text {
            return true;
        }
        let compile = || {
            RegexBuilder::new(self.text)
                .dot_matches_new_line(true)
                .multi_line(true)
                .build()
                .ok()
        };
        let regex = self.regex.get_or_init(compile).as_ref();
        regex
            .and_then(|regex| regex.find(value))
            .is_some_and(|found| found.range() == (0..value.len()))
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::{Range, syntax};

    #[test]
    fn every_pattern_compiles() {
        let syntax = syntax();
        let promises = syntax.promises.values().flat_map(|p| p.attributes.values());
        let bodies = syntax.bodies.values().chain(syntax.controls.values());
        let bodies = bodies.flat_map(|body| body.values());
        let functions = syntax.functions.values().flat_map(|f| f.parameters.iter());
        for constraint in promises.chain(bodies).chain(functions) {
            if let Range::Pattern(pattern) = &constraint.range {
                assert!(regex::Regex::new(pattern.text).is_ok(), "{}", pattern.text);
            }
        }
    }
}
