//! Additional requirements for a policy with a `body common control`.

use super::findings::Findings;
use super::truth;
use crate::syntax::{Type, syntax};
use crate::tree::{Attribute, Bundle, Policy, Promise, Rval};

/// Every promise needs a comment if the control body requires it.
pub(super) fn comments(policy: &Policy, found: &mut Findings<'_>) {
    let Some(control) = policy.control("common") else {
        return;
    };
    let asked = control.attributes().any(|(guard, attribute)| {
        let yes = attribute.value.scalar();
        let yes = yes.is_some_and(|text| matches!(&**text, "true" | "yes" | "on"));
        truth::of(guard) == Some(true) && &*attribute.name.text == "require_comments" && yes
    });
    if !asked {
        return;
    }
    for promise in policy.bundles.iter().flat_map(built_in) {
        if promise.attribute("comment").is_none() {
            let message = "the promise needs a comment: `require_comments` is set";
            found.add(promise.promiser.span, message);
        }
    }
}

fn built_in(bundle: &Bundle) -> impl Iterator<Item = &Promise> {
    let sections = bundle.sections.iter();
    sections
        .filter(|section| syntax().is_built_in(&section.kind.text))
        .flat_map(|section| section.promises().map(|(_, promise)| promise))
}

/// Bodies that promises name must exist.
pub(super) fn bodies(policy: &Policy, found: &mut Findings<'_>) {
    for bundle in &policy.bundles {
        for section in &bundle.sections {
            let kind = &*section.kind.text;
            for (_, promise) in section.promises() {
                for attribute in &promise.attributes {
                    if names_body(bundle, kind, attribute) {
                        body(policy, attribute, found);
                    }
                }
            }
        }
    }
}

fn names_body(bundle: &Bundle, kind: &str, attribute: &Attribute) -> bool {
    let Some(known) = syntax().promise_type(&bundle.component.text, kind) else {
        return false;
    };
    let name = &*attribute.name.text;
    let constraint = known.attributes.get(name).or_else(|| syntax().common(name));
    constraint.is_some_and(|constraint| constraint.kind == Type::Body)
}

fn body(policy: &Policy, attribute: &Attribute, found: &mut Findings<'_>) {
    let full = match &attribute.value {
        Rval::Call(call) => &*call.name.text,
        other => match other.scalar() {
            Some(text) => text,
            None => return,
        },
    };
    let (namespace, name) = match full.split_once(':') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, full),
    };
    let kind = &*attribute.name.text;
    let defined = policy.bodies.iter().any(|body| {
        let own = &*body.name.text;
        let own = own.split_once(':').map_or(own, |(_, own)| own);
        &*body.kind.text == kind
            && own == name
            && namespace.is_none_or(|namespace| namespace == &*body.namespace)
    });
    if !defined {
        let message = format!("there is no `body {kind} {full}`");
        found.add(attribute.value.span(), message);
    }
}
