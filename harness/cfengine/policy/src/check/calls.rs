//! Calls that cf-agent evaluates when it loads a policy: in variables of all bundles, and in
//! classes of common bundles. It stops at a wrong number of arguments, or at a wrong argument
//! without variables.

use super::findings::Findings;
use super::truth;
use crate::syntax::syntax;
use crate::tree::{Call, Policy, Rval};

pub(super) fn evaluated(policy: &Policy, found: &mut Findings<'_>) {
    for bundle in &policy.bundles {
        let common = &*bundle.component.text == "common";
        let classes = bundle.promises("classes").filter(|_| common);
        for (guard, promise) in bundle.promises("vars").chain(classes) {
            if truth::of(guard) == Some(true) && truth::is_unconditional(promise) {
                for attribute in &promise.attributes {
                    value(&attribute.value, found);
                }
            }
        }
    }
}

/// The starts of a reference.
const OPENINGS: [&str; 4] = ["$(", "${", "@(", "@{"];

fn value(value: &Rval, found: &mut Findings<'_>) {
    match value {
        Rval::Call(inner) => call(inner, found),
        Rval::List(list) => {
            for item in &list.items {
                self::value(item, found);
            }
        }
        _ => {}
    }
}

/// The parser limits the depth of calls to nine, so the recursion is bounded.
fn call(call: &Call, found: &mut Findings<'_>) {
    let name = &*call.name.text;
    let Some(function) = syntax().function(name) else {
        return;
    };
    let (wants, has) = (function.parameters.len(), call.arguments.len());
    if !function.variadic && wants != has {
        let message = format!("`{name}` takes {wants} arguments, not {has}");
        found.add(call.span, message);
        return;
    }
    let known = call.arguments.iter().all(|argument| {
        let text = argument.scalar();
        text.is_some_and(|text| !OPENINGS.iter().any(|opening| text.contains(opening)))
    });
    if known && function.variadic {
        let number = if function.odd && has % 2 == 0 {
            Some("an odd number of".to_owned())
        } else if has < function.least {
            Some(format!("at least {}", function.least))
        } else if has > function.most {
            Some(format!("at most {}", function.most))
        } else {
            None
        };
        if let Some(number) = number {
            found.add(
                call.span,
                format!("`{name}` takes {number} arguments, not {has}"),
            );
        }
    }
    for (argument, parameter) in call.arguments.iter().zip(function.parameters.iter()) {
        if let Rval::Call(inner) = argument {
            self::call(inner, found);
        } else if known && let Err(mismatch) = parameter.check_item(name, argument) {
            found.add(argument.span(), mismatch.to_string());
        }
    }
}
