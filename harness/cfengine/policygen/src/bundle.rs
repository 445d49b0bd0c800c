//! Bundles: sections, promises, and the attributes that all promises have.

use crate::choices::Choices;
use crate::condition::{condition, expression};
use crate::custom::{TYPES, custom};
use crate::files::file;
use crate::scope::Scope;
use crate::values::{list_name, quoted, reference, text};
use crate::variables::{class, variable};
use std::fmt::Write as _;

/// Generates a bundle.
pub(crate) fn bundle(choices: &mut Choices, head: &str, scope: &mut Scope, agent: bool) -> String {
    let mut out = format!("bundle {head}\n{{\n");
    let mut sections = 0;
    while choices.more(sections, if agent { 8 } else { 4 }, 75) {
        section(choices, scope, agent, &mut out);
        sections += 1;
    }
    if choices.chance(60) {
        out.push_str(&all_values(scope));
    }
    out.push_str("}\n");
    out
}

fn section(choices: &mut Choices, scope: &mut Scope, agent: bool, out: &mut String) {
    let custom_type = choices.of(&TYPES);
    let kind = match choices.below(if agent { 14 } else { 6 }) {
        0..=2 => "vars",
        3 | 4 => "classes",
        5 => "reports",
        6 => "methods",
        7 => "commands",
        8 | 9 => "files",
        _ => custom_type,
    };
    let _ = writeln!(out, "{kind}:");
    let mut promises = 0;
    while promises == 0 || choices.more(promises, 4, 50) {
        promises += 1;
        if choices.chance(20) {
            let _ = writeln!(out, "  {}::", expression(choices, scope));
        }
        if let Some(promise) = promise(choices, scope, kind) {
            out.push_str(&promise);
        }
    }
}

fn promise(choices: &mut Choices, scope: &mut Scope, kind: &str) -> Option<String> {
    let (promiser, mut attributes) = match kind {
        "vars" => variable(choices, scope),
        "classes" => class(choices, scope),
        "reports" => (text(choices, scope), Vec::new()),
        "methods" => method(choices, scope)?,
        "files" => file(choices, scope),
        "commands" => {
            let command = choices.of(&["/bin/true", "/bin/echo out", "/bin/false", "/nonexistent"]);
            (command.to_owned(), Vec::new())
        }
        _ => custom(choices, scope, kind),
    };
    attributes.extend(common(choices, scope, kind));
    let promisee = match choices.chance(4) {
        true => " -> { \"someone\" }",
        false => "",
    };
    let promiser = quoted(choices, &promiser);
    let mut text = format!("    {promiser}{promisee}");
    for (number, attribute) in attributes.iter().enumerate() {
        text.push_str(if number == 0 { "\n      " } else { ",\n      " });
        text.push_str(attribute);
    }
    text.push_str(";\n");
    Some(text)
}

/// Generates attributes that all promises have.
fn common(choices: &mut Choices, scope: &mut Scope, kind: &str) -> Vec<String> {
    let mut attributes = Vec::new();
    scope.promises += 1;
    if choices.chance(15) {
        attributes.push(format!("if => {}", condition(choices, scope, 0)));
    }
    if choices.chance(8) {
        attributes.push(format!("unless => {}", condition(choices, scope, 0)));
    }
    if choices.chance(8) {
        let handle = format!("h{}", scope.promises);
        attributes.push(format!("handle => \"{handle}\""));
        scope.handles.push(handle);
    }
    if choices.chance(5) && !scope.handles.is_empty() {
        let handle = scope.handles[choices.index(scope.handles.len())].clone();
        attributes.push(format!("depends_on => {{ \"{handle}\" }}"));
    }
    if choices.chance(5) {
        let text = text(choices, scope);
        attributes.push(format!("comment => {}", quoted(choices, &text)));
    }
    if choices.chance(6) {
        let text = text(choices, scope);
        attributes.push(format!("with => {}", quoted(choices, &text)));
    }
    if choices.chance(3) {
        attributes.push("meta => { \"tag=a\" }".to_owned());
    }
    if !matches!(kind, "vars" | "classes") {
        if choices.chance(30) {
            let body = choices.of(&["rc", "rb", "rx"]);
            let name = choices.of(&["x_k", "x_m", "c2"]);
            attributes.push(format!("classes => {body}(\"{name}\")"));
            let classes = ["kept", "repaired", "failed"].map(|end| format!("{name}_{end}"));
            scope.classes.extend(classes);
        }
        if choices.chance(12) {
            let body = choices.of(&["only_warn", "quick", "quiet", "no"]);
            attributes.push(format!("action => {body}"));
        }
    }
    attributes
}

fn method(choices: &mut Choices, scope: &mut Scope) -> Option<(String, Vec<String>)> {
    if scope.callable.is_empty() {
        return None;
    }
    let callable = scope.callable[choices.index(scope.callable.len())];
    let first = text(choices, scope);
    let first = quoted(choices, &first);
    let call = match callable.parameters {
        0 => callable.name.to_owned(),
        1 => format!("{}({first})", callable.name),
        _ => match choices.below(3) {
            0 | 1 => format!(
                "{}({first}, @({}))",
                callable.name,
                list_name(choices, scope)
            ),
            _ => {
                let second = reference(choices, scope);
                format!("{}({first}, {})", callable.name, quoted(choices, &second))
            }
        },
    };
    let promiser = choices.of(&["", "m", "any"]).to_string();
    let mut attributes = vec![format!("usebundle => {call}")];
    if choices.chance(10) {
        attributes.push("inherit => \"true\"".to_owned());
    }
    Some((promiser, attributes))
}

/// Generates reports of everything that the bundle defined.
fn all_values(scope: &Scope) -> String {
    let mut out = String::from("reports:\n");
    for name in scope
        .strings
        .iter()
        .chain(&scope.lists)
        .chain(&scope.containers)
    {
        let _ = writeln!(out, "    \"{name}: $({name})\";");
    }
    for name in &scope.arrays {
        let _ = writeln!(out, "    \"{name}: $({name}[a]) $({name}[1])\";");
    }
    out
}
