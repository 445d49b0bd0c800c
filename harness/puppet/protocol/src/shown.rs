//! What a call shows to others: messages, exceptions, output.

use crate::phase;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::{Ledger, Variant};

/// In a message.
const MESSAGE: Variant = Variant::new("message");
/// In an exception.
const ERROR: Variant = Variant::new("error");
/// In output.
const OUTPUT: Variant = Variant::new("output");

/// A text that others may read.
pub(crate) struct Shown {
    /// The defect if it holds a secret.
    pub variant: Variant,
    /// Where it shows, in words.
    pub place: &'static str,
    pub text: String,
}

/// The texts of a call that others may read. What is wrapped shows nothing.
pub(crate) fn shown(call: &Call) -> Vec<Shown> {
    let mut all = Vec::new();
    let mut add = |variant, place, text| {
        all.push(Shown {
            variant,
            place,
            text,
        });
    };
    for event in &call.events {
        for argument in &event.arguments {
            let text = match argument {
                Value::String(text) => text.clone(),
                other => other.inspect(),
            };
            add(MESSAGE, "a message", text);
        }
        if let Some(error) = &event.error {
            add(ERROR, "an exception", error.message.clone());
        }
    }
    if let Some(failure) = call.answer.as_ref().and_then(|answer| answer.failure()) {
        add(ERROR, "an exception", failure.message.clone());
    }
    if let Some(reason) = reason(call) {
        add(MESSAGE, "the reason that `insync?` gives", reason);
    }
    for bytes in [&call.printed, &call.errors] {
        let text = String::from_utf8_lossy(bytes).into_owned();
        add(OUTPUT, "what it prints", text);
    }
    all
}

/// Why a property is not in sync, if `insync?` says so: runtimes log this.
fn reason(call: &Call) -> Option<String> {
    if call.phase != phase::INSYNC {
        return None;
    }
    match call.value()?.as_array()? {
        [Value::Bool(false), Value::String(reason)] => Some(reason.clone()),
        _ => None,
    }
}

/// Checks that no secret shows at the places of any call.
pub(crate) fn check_secrets(
    session: &Session,
    ledger: &mut Ledger,
    secrets: &[(String, String)],
    places: impl Fn(&Call) -> Vec<Shown>,
) {
    let answered = session.exchanges.iter();
    for call in answered.filter(|call| call.answer.is_some()) {
        for (name, secret) in secrets {
            let mut all = places(call).into_iter();
            let found = all.find(|shown| shown.text.contains(secret));
            let broken = found.map(|shown| {
                shown
                    .variant
                    .says(format!("the value of `{name}` shows in {}", shown.place))
            });
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
