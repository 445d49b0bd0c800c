//! Variables whose value contains themselves: cf-agent gives up on them.

use super::findings::Findings;
use super::truth;
use crate::tree::{Policy, Rval};
use std::collections::HashMap;

/// Finds them if the variable has no other value in its bundle. An earlier value would be expanded
/// first.
pub(super) fn contained(policy: &Policy, found: &mut Findings<'_>) {
    for bundle in &policy.bundles {
        let mut given: HashMap<&str, usize> = HashMap::new();
        for (_, promise) in bundle.promises("vars") {
            *given.entry(&promise.promiser.text).or_default() += 1;
        }
        for (guard, promise) in bundle.promises("vars") {
            let name = &*promise.promiser.text;
            if truth::of(guard) != Some(true) || !truth::is_unconditional(promise) {
                continue;
            }
            for attribute in &promise.attributes {
                let kind = &*attribute.name.text;
                let itself = matches!(kind, "string" | "slist")
                    && holds(&attribute.value, name)
                    && !nests(&attribute.value);
                if itself && given.get(name) == Some(&1) {
                    let message = format!("the value of `{name}` holds `{name}` itself");
                    found.add(attribute.value.span(), message);
                }
            }
        }
    }
}

/// Whether a text has a reference within another one. The inner one may be unknown, and then
/// cf-agent never reaches the promise.
fn nests(value: &Rval) -> bool {
    let within = |text: &str| {
        let mut opened = text
            .match_indices(['$', '@'])
            .filter(|(at, _)| text[at + 1..].starts_with(['(', '{']));
        opened.any(|(at, _)| {
            let inner = &text[at + 2..];
            let end = inner.find([')', '}']).unwrap_or(inner.len());
            ["$(", "${", "@(", "@{"]
                .iter()
                .any(|open| inner[..end].contains(open))
        })
    };
    match value {
        Rval::List(list) => list.items.iter().any(nests),
        other => other.scalar().is_some_and(|text| within(text)),
    }
}

fn holds(value: &Rval, name: &str) -> bool {
    match value {
        Rval::List(list) => list.items.iter().any(|item| holds(item, name)),
        other => other.scalar().is_some_and(|text| {
            ["$(", "@("]
                .iter()
                .any(|open| text.contains(&format!("{open}{name})")))
                || ["${", "@{"]
                    .iter()
                    .any(|open| text.contains(&format!("{open}{name}}}")))
        }),
    }
}
