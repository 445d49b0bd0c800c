//! Requirements of single promise types, apart from their attributes.

use super::findings::Findings;
use crate::syntax::{Type, syntax};
use crate::tree::{Bundle, Policy, Promise, Rval};

/// Names that are invalid for a variable.
const NO_VARIABLES: [&str; 6] = [
    "promiser",
    "handle",
    "promise_filename",
    "promise_dirname",
    "promise_linenumber",
    "this",
];

pub(super) fn bundle(bundle: &Bundle, policy: &Policy, found: &mut Findings<'_>) {
    for (_, promise) in bundle.promises("vars") {
        variable(promise, found);
    }
    for (_, promise) in bundle.promises("classes") {
        if is_number(&promise.promiser.text) {
            found.add(
                promise.promiser.span,
                "expected a class name, found a number",
            );
        }
    }
    if &*bundle.component.text == "server" {
        for (_, promise) in bundle.promises("access") {
            query(promise, found);
        }
    }
    calls_of_bundles(bundle, policy, found);
}

fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

fn variable(promise: &Promise, found: &mut Findings<'_>) {
    let name = &*promise.promiser.text;
    let span = promise.promiser.span;
    if is_number(name) {
        found.add(span, "expected the name of a variable, found a number");
    } else if NO_VARIABLES.contains(&name) {
        found.add(span, format!("the name `{name}` is reserved for the agent"));
    } else if !has_fair_dots(name) {
        found.add(
            span,
            "expected a name with at most one dot, between its parts",
        );
    }
    let vars = syntax().promise_type("common", "vars");
    let is_type = |name: &str| {
        let attribute = vars.and_then(|vars| vars.attributes.get(name));
        attribute.is_some_and(|attribute| attribute.kind != Type::Option)
    };
    let mut types = promise
        .attributes
        .iter()
        .filter(|attribute| is_type(&attribute.name.text));
    let first = types.next();
    for other in types {
        let first = first.map_or("", |first| &*first.name.text);
        if first != &*other.name.text {
            let message = format!("the variable has the type `{first}` already");
            found.add(other.name.span, message);
        }
    }
}

/// At most one dot, with text before and after it. Further dots are only valid within one pair of
/// square brackets.
fn has_fair_dots(name: &str) -> bool {
    let Some(first) = name.find('.') else {
        return true;
    };
    let (mut dots, mut level) = (0, 0_i32);
    for byte in name.bytes() {
        match byte {
            b'.' => {
                dots += 1;
                if dots > 1 && level != 1 {
                    return false;
                }
            }
            b'[' => level += 1,
            b']' => level -= 1,
            _ => {}
        }
        if level > 1 {
            return false;
        }
    }
    dots != 1 || (first != 0 && first + 1 != name.len())
}

fn query(promise: &Promise, found: &mut Findings<'_>) {
    let select = promise.attributes.iter().rev();
    let select = select
        .into_iter()
        .find(|a| &*a.name.text == "report_data_select");
    let resource = promise.attribute("resource_type").and_then(Rval::scalar);
    if let Some(select) = select.filter(|_| resource.is_none_or(|text| &**text != "query")) {
        let message = "`report_data_select` needs `resource_type => \"query\"` beside it";
        found.add(select.name.span, message);
    }
}

/// A call of a known bundle needs as many arguments as the bundle has parameters.
pub(super) fn calls_of_bundles(bundle: &Bundle, policy: &Policy, found: &mut Findings<'_>) {
    if &*bundle.component.text != "agent" {
        return;
    }
    for (_, promise) in bundle.promises("methods") {
        let Some(Rval::Call(call)) = promise.attribute("usebundle") else {
            continue;
        };
        let name = &*call.name.text;
        let (namespace, name) = name.split_once(':').unwrap_or((&bundle.namespace, name));
        let callee = ["agent", "common"].into_iter().find_map(|component| {
            policy.bundles.iter().find(|other| {
                &*other.component.text == component
                    && &*other.namespace == namespace
                    && &*other.name.text == name
            })
        });
        let Some(callee) = callee else { continue };
        let (wants, has) = (callee.parameters.len(), call.arguments.len());
        if wants != has {
            let message = format!("the bundle `{name}` takes {wants} arguments, not {has}");
            found.add(call.span, message);
        }
    }
}
