//! Features that a type declares, and the methods that its provider has.

use crate::message::Answer;
use crate::phase;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_json::Json;
use stickler_judge::{Ledger, Variant};

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
        ledger.check(call.number, call.provenance, broken);
    }
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
