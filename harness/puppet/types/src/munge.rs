//! How `puppet resource` makes values of the words on its command line, and how values are
//! validated.

use crate::matches::Match;
use crate::types::Type;
use crate::undecided::Undecided;
use crate::value::Value;
use num_bigint::BigInt;
use regex::Regex;
use std::sync::LazyLock;

/// Why a value is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The library raises `Puppet::ResourceError` with this text.
    #[error("{0}")]
    Because(String),
    /// Puppet fails on the type itself: it raises `NoMethodError`.
    #[error("{0}")]
    Fails(String),
    /// Only a real Ruby can tell.
    #[error(transparent)]
    Undecided(#[from] Undecided),
}

impl Type {
    /// Is the value of this type? If not, says why; `prefix` names the value.
    ///
    /// # Errors
    /// The text of the library's error.
    pub fn validate(&self, value: &Value, prefix: &str) -> Result<(), Refused> {
        match self.matches(value) {
            Match::Yes => Ok(()),
            Match::No => Err(Refused::Because(self.describe_mismatch(prefix, value))),
            Match::Undecided(why) => Err(Refused::Undecided(*why)),
        }
    }

    /// What `puppet resource` makes of a word: `"5"` becomes 5 for an integer. The result is of
    /// this type.
    ///
    /// # Errors
    /// The text of the library's error.
    pub fn munge(&self, value: &Value, prefix: &str) -> Result<Value, Refused> {
        let cleaned = munge(self, value, prefix)?;
        self.validate(&cleaned, prefix)?;
        Ok(cleaned)
    }

    /// What a manifest's value becomes: Puppet passes booleans as symbols through its properties.
    ///
    /// # Errors
    /// The text of the library's error.
    pub fn accept(&self, value: &Value, prefix: &str) -> Result<Value, Refused> {
        let cleaned = match value.as_symbol() {
            Some("true") => Value::Bool(true),
            Some("false") => Value::Bool(false),
            _ => value.clone(),
        };
        self.validate(&cleaned, prefix)?;
        Ok(cleaned)
    }
}

fn munge(own: &Type, value: &Value, prefix: &str) -> Result<Value, Refused> {
    let mut cleaned = value.clone();
    match own {
        Type::Array { element, .. } => {
            if let Value::Array(items) = value {
                let items = items.iter().map(|item| munge(element, item, prefix));
                match items.collect::<Result<_, _>>() {
                    Ok(items) => cleaned = Value::Array(items),
                    // The whole array is refused in Puppet's own words below.
                    Err(Refused::Because(_)) => {}
                    Err(other) => return Err(other),
                }
            }
        }
        Type::Boolean(_) => match value {
            Value::String(text) | Value::Symbol(text) if text == "true" => {
                cleaned = Value::Bool(true);
            }
            Value::String(text) | Value::Symbol(text) if text == "false" => {
                cleaned = Value::Bool(false);
            }
            _ => {}
        },
        Type::Integer(_) | Type::Float(_) | Type::Numeric => {
            if let Value::String(text) = value
                && (has_integer_line(text) || NUMERIC.as_ref().is_some_and(|re| re.is_match(text)))
            {
                cleaned = number(text);
            }
        }
        Type::Enum { .. } | Type::String(_) | Type::Pattern(_) => {
            if let Value::Symbol(name) = value {
                cleaned = Value::string(name.as_str());
            }
        }
        Type::Optional(inner) => {
            return match inner {
                _ if value.is_nil() => Ok(Value::Undef),
                Some(inner) => munge(inner, value, prefix),
                None => Err(Refused::Fails(
                    "undefined method `instance?' for nil:NilClass".to_owned(),
                )),
            };
        }
        Type::Variant(types) => {
            let string = types.iter().find(|one| matches!(one, Type::String(_)));
            let mut fitting = Vec::new();
            for one in types.iter().filter(|one| Some(*one) != string) {
                match munge(one, value, prefix) {
                    Ok(value) => fitting.push(value),
                    Err(Refused::Because(_)) => {}
                    Err(other) => return Err(other),
                }
            }
            if fitting.len() == 1 {
                return Ok(fitting.swap_remove(0));
            }
            if fitting.len() > 1 {
                return Err(Refused::Because(format!(
                    "{prefix} {} is not unabiguously convertable to {}",
                    value.inspect(),
                    own.brief()
                )));
            }
            if let Some(string) = string {
                return munge(string, value, prefix);
            }
        }
        _ => {}
    }
    own.validate(&cleaned, prefix)?;
    Ok(cleaned)
}

/// Is a line of the text a decimal integer?
fn has_integer_line(text: &str) -> bool {
    text.split('\n').any(|line| {
        let digits = line.strip_prefix('-').unwrap_or(line);
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    })
}

/// A number as Puppet writes it: its sign, all of it, a hexadecimal one, the integer part, the rest.
static NUMERIC: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\A[\p{Zs}\t]*([-+]?)[\p{Zs}\t]*",
        r"((0[xX][0-9A-Fa-f]+)|(0?[0-9]+)((?:\.[0-9]+)?(?:[eE]-?[0-9]+)?))[\p{Zs}\t]*\z",
    ))
    .ok()
});

/// The number that a text stands for; `nil` if Puppet finds none.
fn number(text: &str) -> Value {
    let relative = text.strip_prefix("::").unwrap_or(text);
    let found = NUMERIC.as_ref().and_then(|re| re.captures(relative));
    let Some(found) = found else {
        return Value::Undef;
    };
    let group = |index: usize| found.get(index).map_or("", |group| group.as_str());
    let negative = group(1) == "-";
    let tail = group(5);
    if !tail.is_empty() {
        // A zero with an exponent is no number to Puppet, nor is one with a digit 8 in octal.
        let Some(whole) = ruby_integer(group(4)) else {
            return Value::Undef;
        };
        let zeros = tail
            .strip_prefix('.')
            .unwrap_or(tail)
            .trim_start_matches('0');
        if whole == BigInt::ZERO && zeros.starts_with(['e', 'E']) {
            return Value::Undef;
        }
        return match group(2).parse::<f64>() {
            Ok(number) if number.is_finite() => {
                Value::Float(if negative { -number } else { number })
            }
            _ => Value::Undef,
        };
    }
    match ruby_integer(group(2)) {
        Some(number) => Value::Integer(if negative { -number } else { number }),
        None => Value::Undef,
    }
}

/// What Ruby's `Integer()` makes of digits: octal behind a zero.
fn ruby_integer(digits: &str) -> Option<BigInt> {
    if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        return BigInt::parse_bytes(hex.as_bytes(), 16);
    }
    let radix = if digits.len() > 1 && digits.starts_with('0') {
        8
    } else {
        10
    };
    BigInt::parse_bytes(digits.as_bytes(), radix)
}
