//! The resource of an example, without an apply: validated, compared, begun and ended.

use crate::requests::{
    ask_about, cleanup, cmp, counts, get, init, made, make, pair, simple, validated,
};
use crate::shown::Shown;
use mgmt_protocol::{Described, Field, phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Value, Variation};

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        let Some(kind) = shown.kind(&item.kind) else {
            continue;
        };
        cases.push(life(shown, setting, kind, &item));
        cases.push(fields(setting, kind, &item));
    }
    cases
}

/// Validated twice, compared before and after `Init`, ended, with a second one like it.
fn life(shown: &Shown, setting: &Setting<'_>, kind: &Described, item: &Instance) -> Case {
    let mut case = setting.case(format!("resource/{}", item.info.label));
    case.setup(item).observing().open();
    let twin = item.twin("like");
    let case = &mut case;
    make(case, item);
    case.provide(&twin);
    make(case, &twin);
    get(case, item, 1);
    case.validate(item);
    get(case, item, 2);
    case.validate_as(Purpose::VALIDATE.turn(2), item);
    compared(case, item, &twin, 1);
    let mut other_kinds = shown.registered.iter().filter(|other| **other != item.kind);
    if let Some(other) = other_kinds.next() {
        let other = Instance::bare("foreign", other, "stickler");
        case.provide(&other);
        make(case, &other);
        cmp(case, item, &other, 91, &other);
    }
    if kind.has_method("Copy") {
        copied(case, item);
    }
    if kind.has_trait("edgeable") {
        uids(case, kind, item);
    }
    counts(case, 1);
    init(case, item, validated(item));
    compared(case, item, &twin, 11);
    case.validate_as(Purpose::VALIDATE.turn(3), item);
    cleanup(case, &item.info.label);
    counts(case, 2);
    case.terminate().build()
}

/// Compares an item with itself, and with one like it in both directions, with a look at the fields around it.
fn compared(case: &mut CaseBuilder<'_>, item: &Instance, twin: &Instance, turn: usize) {
    cmp(case, item, item, turn, item);
    get(case, item, 10 * turn);
    get(case, twin, 10 * turn);
    cmp(case, item, twin, turn + 1, twin);
    get(case, item, 10 * turn + 1);
    get(case, twin, 10 * turn + 1);
    cmp(case, twin, item, turn + 2, twin);
}

fn copied(case: &mut CaseBuilder<'_>, item: &Instance) {
    let copy = item.twin("copy");
    case.provide(&copy);
    let label = &copy.info.label;
    let key = purpose::COPY.of(label);
    let params = json!({ "resource": &**label, "from": &*item.info.label });
    let after = Some(made(item));
    ask_about(case, phase::COPY, key.clone(), after, &copy, &params);
    for (phase, purpose) in [(phase::SHARED, purpose::SHARED), (phase::CMP, purpose::CMP)] {
        pair(
            case,
            phase,
            purpose.of(label),
            key.clone(),
            &copy,
            [&copy, item],
        );
    }
}

fn uids(case: &mut CaseBuilder<'_>, kind: &Described, item: &Instance) {
    let label = &item.info.label;
    for turn in [1, 2] {
        simple(
            case,
            phase::UIDS,
            purpose::UIDS.turn(turn).of(label),
            Some(made(item)),
            item,
        );
    }
    iff(case, item, item);
    let mut named = item.twin("longer");
    named.set_name([item.name(), b"2"].concat());
    case.provide(&named);
    make(case, &named);
    iff(case, item, &named);
    // What the resource is may lie in its fields.
    let mut other = named.clone();
    other.info.label = format!("{label}.other").into();
    for (key, value) in &item.attributes {
        let key = String::from_utf8_lossy(key);
        let field = kind.fields.iter().find(|field| field.is_called(&key));
        if let Some(another) = field.and_then(|field| other_value(field, Some(value))) {
            other.set(&key, another);
        }
    }
    if other.attributes != named.attributes {
        case.provide(&other);
        make(case, &other);
        iff(case, item, &other);
    }
}

/// Compares the UIDs of two resources, the second of which was made last.
fn iff(case: &mut CaseBuilder<'_>, one: &Instance, other: &Instance) {
    let key = purpose::IFF.of(&other.info.label);
    pair(case, phase::IFF, key, made(other), other, [one, other]);
}

/// The item, and one that differs in a single field, for each field.
fn fields(setting: &Setting<'_>, kind: &Described, item: &Instance) -> Case {
    let mut case = setting.case(format!("fields/{}", item.info.label));
    case.setup(item).observing().open();
    let case = &mut case;
    case.validate(item);
    for field in &kind.fields {
        let key = field.key().to_owned();
        let Some(value) = other_value(field, item.value(&key)) else {
            continue;
        };
        let words = format!("another value of \"{key}\"");
        let mut other = item.variant(Variation::Typed, &key, "", words);
        other.set(&key, value);
        // What is not valid need not be told apart.
        case.validate(&other);
        for (turn, sides) in [(1, [item, &other]), (2, [&other, item])] {
            let key = purpose::CMP.turn(turn).of(&other.info.label);
            pair(case, phase::CMP, key, validated(&other), &other, sides);
        }
    }
    case.terminate().build()
}

/// A value of the field's type that is not the present one. `None` for types that hold no plain values.
fn other_value(field: &Field, present: Option<&Value>) -> Option<Value> {
    let number = |text: &str| Value::Number(text.into());
    Some(match field.kind.as_str() {
        "string" => match present.and_then(Value::as_text) {
            Some(text) => Value::Text([text, b"x"].concat()),
            None => Value::text("x"),
        },
        "bool" => Value::Bool(present != Some(&Value::Bool(true))),
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32"
        | "uint64" => match present {
            Some(Value::Number(known)) => {
                let known: i64 = known.parse().ok()?;
                number(&(if known > 1 { known - 1 } else { known + 1 }).to_string())
            }
            _ => number("1"),
        },
        "float32" | "float64" => match present {
            Some(Value::Number(_)) => number("0.25"),
            _ => number("0.5"),
        },
        "slice" if field.type_name == "[]string" => match present {
            Some(Value::List(items)) => {
                let mut items = items.clone();
                items.push(Value::text("x"));
                Value::List(items)
            }
            _ => Value::List(vec![Value::text("x")]),
        },
        "map" if field.type_name == "map[string]string" => match present {
            Some(Value::Object(members)) => {
                let mut members = members.clone();
                members.push((b"x".to_vec(), Value::text("x")));
                Value::Object(members)
            }
            _ => Value::Object(vec![(b"x".to_vec(), Value::text("x"))]),
        },
        "ptr" if field.type_name == "*string" => match present.and_then(Value::as_text) {
            Some(text) => Value::Text([text, b"x"].concat()),
            None => Value::text("x"),
        },
        "ptr" if field.type_name == "*bool" => Value::Bool(present != Some(&Value::Bool(true))),
        _ => return None,
    })
}
