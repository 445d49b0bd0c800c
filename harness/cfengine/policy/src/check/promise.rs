//! Promises: their attributes and the values of the attributes.

use super::findings::Findings;
use crate::class;
use crate::syntax::{self, PromiseType, Type, syntax};
use crate::tree::{Attribute, Guard, Name, Promise, Rval};

/// Checks that apply to every promise.
pub(super) fn any(promise: &Promise, guard: Option<&Guard>, found: &mut Findings<'_>) {
    if matches!(&*promise.promiser.text, "$()" | "${}") {
        found.add(promise.promiser.span, "expected the name of a variable");
    }
    for attribute in &promise.attributes {
        condition(attribute, found);
    }
    for name in ["if", "ifvarclass"] {
        conditions_twice(promise, guard, name, found);
    }
}

/// A text in `if` or `ifvarclass` is parsed as a class expression.
pub(super) fn condition(attribute: &Attribute, found: &mut Findings<'_>) {
    if !matches!(&*attribute.name.text, "if" | "ifvarclass") {
        return;
    }
    let Some(text) = attribute.value.scalar() else {
        return;
    };
    if let Err(error) = class::parse(text) {
        let message = format!("class expression: {error}");
        found.add(attribute.value.span(), message);
    }
}

/// cf-agent joins duplicate conditions. It can't if the first is a call or the second is a list. A
/// quoted guard counts as the first `ifvarclass`.
fn conditions_twice(
    promise: &Promise,
    guard: Option<&Guard>,
    name: &str,
    found: &mut Findings<'_>,
) {
    let quoted = name == "ifvarclass" && guard.is_some_and(|guard| guard.quoted);
    let mut first_is_text = quoted.then_some(true);
    let all = promise.attributes.iter();
    for attribute in all.filter(|attribute| &*attribute.name.text == name) {
        let text = attribute.value.scalar().is_some();
        let list = matches!(attribute.value, Rval::List(_));
        if first_is_text.is_some_and(|first| !first || list) {
            let message = format!("`{name}` given twice can't be joined");
            found.add(attribute.span, message);
        }
        first_is_text = Some(text && first_is_text.unwrap_or(true));
    }
}

/// Checks a promise of a built-in type.
pub(super) fn built_in(
    promise: &Promise,
    known: &PromiseType,
    kind: &Name,
    found: &mut Findings<'_>,
) {
    for attribute in &promise.attributes {
        let name = &attribute.name;
        let own = known.attributes.get(&*name.text);
        if let Some(own) =
            own.filter(|_| syntax::has_attribute(&kind.text, &name.text, found.release))
        {
            match own.kind {
                Type::Body | Type::Bundle => shape(attribute, own.kind, found),
                Type::Removed => {}
                _ if becomes_data(attribute) => {}
                _ => {
                    if let Err(mismatch) = own.check(&name.text, &attribute.value) {
                        found.add(attribute.value.span(), mismatch.to_string());
                    }
                }
            }
        } else if let Some(common) = syntax().common(&name.text) {
            shape(attribute, common.kind, found);
        } else {
            let message = format!(
                "promises of the type `{}` have no such attribute",
                kind.text
            );
            found.add(name.span, message);
        }
    }
}

/// A list is only valid where lists are allowed; a body's name has no quotes.
fn shape(attribute: &Attribute, kind: Type, found: &mut Findings<'_>) {
    let span = attribute.value.span();
    match (&attribute.value, kind) {
        (Rval::List(_), kind) if !kind.is_list() => {
            found.add(span, "expected a single value, found a list");
        }
        (Rval::String(_), Type::Body) if !is_common(attribute) => {
            found.add(span, "expected the name of a body, without quotes");
        }
        _ => {}
    }
}

/// cf-agent accepts quotes around the names of the bodies of all promises, `action` and `classes`.
fn is_common(attribute: &Attribute) -> bool {
    syntax().common(&attribute.name.text).is_some()
}

/// Whether cf-agent converts a text here to a container, or to a call that returns one.
fn becomes_data(attribute: &Attribute) -> bool {
    let data = matches!(&*attribute.name.text, "data" | "template_data");
    data && attribute.value.scalar().is_some()
}

/// Checks a promise of a custom type, which a `promise` block here or in another file may define.
pub(super) fn custom(promise: &Promise, guard: Option<&Guard>, found: &mut Findings<'_>) {
    if let Some(guard) = guard.filter(|guard| guard.quoted) {
        let message = "custom promises can't stand under a guard in quotes";
        found.add(guard.span, message);
    }
    for attribute in &promise.attributes {
        match &*attribute.name.text {
            "ifvarclass" => {
                let message = "custom promises have no `ifvarclass`, use `if` instead";
                found.add(attribute.name.span, message);
            }
            "expireafter" if !found.release.allows_expireafter => {
                let message = "custom promises have no `expireafter` yet";
                found.add(attribute.name.span, message);
            }
            _ => {}
        }
    }
}
