//! Promises of custom types; their attributes tell the module how to answer.

use crate::choices::Choices;
use crate::scope::Scope;
use crate::values::{container, known, list_value, quoted, text};

/// The file of the module that uses JSON and supports `action_policy`.
pub const JSON_MODULE: &str = "scripted_json";
/// The file of the module that uses the line protocol and supports `action_policy`.
pub const LINE_MODULE: &str = "scripted_line";
/// The file of the module that uses JSON and does not support `action_policy`.
pub const PLAIN_MODULE: &str = "scripted_plain";

/// The promise blocks of all custom types.
pub(crate) const BLOCKS: &str = "\
promise agent gen { path => \"$(this.promise_dirname)/scripted_json\"; }
promise agent gem { path => \"$(this.promise_dirname)/scripted_json\"; }
promise agent lin { path => \"$(this.promise_dirname)/scripted_line\"; }
promise agent old { path => \"$(this.promise_dirname)/scripted_plain\"; }
";

/// The custom types.
pub(crate) const TYPES: [&str; 4] = ["gen", "lin", "gem", "old"];

/// Generates a promise: promiser and attributes.
pub(crate) fn custom(choices: &mut Choices, scope: &Scope, kind: &str) -> (String, Vec<String>) {
    let promiser = text(choices, scope);
    let mut attributes = Vec::new();
    if choices.chance(60) {
        let results = ["kept", "repaired", "not_kept", "error", "maybe", "-"];
        attributes.push(format!("result => \"{}\"", choices.of(&results)));
    }
    if choices.chance(15) {
        let answers = ["valid", "invalid", "error", "-"];
        attributes.push(format!("validate => \"{}\"", choices.of(&answers)));
    }
    if choices.chance(50) {
        let level = choices.of(&[
            "info", "error", "critical", "warning", "notice", "verbose", "debug",
        ]);
        let message = choices.of(&["done", "it is ü", "a=b", ""]);
        attributes.push(format!("log => \"{level}={message}\""));
    }
    if choices.chance(25) {
        let classes = choices.of(&["x_one", "x_one,x_two", "x-a b", "c1"]);
        attributes.push(format!("rclasses => \"{classes}\""));
    }
    if choices.chance(4) {
        attributes.push(format!(
            "crash => \"{}\"",
            choices.of(&["evaluate_promise", "validate_promise"])
        ));
    }
    for name in ["text", "more"] {
        if choices.chance(40) {
            let value = value(choices, scope, kind);
            attributes.push(format!("{name} => {value}"));
        }
    }
    (promiser, attributes)
}

/// Generates a value. Over the line protocol, cf-agent sends uninitialized memory for a container,
/// so that protocol gets none.
fn value(choices: &mut Choices, scope: &Scope, kind: &str) -> String {
    let most = if kind == "lin" { 5 } else { 10 };
    match choices.below(most) {
        0..=4 => {
            let text = text(choices, scope);
            quoted(choices, &text)
        }
        5 => list_value(choices, scope),
        6 => {
            let name = known(choices, &scope.containers)
                .unwrap_or("g.d")
                .to_owned();
            format!("@({name})")
        }
        7 => format!("parsejson('{}')", container(choices)),
        8 => "settings(\"v\")".to_owned(),
        _ => choices.of(&["\"42\"", "\"true\"", "\"1.5\""]).to_string(),
    }
}
