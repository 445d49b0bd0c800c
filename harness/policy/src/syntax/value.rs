//! Whether a value is of a type and in its range, as the agent judges it when
//! it reads a policy: what still holds variables passes.

mod mode;
mod number;

use super::{Constraint, Range, Type, syntax};
use crate::tree::{Call, Rval};
use crate::variable;
use std::fmt;

/// Attributes whose calls are bundles with arguments, not functions.
const BUNDLE_ATTRIBUTES: [&str; 6] = [
    "bundlesequence",
    "edit_line",
    "edit_xml",
    "usebundle",
    "service_bundle",
    "home_bundle",
];

/// Why a value is not what is expected: a fragment that tells what is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch(String);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn expected<T>(what: impl Into<String>) -> Result<T, Mismatch> {
    Err(Mismatch(what.into()))
}

impl Constraint {
    /// Judges the value of an attribute.
    pub fn check(&self, attribute: &str, value: &Rval) -> Result<(), Mismatch> {
        match value {
            Rval::List(list) if self.kind.is_list() => list
                .items
                .iter()
                .try_for_each(|item| self.check_item(attribute, item)),
            Rval::List(_) => expected(format!("expected {}, found a list", self.kind.article())),
            Rval::Call(call) => self.check_call(attribute, call),
            _ if self.kind.is_list() => expected("expected a list in braces, found a single value"),
            _ => self.check_item(attribute, value),
        }
    }

    /// Judges an item of a list, an argument, or a value that is no list.
    pub fn check_item(&self, attribute: &str, value: &Rval) -> Result<(), Mismatch> {
        match value {
            Rval::Call(call) => self.check_call(attribute, call),
            _ => value
                .scalar()
                .map_or(Ok(()), |text| self.check_text(attribute, text)),
        }
    }

    fn check_call(&self, attribute: &str, call: &Call) -> Result<(), Mismatch> {
        if BUNDLE_ATTRIBUTES.contains(&attribute) {
            return Ok(());
        }
        let name = &call.name.text;
        let Some(function) = syntax().function(name) else {
            return expected(format!("there is no function `{name}`"));
        };
        if self.kind.takes(function.returns) {
            return Ok(());
        }
        expected(format!(
            "expected {}, but `{name}` gives {}",
            self.kind.article(),
            function.returns.article()
        ))
    }

    fn check_text(&self, attribute: &str, text: &str) -> Result<(), Mismatch> {
        match self.kind.item().unwrap_or(self.kind) {
            Type::String => self.check_string(attribute, text),
            Type::Context => self.check_pattern(text),
            Type::Option => self.check_menu(text),
            Type::Int if holds_variable(text)? => Ok(()),
            Type::Int => match number::int(text) {
                Some(number) => self.in_ints(number),
                None => expected(format!("expected a whole number, found `{text}`")),
            },
            Type::Real if text == "inf" => expected("expected a number, found `inf`"),
            Type::Real if holds_variable(text)? => Ok(()),
            Type::Real => self.in_reals(number::real(text), text),
            Type::IntRange => self.check_pair(text, |this, end| {
                // What is no number is taken for the agent's mark for none.
                this.in_ints(number::int(end).unwrap_or(number::NONE))
            }),
            Type::RealRange if text == "inf" => expected("expected two numbers, found `inf`"),
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
            return expected(format!(
                "expected permissions like `644` or `u+x`, found `{text}`"
            ));
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
                if pattern == "\"?(/.*)" {
                    return expected(format!("expected an absolute path, found `{text}`"));
                }
                expected(format!("expected a text that matches `{pattern}`"))
            }
            _ => Ok(()),
        }
    }

    fn check_menu(&self, text: &str) -> Result<(), Mismatch> {
        match &self.range {
            Range::Menu(words) if !words.contains(&text) && !variable::is_naked(text) => expected(
                format!("expected one of {}, found `{text}`", words.join(", ")),
            ),
            _ => Ok(()),
        }
    }

    fn in_ints(&self, number: i64) -> Result<(), Mismatch> {
        match self.range {
            Range::Ints(from, to) if number < from || number > to => expected(format!(
                "expected a number from {from} to {to}, found {number}"
            )),
            _ => Ok(()),
        }
    }

    fn in_reals(&self, number: Option<f64>, text: &str) -> Result<(), Mismatch> {
        match (number, &self.range) {
            (None, _) => expected(format!("expected a number, found `{text}`")),
            (Some(number), Range::Reals(from, to)) if number < *from || number > *to => expected(
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
            return expected("expected two numbers with a comma and no brackets");
        }
        if holds_variable(text)? {
            return Ok(());
        }
        let ends: Vec<&str> = text.split(',').filter(|end| !end.is_empty()).collect();
        if ends.len() != 2 {
            return expected("expected two numbers with a comma");
        }
        ends.iter().try_for_each(|end| check(self, end))
    }
}

/// Whether a value holds a variable, so that it can't be judged yet.
fn holds_variable(text: &str) -> Result<bool, Mismatch> {
    variable::holds(text).map_or_else(
        || {
            expected(format!(
                "the brackets of a variable don't match in `{text}`"
            ))
        },
        Ok,
    )
}

impl Type {
    /// Whether a function that gives `returned` may stand here.
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
