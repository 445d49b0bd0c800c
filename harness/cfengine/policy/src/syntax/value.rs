//! Checks the type and range of a value, as cf-agent does when it parses a policy. A value that
//! still has variables is accepted.

mod fault;
mod mode;
mod number;

pub use fault::Fault;

use super::{Constraint, Range, Type, syntax};
use crate::tree::Rval;
use crate::variable;
use std::fmt;

/// Attributes in which a call is a bundle with arguments, not a function.
const BUNDLE_ATTRIBUTES: [&str; 6] = [
    "bundlesequence",
    "edit_line",
    "edit_xml",
    "usebundle",
    "service_bundle",
    "home_bundle",
];

/// The pattern of absolute paths.
const ABSOLUTE: &str = "\"?(/.*)";

/// Why a value is invalid: a fragment that says what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    fault: Fault,
    expected: String,
}

impl Mismatch {
    /// The fault, as cf-agent classifies it.
    pub fn fault(&self) -> Fault {
        self.fault
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.expected)
    }
}

fn wrong<T>(fault: Fault, expected: impl Into<String>) -> Result<T, Mismatch> {
    let expected = expected.into();
    Err(Mismatch { fault, expected })
}

impl Constraint {
    /// Checks the value of an attribute.
    pub fn check(&self, attribute: &str, value: &Rval) -> Result<(), Mismatch> {
        match value {
            Rval::List(list) if self.kind.is_list() => list
                .items
                .iter()
                .try_for_each(|item| self.check_item(attribute, item)),
            Rval::List(_) => self.no_list(),
            Rval::Call(call) => self.check_call(attribute, &call.name.text),
            _ if self.kind.is_list() => wrong(
                Fault::Scalar,
                "expected a list in braces, found a single value",
            ),
            _ => self.check_item(attribute, value),
        }
    }

    /// The error for a list where no list is allowed.
    fn no_list(&self) -> Result<(), Mismatch> {
        let message = format!("expected {}, found a list", self.kind.article());
        wrong(Fault::List, message)
    }

    /// Checks an item of a list, an argument, or a value that is no list.
    pub fn check_item(&self, attribute: &str, value: &Rval) -> Result<(), Mismatch> {
        match value {
            Rval::Call(call) => self.check_call(attribute, &call.name.text),
            _ => value
                .scalar()
                .map_or(Ok(()), |text| self.check_text(attribute, text)),
        }
    }

    /// Checks the result type of a function.
    pub fn check_call(&self, attribute: &str, name: &str) -> Result<(), Mismatch> {
        if BUNDLE_ATTRIBUTES.contains(&attribute) {
            return Ok(());
        }
        let Some(function) = syntax().function(name) else {
            let message = format!("there is no function `{name}`");
            return wrong(Fault::UnknownFunction, message);
        };
        if self.kind.takes(function.returns) {
            return Ok(());
        }
        let message = format!(
            "expected {}, but `{name}` gives {}",
            self.kind.article(),
            function.returns.article()
        );
        wrong(Fault::Returned, message)
    }

    /// Checks a text, alone or in a list.
    pub fn check_text(&self, attribute: &str, text: &str) -> Result<(), Mismatch> {
        match self.kind.item().unwrap_or(self.kind) {
            Type::String => self.check_string(attribute, text),
            Type::Context => self.check_pattern(text),
            Type::Option => self.check_menu(text),
            Type::Int if holds_variable(text)? => Ok(()),
            Type::Int => match number::int(text) {
                Some(number) => self.in_ints(number),
                None => wrong(
                    Fault::NoInt,
                    format!("expected a whole number, found `{text}`"),
                ),
            },
            Type::Real if text == "inf" => wrong(Fault::Infinite, "expected a number, found `inf`"),
            Type::Real if holds_variable(text)? => Ok(()),
            Type::Real => self.in_reals(number::real(text), text),
            Type::IntRange => self.check_pair(text, |this, end| {
                // Like cf-agent, treats text that is no number as the constant for "no number".
                this.in_ints(number::int(end).unwrap_or(number::NONE))
            }),
            Type::RealRange if text == "inf" => {
                wrong(Fault::Infinite, "expected two numbers, found `inf`")
            }
            Type::RealRange => {
                self.check_pair(text, |this, end| this.in_reals(number::real(end), end))
            }
            _ => Ok(()),
        }
    }

