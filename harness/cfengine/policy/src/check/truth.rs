//! Whether a guard holds, as far as that is known without evaluation.

use crate::class::{self, Expression, Part};
use crate::tree::{Guard, Promise};

/// Attributes that may prevent the evaluation of a promise.
const CONDITIONS: [&str; 4] = ["if", "ifvarclass", "unless", "depends_on"];

/// Classes that 3.21.0 always sets.
const ALWAYS: [&str; 5] = [
    "any",
    "cfengine",
    "cfengine_3",
    "cfengine_3_21",
    "cfengine_3_21_0",
];

/// Whether a guard holds; `None` if that is unknown.
pub(crate) fn of(guard: Option<&Guard>) -> Option<bool> {
    let Some(guard) = guard else {
        return Some(true);
    };
    guard.expression.as_ref().ok().and_then(truth)
}

/// Whether a promise is always evaluated if its guard holds.
pub(crate) fn is_unconditional(promise: &Promise) -> bool {
    let mut attributes = promise.attributes.iter();
    !attributes.any(|attribute| CONDITIONS.contains(&&*attribute.name.text))
}

fn truth(expression: &Expression) -> Option<bool> {
    match expression {
        Expression::Or(sides) => any(sides, true),
        Expression::And(sides) => any(sides, false),
        Expression::Not(inner) => truth(inner).map(|holds| !holds),
        Expression::Name(parts) => match parts.as_slice() {
            [Part::Text(name)] => class::constant(name).or_else(|| named(name)),
            _ => None,
        },
    }
}

/// `decides` if any side has that value; the opposite if all sides have the opposite.
fn any(sides: &[Expression], decides: bool) -> Option<bool> {
    let sides: Vec<_> = sides.iter().map(truth).collect();
    if sides.contains(&Some(decides)) {
        return Some(decides);
    }
    (!sides.contains(&None)).then_some(!decides)
}

fn named(name: &str) -> Option<bool> {
    if ALWAYS.contains(&name) || (name == "linux" && cfg!(target_os = "linux")) {
        return Some(true);
    }
    // Classes of other versions are not set.
    let digits = name.strip_prefix("cfengine_").unwrap_or_default();
    let version = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    version.then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<bool> {
        truth(&crate::class::parse(text).expect(text).expression)
    }

    #[test]
    fn unknown_conditions_stay_undecided() {
        assert_eq!(told("any"), Some(true));
        assert_eq!(told("!any"), Some(false));
        assert_eq!(told("foo"), None);
        assert_eq!(told("any|foo"), Some(true));
        assert_eq!(told("foo.!any"), Some(false));
        assert_eq!(told("cfengine_3_18"), Some(false));
        assert_eq!(told("cfengine_3_21.any"), Some(true));
    }
}
