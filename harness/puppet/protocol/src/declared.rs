//! Features that a type declares, and the methods that its provider has.

use crate::message::Answer;
use crate::phase;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_json::Json;
use stickler_judge::{Ledger, Level, Variant};

/// The feature without the method.
const NO_METHOD: Variant = Variant::new("no-method");
/// The method without the feature.
const NO_FEATURE: Variant = Variant::new("no-feature");

/// Judges whether each provider has a method if, and only if, its type declares the feature.
pub(crate) fn agree(session: &Session, ledger: &mut Ledger, feature: &str, method: &str) {
    for (call, answer) in session.calls(phase::OPEN) {
        let Answer::Result(result) = answer else {
            continue;
        };
        let definition = session.definition_of(call);
        let (Some(definition), Some(Json::Object(methods))) = (definition, result.get("methods"))
        else {
            continue;
        };
        let has = methods
            .iter()
            .any(|one| one.key.as_bytes() == method.as_bytes());
        let broken = match (definition.has_feature(feature), has) {
            (true, false) => Some(NO_METHOD.says(format!(
                "the type declares `{feature}`, and the provider has no `{method}`"
            ))),
            (false, true) => Some(NO_FEATURE.says(format!(
                "the provider has `{method}`, and the type does not declare `{feature}`"
            ))),
            (true, true) => None,
            (false, false) => continue,
        };
        // A method that does nothing is not missed.
        let is_idle = matches!(result.get("idle"), Some(Json::Array(names)) if names.iter().any(|name| is_text(name, method)));
        match broken {
            Some(broken) if is_idle => {
                let finding = ledger.finding(call.number, broken).at_most(Level::May);
                ledger.report(finding.graded(call.provenance));
            }
            broken => ledger.check(call.number, call.provenance, broken),
        }
    }
}

fn is_text(json: &Json, text: &str) -> bool {
    matches!(json, Json::String(own) if own.as_str() == Some(text))
}

/// Does the provider of a call inherit this method from the library?
pub(crate) fn inherits(session: &Session, call: &Call, method: &str) -> bool {
    let open = session.opening(call);
    let inherited = open.and_then(|(_, answer)| answer.value("inherited"));
    match inherited {
        Some(Value::Array(names)) => names
            .iter()
            .any(|name| name.as_str().or(name.as_symbol()) == Some(method)),
        Some(Value::Hash(names)) => names
            .iter()
            .any(|(name, _)| name.as_symbol() == Some(method)),
        _ => false,
    }
}

/// Can a method with these parameters be called with so many arguments, and no keywords?
pub(crate) fn takes(parameters: &Json, count: usize) -> bool {
    let Json::Array(parameters) = parameters else {
        return true;
    };
    let kind = |parameter: &Json| match parameter {
        Json::Array(parts) => match parts.first() {
            Some(Json::String(kind)) => kind.as_str().unwrap_or_default().to_owned(),
            _ => String::new(),
        },
        _ => String::new(),
    };
    let kinds: Vec<String> = parameters.iter().map(kind).collect();
    let of = |wanted: &str| kinds.iter().filter(|kind| *kind == wanted).count();
    let least = of("req");
    let most = least + of("opt");
    of("keyreq") == 0 && least <= count && (count <= most || of("rest") > 0)
}

/// Does a provider have `set` from SimpleProvider?
pub(crate) fn is_simple(opened: &Answer) -> bool {
    let listed = |key: &str, name: &str| match opened.value(key) {
        Some(Value::Array(names)) => names.iter().any(|one| one.as_str() == Some(name)),
        _ => false,
    };
    listed("ancestors", "Puppet::ResourceApi::SimpleProvider") && listed("inherited", "set")
}

/// The kind of the parameter of this name, as Ruby tells it. `keyrest` stands for any keyword.
pub(crate) fn parameter<'p>(parameters: &'p Json, name: &str) -> Option<&'p str> {
    let Json::Array(parameters) = parameters else {
        return None;
    };
    let part = |parameter: &'p Json, at: usize| match parameter {
        Json::Array(parts) => match parts.get(at) {
            Some(Json::String(text)) => text.as_str(),
            _ => None,
        },
        _ => None,
    };
    let mut kinds = parameters.iter().filter_map(|parameter| {
        let kind = part(parameter, 0)?;
        (kind == "keyrest" || part(parameter, 1) == Some(name)).then_some(kind)
    });
    kinds.next()
}
