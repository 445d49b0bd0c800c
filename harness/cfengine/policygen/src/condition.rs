//! Class expressions, and functions that return classes.

use crate::choices::Choices;
use crate::scope::Scope;
use crate::values::{KEYS, known, list_name, quoted, text};

/// Generates a class expression.
pub(crate) fn expression(choices: &mut Choices, scope: &Scope) -> String {
    let atom = |choices: &mut Choices| {
        let class = match choices.below(8) {
            0 => "any",
            1..=4 => known(choices, &scope.classes).unwrap_or("g_class"),
            5 => "linux",
            6 => "undefined_class",
            _ => "g_class",
        };
        match choices.chance(25) {
            true => format!("!{class}"),
            false => class.to_owned(),
        }
    };
    match choices.below(8) {
        0..=4 => atom(choices),
        5 => format!("{}.{}", atom(choices), atom(choices)),
        6 => format!("{}|{}", atom(choices), atom(choices)),
        _ => format!("({}|{})&!({})", atom(choices), atom(choices), atom(choices)),
    }
}

/// Generates a value for `if` and `unless`.
pub(crate) fn condition(choices: &mut Choices, scope: &Scope, depth: u32) -> String {
    let argument = |choices: &mut Choices| {
        let text = text(choices, scope);
        quoted(choices, &text)
    };
    match choices.below(if depth > 1 { 9 } else { 12 }) {
        0..=2 => format!("\"{}\"", expression(choices, scope)),
        3 => format!("strcmp({}, {})", argument(choices), argument(choices)),
        4 => {
            let name = known(choices, &scope.strings)
                .unwrap_or("undefined")
                .to_owned();
            format!("isvariable(\"{name}\")")
        }
        5 => format!(
            "regcmp(\"{}\", {})",
            choices.of(&["a.*", ".*", "^x", "[0-9]+"]),
            argument(choices)
        ),
        6 => format!("islessthan({}, \"2\")", argument(choices)),
        7 => {
            let function = choices.of(&["some", "every", "none"]);
            format!("{function}(\"a.*\", \"{}\")", list_name(choices, scope))
        }
        8 => {
            let name = known(choices, &scope.containers)
                .unwrap_or("g.d")
                .to_owned();
            format!("isvariable(\"{name}[{}]\")", choices.of(&KEYS))
        }
        9 => format!("not({})", condition(choices, scope, depth + 1)),
        10 => format!(
            "and({}, {})",
            condition(choices, scope, depth + 1),
            condition(choices, scope, depth + 1)
        ),
        _ => format!(
            "or({}, {})",
            condition(choices, scope, depth + 1),
            condition(choices, scope, depth + 1)
        ),
    }
}
