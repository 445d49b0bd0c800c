//! Detects policies whose evaluation starts no program.

use crate::functions;
use cfengine_policy::tree::{Body, Call, Policy, Rval};

/// Whether no function of a policy starts programs, so that evaluating it does no harm.
pub fn is_inert(policy: &Policy) -> bool {
    let sections = policy.bundles.iter().flat_map(|bundle| &bundle.sections);
    let contexts = sections.flat_map(|section| &section.contexts);
    let promises = contexts.flat_map(|context| &context.items);
    let bodies = policy.bodies.iter().flat_map(Body::attributes);
    let mut attributes = promises
        .flat_map(|promise| &promise.attributes)
        .chain(bodies.map(|(_, attribute)| attribute));
    attributes.all(|attribute| is_inert_value(&attribute.value))
}

fn is_inert_value(value: &Rval) -> bool {
    match value {
        Rval::Call(call) => is_inert_call(call) && call.arguments.iter().all(is_inert_value),
        Rval::List(list) => list.items.iter().all(is_inert_value),
        Rval::String(_) | Rval::Symbol(_) | Rval::Variable(_) => true,
    }
}

fn is_inert_call(call: &Call) -> bool {
    let name = &*call.name.text;
    let how = call.arguments.first().and_then(Rval::scalar);
    let pipes = how.is_some_and(|how| how.contains('$') || &**how == "json_pipe");
    // A name that is built during the run may be any function.
    let starts = name.contains('$') || functions::starts_programs(name);
    !(starts || name == "mapdata" && pipes)
}
