//! Resources that are written and read again: through gob as the engine does, and as YAML has them.

use crate::requests::{ask_about, get, make, pair, simple};
use mgmt_protocol::{Described, Field, phase, purpose, request};
use serde_json::{Value as Json, json};
use stickler_suite::{CaseBuilder, Instance};
use stickler_transcript::{Key, Value};

/// Writes an item and reads it again, in each way that its kind has, once the request `after` was accepted.
pub(super) fn both(case: &mut CaseBuilder<'_>, kind: &Described, item: &Instance, after: &Key) {
    round(case, kind, item, after);
    if kind.has_method("UnmarshalYAML") && is_in_yaml(kind, item) {
        read(case, kind, item, after);
    }
}

/// Through gob.
fn round(case: &mut CaseBuilder<'_>, kind: &Described, item: &Instance, after: &Key) {
    if points_to_zero(kind, item) {
        return;
    }
    let again = item.twin("again");
    case.provide(&again);
    let key = purpose::ROUND.of(&again.info.label);
    let params = json!({ "resource": &*again.info.label, "from": &*item.info.label });
    let written = Some(after.clone());
    ask_about(case, phase::ROUND, key.clone(), written, &again, &params);
    let cmp = purpose::CMP.of(&again.info.label);
    pair(case, phase::CMP, cmp, key, &again, [&again, item]);
}

/// As YAML has it.
fn read(case: &mut CaseBuilder<'_>, kind: &Described, item: &Instance, after: &Key) {
    let read = item.twin("read");
    unmarshals(case, &read, item, &in_yaml(kind, item), after);
    let key = purpose::UNMARSHAL.of(&read.info.label);
    let cmp = purpose::CMP.of(&read.info.label);
    pair(case, phase::CMP, cmp, key, &read, [&read, item]);
}

/// One that is told nothing is what `Default` gives.
pub(super) fn nothing(case: &mut CaseBuilder<'_>, item: &Instance, after: &Key) {
    let nothing = Instance::bare("nothing", &item.kind, "stickler");
    unmarshals(case, &nothing, item, &json!({}), after);
    let plain = Instance::bare("plain", &item.kind, "stickler");
    case.provide(&plain);
    make(case, &plain);
    get(case, &plain, 1);
    let key = purpose::UNMARSHAL.of("nothing");
    let own = purpose::GET.of("nothing");
    simple(case, phase::GET, own, Some(key), &nothing);
}

fn unmarshals(
    case: &mut CaseBuilder<'_>,
    read: &Instance,
    item: &Instance,
    fields: &Json,
    after: &Key,
) {
    case.provide(read);
    let label = &read.info.label;
    let params = json!({ "resource": &**label, "from": &*item.info.label, "fields": fields });
    let key = purpose::UNMARSHAL.of(label);
    let after = Some(after.clone());
    ask_about(case, phase::UNMARSHAL, key, after, read, &params);
}

/// The fields of an item by their names in YAML.
fn in_yaml(kind: &Described, item: &Instance) -> Json {
    let named = item.attributes.iter().map(|(name, value)| {
        let known = String::from_utf8_lossy(name);
        let field = kind.field(&known);
        let name = field.and_then(yaml_name).map_or(name.clone(), Vec::from);
        (name, value.clone())
    });
    request::fields(&named.collect::<Vec<_>>())
}

/// The name of a field in YAML, if it has one.
fn yaml_name(field: &Field) -> Option<&str> {
    let name = field.yaml.as_deref();
    name.filter(|name| !name.is_empty() && *name != "-")
}

/// Can YAML say the field that makes a variant?
fn is_in_yaml(kind: &Described, item: &Instance) -> bool {
    let Some(varied) = item.info.field.as_deref() else {
        return true;
    };
    let field = kind.field(varied);
    field.is_some_and(|field| yaml_name(field).is_some())
}

/// Does a field point to nothing but a zero value? gob makes nil of it, whatever the resource.
fn points_to_zero(kind: &Described, item: &Instance) -> bool {
    let mut pointers = kind.fields.iter().filter(|field| field.kind == "ptr");
    pointers.any(|field| match item.value(field.key()) {
        Some(Value::Bool(truth)) => !truth,
        Some(Value::Number(number)) => number.parse() == Ok(0.0),
        Some(Value::Text(text)) => text.is_empty(),
        _ => false,
    })
}