    fn check_string(&self, attribute: &str, text: &str) -> Result<(), Mismatch> {
        if matches!(self.range, Range::Any) || variable::is_naked(text) {
            return Ok(());
        }
        if matches!(attribute, "mode" | "search_mode") && !mode::is_mode(text) {
            let message = format!("expected permissions like `644` or `u+x`, found `{text}`");
            return wrong(Fault::Mode, message);
        }
        let fits = self.check_pattern(text);
        if fits.is_err() && holds_variable(text)? {
            return Ok(());
        }
        fits
    }

    fn check_pattern(&self, text: &str) -> Result<(), Mismatch> {
        match &self.range {
            Range::Pattern(pattern) if !pattern.matches(text) => {
                let pattern = pattern.text();
                let fault = match pattern {
                    _ if self.kind.item().unwrap_or(self.kind) == Type::Context => Fault::Context,
                    _ if text.is_empty() => Fault::Empty,
                    ABSOLUTE => Fault::Path,
                    _ => Fault::Text,
                };
                let message = match pattern {
                    ABSOLUTE => format!("expected an absolute path, found `{text}`"),
                    _ => format!("expected a text that matches `{pattern}`"),
                };
                wrong(fault, message)
            }
            _ => Ok(()),
        }
    }

    fn check_menu(&self, text: &str) -> Result<(), Mismatch> {
        match &self.range {
            // An empty text counts as a word of the menu.
            Range::Menu(_) if text.is_empty() => Ok(()),
            Range::Menu(words) if !words.contains(&text) && !variable::is_naked(text) => wrong(
                Fault::Menu,
                format!("expected one of {}, found `{text}`", words.join(", ")),
            ),
            _ => Ok(()),
        }
    }

    fn in_ints(&self, number: i64) -> Result<(), Mismatch> {
        match self.range {
            Range::Ints(from, to) if number < from || number > to => wrong(
                Fault::Int,
                format!("expected a number from {from} to {to}, found {number}"),
            ),
            _ => Ok(()),
        }
    }

    fn in_reals(&self, number: Option<f64>, text: &str) -> Result<(), Mismatch> {
        match (number, &self.range) {
            (None, _) => wrong(Fault::Real, format!("expected a number, found `{text}`")),
            (Some(number), Range::Reals(from, to)) if number < *from || number > *to => wrong(
                Fault::Real,
                format!("expected a number from {from} to {to}, found {number}"),
            ),
            _ => Ok(()),
        }
    }

    fn check_pair(
        &self,
        text: &str,
        check: impl Fn(&Self, &str) -> Result<(), Mismatch>,
    ) -> Result<(), Mismatch> {
        if text.starts_with(['[', '(']) {
            return wrong(
                Fault::Brackets,
                "expected two numbers with a comma and no brackets",
            );
        }
        if holds_variable(text)? {
            return Ok(());
        }
        let ends: Vec<&str> = text.split(',').filter(|end| !end.is_empty()).collect();
        if ends.len() != 2 {
            return wrong(Fault::NoPair, "expected two numbers with a comma");
        }
        ends.iter().try_for_each(|end| check(self, end))
    }
}

/// Whether a value has a variable, so that it can't be checked yet.
fn holds_variable(text: &str) -> Result<bool, Mismatch> {
    variable::holds(text).map_or_else(
        || {
            wrong(
                Fault::Variable,
                format!("the brackets of a variable don't match in `{text}`"),
            )
        },
        Ok,
    )
}

impl Type {
    /// Whether a function that returns `returned` is allowed here.
    fn takes(self, returned: Type) -> bool {
        self == returned
            || match self {
                Self::String => matches!(
                    returned,
                    Self::Int | Self::Real | Self::Option | Self::Context
                ),
                Self::Context => returned == Self::String,
                list => list.item() == Some(returned),
            }
    }

    fn article(self) -> String {
        match self {
            Self::String => "a string".into(),
            Self::Int => "a whole number".into(),
            Self::Real => "a number".into(),
            Self::Option => "a word of a menu".into(),
            Self::Context => "a class expression".into(),
            Self::Data => "a data container".into(),
            Self::Body => "the name of a body".into(),
            Self::Bundle => "the name of a bundle".into(),
            other => format!("an {}", other.name()),
        }
    }
}
