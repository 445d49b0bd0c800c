//! Reads the format versions 1 and 2, which knew one dialect, promise modules.

use crate::first::First;
use crate::{Case, Event, Relation, Variation};
use serde_json::{Map, Value};

/// Parses the first line of a session in version 1 or 2.
pub(crate) fn case(line: &[u8]) -> Result<First<Case>, serde_json::Error> {
    let mut value: Value = serde_json::from_slice(line)?;
    if let Value::Object(case) = &mut value {
        upgrade_case(case);
    }
    serde_json::from_value(value)
}

/// Parses any other line of such a session.
pub(crate) fn event(line: &[u8]) -> Result<Event, serde_json::Error> {
    let mut value: Value = serde_json::from_slice(line)?;
    if let Value::Object(event) = &mut value {
        match event.get("event").and_then(Value::as_str) {
            Some("outcome") => upgrade_outcome(event),
            _ => rename(event, "promise", "item"),
        }
    }
    serde_json::from_value(value)
}

fn upgrade_case(case: &mut Map<String, Value>) {
    let mut facts = Map::new();
    if let Some(Value::Object(subject)) = case.get_mut("subject") {
        for name in ["promise_types", "executes", "open_attributes"] {
            facts.extend(subject.remove(name).map(|value| (name.to_owned(), value)));
        }
    }
    let protocol = case.remove("protocol").filter(|value| !value.is_null());
    facts.extend(protocol.map(|value| ("protocol".to_owned(), value)));
    case.insert("facts".to_owned(), Value::Object(facts));
    rename(case, "promises", "items");
    for item in objects(case.get_mut("items")) {
        rename(item, "variant", "description");
        rename(item, "kind", "variation");
        // Versions 1 and 2 allowed free names, which no rule read.
        forget_unknown(item, "variation", |name| Variation::parse(name).is_some());
    }
    if let Some(Value::Array(groups)) = case.get_mut("groups") {
        let known = |name: &str| Relation::parse(name).is_some();
        groups.retain(|group| group["relation"].as_str().is_some_and(known));
    }
    if let Some(Value::Object(deadlines)) = case.get_mut("deadlines") {
        for phase in ["header", "validate", "evaluate", "terminate"] {
            rename(deadlines, &format!("{phase}_us"), phase);
        }
    }
    if let Some(Value::Object(plan)) = case.get_mut("plan") {
        for step in objects(plan.get_mut("steps")) {
            rename(step, "promise", "item");
        }
    }
}

fn upgrade_outcome(outcome: &mut Map<String, Value>) {
    for (old, new) in [
        ("promise_type", "kind"),
        ("promiser", "identity"),
        ("promise", "place"),
        ("pass", "turn"),
        ("result_classes", "defines"),
    ] {
        rename(outcome, old, new);
    }
    let fate = match outcome.get("outcome").and_then(Value::as_str) {
        Some("kept") => "unchanged",
        Some("repaired") => "changed",
        Some("not_kept") => "failed",
        _ => return,
    };
    outcome.insert("outcome".to_owned(), fate.into());
}

fn rename(object: &mut Map<String, Value>, old: &str, new: &str) {
    if let Some(value) = object.remove(old) {
        object.insert(new.to_owned(), value);
    }
}

fn forget_unknown(object: &mut Map<String, Value>, field: &str, known: fn(&str) -> bool) {
    let name = object.get(field).and_then(Value::as_str);
    if name.is_some_and(|name| !known(name)) {
        object.remove(field);
    }
}

fn objects(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    let items = list.and_then(Value::as_array_mut).into_iter().flatten();
    items.filter_map(Value::as_object_mut)
}
