//! Variables whose value holds themselves: the agent gives up on them.

use super::{Findings, truth};
use crate::tree::{Policy, Rval};
use std::collections::HashMap;

/// Found where the variable has no other value in its bundle; an earlier one
/// would be put in first.
pub(super) fn contained(policy: &Policy, found: &mut Findings) {
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
                let itself = matches!(kind, "string" | "slist") && holds(&attribute.value, name);
                if itself && given.get(name) == Some(&1) {
                    let message = format!("the value of `{name}` holds `{name}` itself");
                    found.add(attribute.value.span(), message);
                }
            }
        }
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
