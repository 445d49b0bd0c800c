//! `vars` and `classes` promises.

use crate::choices::Choices;
use crate::condition::{condition, expression};
use crate::functions::{of_container, of_int, of_list, of_text};
use crate::scope::Scope;
use crate::values::{KEYS, container, list_name, list_value, quoted, text};

/// Generates a `vars` promise without its common attributes: promiser and attributes.
pub(crate) fn variable(choices: &mut Choices, scope: &mut Scope) -> (String, Vec<String>) {
    let number = choices.below(3);
    let kind = choices.below(12);
    let (name, attribute) = match kind {
        0..=2 => {
            let text = text(choices, scope);
            (
                format!("s{number}"),
                format!("string => {}", quoted(choices, &text)),
            )
        }
        3 | 4 => (
            format!("s{number}"),
            format!("string => {}", of_text(choices, scope)),
        ),
        5 => (
            format!("l{number}"),
            format!("slist => {}", list_value(choices, scope)),
        ),
        6 => (
            format!("l{number}"),
            format!("slist => {}", of_list(choices, scope)),
        ),
        7 => (
            format!("d{number}"),
            format!("data => '{}'", container(choices)),
        ),
        8 => (
            format!("d{number}"),
            format!("data => {}", of_container(choices, scope)),
        ),
        9 => {
            let name = format!("a{number}[{}]", choices.of(&KEYS));
            let text = text(choices, scope);
            (name, format!("string => {}", quoted(choices, &text)))
        }
        10 => {
            let value = match choices.below(6) {
                0..=3 => format!("\"{}\"", choices.of(&["1", "42", "2k", "-7", "0"])),
                _ => of_int(choices, scope),
            };
            (format!("s{number}"), format!("int => {value}"))
        }
        _ => match choices.below(3) {
            0 => {
                let list = list_name(choices, scope);
                let value = match choices.chance(40) {
                    true => format!("sum(\"{list}\")"),
                    false => "\"1.5\"".to_owned(),
                };
                (format!("s{number}"), format!("real => {value}"))
            }
            1 => (
                format!("l{number}"),
                "ilist => { \"3\", \"1\", \"2\" }".to_owned(),
            ),
            _ => (
                format!("l{number}"),
                "rlist => { \"1.5\", \"0.25\" }".to_owned(),
            ),
        },
    };
    scope.learn(&name);
    (name, vec![attribute])
}

/// Generates a `classes` promise.
pub(crate) fn class(choices: &mut Choices, scope: &mut Scope) -> (String, Vec<String>) {
    let name = format!("c{}", choices.below(4));
    let mut attributes = vec![match choices.below(8) {
        0..=2 => format!("expression => \"{}\"", expression(choices, scope)),
        3 => format!("expression => {}", condition(choices, scope, 1)),
        4 => format!(
            "and => {{ \"{}\", {} }}",
            expression(choices, scope),
            condition(choices, scope, 1)
        ),
        5 => format!(
            "or => {{ \"{}\", {} }}",
            expression(choices, scope),
            condition(choices, scope, 1)
        ),
        6 => format!("not => \"{}\"", expression(choices, scope)),
        _ => format!(
            "xor => {{ \"{}\", \"{}\" }}",
            expression(choices, scope),
            expression(choices, scope)
        ),
    }];
    if choices.chance(25) {
        let scope = choices.of(&["namespace", "bundle"]);
        attributes.push(format!("scope => \"{scope}\""));
    }
    scope.classes.push(name.clone());
    (name, attributes)
}
