//! Finds duplicates of parts that must be unique in a policy.

use super::findings::Findings;
use crate::source::Span;
use crate::syntax::syntax;
use crate::tree::{Name, Policy, Rval, Section};
use crate::variable;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Bundles and bodies with the same type, namespace and name.
pub(super) fn blocks(policy: &Policy, found: &mut Findings<'_>) {
    let mut seen = HashMap::new();
    for bundle in &policy.bundles {
        let key = (
            &*bundle.component.text,
            &*bundle.namespace,
            &*bundle.name.text,
        );
        if seen.insert(key, ()).is_some() {
            again("bundle", &bundle.component, &bundle.name, found);
        }
    }
    let mut seen = HashMap::new();
    for body in &policy.bodies {
        // Each file may have its own `body file control`.
        let kept = &*body.kind.text != "file" && !syntax().is_removed_body(&body.kind.text);
        let key = (&*body.kind.text, &*body.namespace, &*body.name.text);
        if kept && seen.insert(key, ()).is_some() {
            again("body", &body.kind, &body.name, found);
        }
    }
}

fn again(keyword: &str, kind: &Name, name: &Name, found: &mut Findings<'_>) {
    let message = format!("there is a `{keyword} {} {}` already", kind.text, name.text);
    found.add(name.span, message);
}

/// Handles without variables, under the same guard.
pub(super) fn handles(policy: &Policy, found: &mut Findings<'_>) {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for bundle in &policy.bundles {
        for (kind, sections) in bundle.by_kind() {
            if !syntax().is_built_in(kind) {
                continue;
            }
            for (guard, promise) in sections.into_iter().flat_map(Section::promises) {
                let Some(value) = promise.attribute("handle") else {
                    continue;
                };
                let Some((handle, span)) = text(value) else {
                    continue;
                };
                if variable::holds(handle) == Some(true) {
                    continue;
                }
                let guard = guard.filter(|guard| !guard.quoted);
                let guard = guard.map_or("any", |guard| &guard.text);
                match seen.entry(handle) {
                    Entry::Vacant(entry) => _ = entry.insert(guard),
                    Entry::Occupied(entry) if *entry.get() == guard => {
                        found.add(span, format!("there is a handle `{handle}` already"));
                    }
                    Entry::Occupied(_) => {}
                }
            }
        }
    }
}

fn text(value: &Rval) -> Option<(&str, Span)> {
    Some((value.scalar()?, value.span()))
}
