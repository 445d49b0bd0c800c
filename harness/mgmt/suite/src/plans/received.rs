//! A value that a running resource receives, and a new resource that has it from the start.

use crate::requests::{ask_about, begin, calls};
use crate::shown::Shown;
use crate::values::other_of_any;
use mgmt_protocol::{phase, purpose, request};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Value, Variation};

/// How many fields of an example receive something.
const FIELDS: usize = 8;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        let kind = shown
            .kind(&item.kind)
            .filter(|kind| kind.has_trait("recvable"));
        // What the engine sets has a tag of the language.
        let fields = kind.into_iter().flat_map(|kind| &kind.fields);
        let mut fields: Vec<_> = fields.filter(|field| field.lang.is_some()).collect();
        // What the example sets is what matters.
        fields.sort_by_key(|field| item.value(field.key()).is_none());
        for field in fields.into_iter().take(FIELDS) {
            if let Some(value) = other_of_any(field, item.value(field.key())) {
                cases.push(one(setting, &item, field.key(), value));
            }
        }
    }
    cases
}

fn one(setting: &Setting<'_>, item: &Instance, key: &str, value: Value) -> Case {
    let label = &item.info.label;
    let mut case = setting.case(format!("received/{label}/{key}"));
    case.setup(item).observing().open();
    begin(&mut case, item);
    let begun = purpose::INIT.of(label);
    let source = json!({ key: { "from": null, "kind": "sender", "name": "stickler", "key": key } });
    let params = json!({ "resource": &**label, "fields": source });
    let receives = purpose::RECEIVES.of(label);
    ask_about(
        &mut case,
        phase::RECEIVES,
        receives.clone(),
        Some(begun),
        item,
        &params,
    );
    case.evaluate(item);
    // What has found the state right may think that nothing is left to do.
    case.evaluate_as(purpose::SETTLED.part("before"), Purpose::VALIDATE, item);
    // The engine sets the field of the running resource.
    let fields = request::fields(&[(key.as_bytes().to_vec(), value.clone())]);
    let params = json!({ "resource": &**label, "fields": fields });
    let set = purpose::SET.turn(2).of(label);
    ask_about(&mut case, phase::SET, set, Some(receives), item, &params);
    case.validate_as(Purpose::VALIDATE.turn(2), item);
    let told = json!({ "changed": [key] });
    calls(&mut case, Purpose::EVALUATE.turn(2).of(label), item, &told);
    // The control: one call is enough.
    calls(&mut case, purpose::SETTLED.of(label), item, &json!({}));
    let words = format!("another value of \"{key}\" from the start");
    let mut fresh = item.variant(Variation::Typed, key, "", words);
    fresh.set(key, value);
    case.validate(&fresh);
    case.evaluate_as(Purpose::LOOK, Purpose::VALIDATE, &fresh.looked_at());
    case.evaluate(&fresh);
    case.evaluate_as(Purpose::LOOK.turn(2), Purpose::VALIDATE, &fresh.looked_at());
    case.terminate().build()
}
