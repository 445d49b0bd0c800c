//! The resource of an example, without an apply: validated, compared, begun and ended.

use super::encoded;
use crate::requests::{
    ask_about, cleanup, cmp, counts, get, init, made, make, pair, simple, validated,
};
use crate::shown::Shown;
use crate::values::{other_inside, other_value};
use mgmt_protocol::{Described, phase, purpose};
use serde_json::json;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Value, Variation};

/// How often a resource is asked for the next UIDs: paths are not that deep.
const WANTED: usize = 40;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for item in subjects(setting, effort) {
        let Some(kind) = shown.kind(&item.kind) else {
            continue;
        };
        cases.push(life(shown, setting, kind, &item));
        cases.push(fields(shown, setting, kind, &item));
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
    encoded::both(case, kind, item, &made(item));
    if kind.has_method("UnmarshalYAML") {
        encoded::nothing(case, item, &made(item));
    }
    if kind.has_trait("edgeable") {
        uids(case, kind, item);
        wanted(case, item);
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

/// What the resource wants automatic edges with, until it wants no more.
fn wanted(case: &mut CaseBuilder<'_>, item: &Instance) {
    let label = &item.info.label;
    let key = purpose::AUTOEDGES.of(label);
    simple(case, phase::AUTOEDGES, key.clone(), Some(made(item)), item);
    let mut before = key;
    for turn in 1..=WANTED {
        for (phase, part) in [(phase::NEXTUIDS, "next"), (phase::TESTUIDS, "test")] {
            let key = purpose::AUTOEDGES
                .part(part)
                .part(&turn.to_string())
                .of(label);
            simple(case, phase, key.clone(), Some(before), item);
            before = key;
        }
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
        let field = kind.field(&key);
        if let Some(another) = field.and_then(|field| other_value(field, Some(value))) {
            other.set(&key, another);
        }
    }
    if other.attributes != named.attributes {
        case.provide(&other);
        make(case, &other);
        iff(case, item, &other);
    }
    // Files of one name may lie in several folders.
    let mut elsewhere = other;
    elsewhere.info.label = format!("{label}.elsewhere").into();
    let mut is_moved = false;
    if let Some(path) = moved(item.name()) {
        elsewhere.set_name(path);
        is_moved = true;
    }
    for (key, value) in &item.attributes {
        if let Some(path) = value.as_text().and_then(moved) {
            elsewhere.set(&String::from_utf8_lossy(key), Value::Text(path));
            is_moved = true;
        }
    }
    if is_moved {
        case.provide(&elsewhere);
        make(case, &elsewhere);
        iff(case, item, &elsewhere);
    }
}

/// A path to a file of the same name in another folder.
fn moved(path: &[u8]) -> Option<Vec<u8>> {
    let at = path.iter().rposition(|byte| *byte == b'/')?;
    path.starts_with(b"/")
        .then(|| [&path[..at], b"/elsewhere", &path[at..]].concat())
}

/// Compares the UIDs of two resources, the second of which was made last.
fn iff(case: &mut CaseBuilder<'_>, one: &Instance, other: &Instance) {
    for (turn, sides) in [(1, [one, other]), (2, [other, one])] {
        let key = purpose::IFF.turn(turn).of(&other.info.label);
        pair(case, phase::IFF, key, made(other), other, sides);
    }
}

/// The item, and one that differs in a single field, for each field.
fn fields(shown: &Shown, setting: &Setting<'_>, kind: &Described, item: &Instance) -> Case {
    let mut case = setting.case(format!("fields/{}", item.info.label));
    case.setup(item).observing().open();
    let case = &mut case;
    case.validate(item);
    get(case, item, 1);
    for field in &kind.fields {
        let key = field.key();
        let default = shown.default_of(kind, field);
        let present = item.value(key).or(default.as_ref());
        let other = other_value(field, present);
        // Where there is nothing inside yet, the other value has something.
        let inside = other_inside(present);
        let deeper = match inside {
            None => other_inside(other.as_ref()),
            Some(_) => None,
        };
        let variant = |suffix: &str, value: Option<Value>| {
            let words = format!("another value of \"{key}\"");
            let mut other = item.variant(Variation::Typed, key, suffix, words);
            other.set(key, value?);
            Some(other)
        };
        let other = variant("", other);
        for one in [&other, &variant(":inside", inside)].into_iter().flatten() {
            differs(case, item, one);
        }
        if let (Some(one), Some(two)) = (&other, &variant(":inside", deeper)) {
            differs(case, one, two);
        }
    }
    case.terminate().build()
}

/// Compares two valid items that differ in one field. The second one is new.
pub(super) fn differs(case: &mut CaseBuilder<'_>, one: &Instance, two: &Instance) {
    // What is not valid need not be told apart.
    let valid = validated(one);
    case.validate_with(Purpose::VALIDATE, two, |send| {
        send.requires = Some(valid.clone());
    });
    get(case, two, 1);
    for (turn, sides) in [(1, [one, two]), (2, [two, one])] {
        let key = purpose::CMP.turn(turn).of(&two.info.label);
        pair(case, phase::CMP, key, validated(two), two, sides);
    }
}
