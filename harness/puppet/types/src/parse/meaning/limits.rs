//! Limits of sizes and numbers.

use super::{Parameter, Read, Reader, Spanned};
use crate::parse::{ErrorClass, ParseError};
use crate::types::{Range, Type};
use crate::value::Value;
use num_bigint::BigInt;
use num_traits::{FromPrimitive as _, ToPrimitive as _};

/// A bound that may be left open.
pub(super) enum Bound {
    Open,
    At(BigInt),
}

impl Reader<'_> {
    /// One parameter for a size: its least number, or a type `Integer[…]`.
    pub(super) fn size(&self, sizes: &[Parameter], at: &Spanned) -> Read<Range> {
        match sizes {
            [Parameter::Type(Type::Integer(range))] => Ok(range.clone()),
            [from] => {
                let from = self.limit(from, true, at)?;
                self.range(from, Bound::Open, at)
            }
            _ => Err(self.no_type(at)),
        }
    }

    /// Two parameters for a size.
    pub(super) fn sizes(&self, sizes: &[Parameter], at: &Spanned) -> Read<Range> {
        let [from, to] = sizes else {
            return Err(self.no_type(at));
        };
        // Both must be numbers before Puppet takes offence at a quoted `default`.
        self.check_limit(from, at)?;
        self.check_limit(to, at)?;
        let from = self.limit(from, true, at)?;
        let to = self.limit(to, false, at)?;
        self.range(from, to, at)
    }

    pub(super) fn check_limit(&self, parameter: &Parameter, at: &Spanned) -> Read<()> {
        if is_limit(parameter) {
            Ok(())
        } else {
            Err(self.no_type(at))
        }
    }

    pub(super) fn limit(&self, parameter: &Parameter, is_from: bool, at: &Spanned) -> Read<Bound> {
        self.check_limit(parameter, at)?;
        match parameter {
            Parameter::Value(Value::Integer(number)) => Ok(Bound::At(number.clone())),
            // Puppet compares where it means to assign.
            Parameter::Value(Value::String(_)) if is_from => {
                Err(self.error(ErrorClass::NoMethod, "undefined method `>' for false", at))
            }
            _ => Ok(Bound::Open),
        }
    }

    /// Puppet compares whatever two bounds it gets, and Ruby refuses in its own ways.
    pub(super) fn compared(&self, from: &Parameter, to: &Parameter, at: &Spanned) -> Read<()> {
        let is_number = |one: &Parameter| {
            matches!(
                one,
                Parameter::Value(
                    Value::Integer(_) | Value::Float(_) | Value::Undef | Value::Symbol(_)
                )
            )
        };
        let quoted = |one: &Parameter| matches!(one, Parameter::Value(Value::String(text)) if text == "default");
        let fails = match from {
            _ if quoted(from) => Some(ErrorClass::NoMethod),
            Parameter::Value(Value::String(_)) => Some(ErrorClass::Argument),
            _ if is_number(from) => (!is_number(to) && !quoted(to)).then_some(ErrorClass::Argument),
            _ => Some(ErrorClass::NoMethod),
        };
        match fails {
            None => Ok(()),
            Some(class) => Err(self.error(class, "comparison of bounds failed", at)),
        }
    }

    pub(super) fn range(&self, from: Bound, to: Bound, at: &Spanned) -> Read<Range> {
        let number = |bound| match bound {
            Bound::Open => None,
            Bound::At(number) => Some(number),
        };
        let (from, to) = (number(from), number(to));
        if let (Some(from), Some(to)) = (&from, &to)
            && from > to
        {
            return Err(self.upside_down(&from.to_string(), &to.to_string(), at));
        }
        Ok(Range { from, to })
    }

    pub(super) fn upside_down(&self, from: &str, to: &str, at: &Spanned) -> ParseError {
        let message = format!("'from' must be less or equal to 'to'. Got ({from}, {to}");
        self.error(ErrorClass::Argument, message, at)
    }

    pub(super) fn float(&self, parameter: &Parameter, open: f64, at: &Spanned) -> Read<f64> {
        match parameter {
            Parameter::Value(Value::Float(number)) => Ok(*number),
            Parameter::Value(Value::Integer(number)) => {
                Ok(number.to_f64().unwrap_or(f64::INFINITY))
            }
            Parameter::Value(Value::Symbol(_) | Value::Undef) => Ok(open),
            Parameter::Value(Value::String(text)) => text.trim().parse::<f64>().map_err(|_| {
                let message = format!(
                    "invalid value for Float(): {}",
                    Value::string(text.as_str()).inspect()
                );
                self.error(ErrorClass::Argument, message, at)
            }),
            _ => Err(self.error(ErrorClass::Type, "can't convert into Float", at)),
        }
    }
}

pub(super) fn is_limit(parameter: &Parameter) -> bool {
    match parameter {
        Parameter::Value(Value::Integer(_)) => true,
        Parameter::Value(Value::String(text) | Value::Symbol(text)) => text == "default",
        _ => false,
    }
}

/// One end of an integer's range. Puppet keeps a float as it is; the integers inside are the same.
pub(super) fn bound(parameter: &Parameter, inside: fn(f64) -> f64) -> Bound {
    match parameter {
        Parameter::Value(Value::Integer(number)) => Bound::At(number.clone()),
        Parameter::Value(Value::Float(number)) => {
            BigInt::from_f64(inside(*number)).map_or(Bound::Open, Bound::At)
        }
        _ => Bound::Open,
    }
}
