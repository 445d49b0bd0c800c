//! Bundles and their sections.

use super::findings::Findings;
use super::promise;
use crate::syntax::syntax;
use crate::tree::{Bundle, Policy};

/// Scopes of the agent's own variables.
const RESERVED: [&str; 6] = ["sys", "const", "mon", "edit", "match", "this"];

pub(super) fn bundle(bundle: &Bundle, policy: &Policy, found: &mut Findings<'_>) {
    let component = &bundle.component;
    if !syntax().is_bundle(&component.text) {
        let message = format!("there are no bundles of the kind `{}`", component.text);
        found.add(component.span, message);
    }
    if RESERVED.contains(&&*bundle.name.text) {
        let message = format!("the name `{}` is reserved for the agent", bundle.name.text);
        found.add(bundle.name.span, message);
    }
    for section in &bundle.sections {
        let kind = &section.kind;
        if syntax().is_removed_promise(&kind.text) {
            // cf-agent does not check the rest of such a bundle.
            return;
        }
        let known = syntax().promise_type(&component.text, &kind.text);
        let built_in = syntax().is_built_in(&kind.text);
        let promises: Vec<_> = section.promises().collect();
        if built_in && known.is_none() && !promises.is_empty() {
            let message = format!(
                "there are no promises of the type `{}` in {} bundles",
                kind.text, component.text
            );
            found.add(kind.span, message);
            continue;
        }
        for (guard, promise) in promises {
            promise::any(promise, guard, found);
            match known {
                Some(known) => promise::built_in(promise, known, kind, found),
                None => promise::custom(promise, guard, found),
            }
        }
    }
    super::special::bundle(bundle, policy, found);
}
