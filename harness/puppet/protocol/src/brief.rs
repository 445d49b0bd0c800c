//! A value as Ruby writes it, without what a finding does not speak of.

use puppet_types::Value;
use stickler_reading::words::cut;

/// Shorter values stay as they are, in characters.
const SHORT: usize = 48;
/// The longest value that a finding speaks of, in characters.
const LONG: usize = 80;

/// Leaves out the pairs and items of a long value that have nothing to do with these names. A value
/// that has none of them stays whole.
pub fn brief(value: &Value, named: &[&str]) -> String {
    let whole = value.inspect();
    if whole.chars().count() <= SHORT || !mentions(value, named) {
        return whole;
    }
    match value {
        Value::Hash(pairs) => {
            let kept = pairs.iter().map(|(key, value)| {
                let told = if mentions(value, named) {
                    brief(value, named)
                } else if is_named(key, named) {
                    cut(&value.inspect(), LONG)
                } else {
                    return None;
                };
                Some(format!("{}=>{told}", key.inspect()))
            });
            format!("{{{}}}", listed(kept))
        }
        Value::Array(items) => {
            let kept = items
                .iter()
                .map(|item| mentions(item, named).then(|| brief(item, named)));
            format!("[{}]", listed(kept))
        }
        _ => whole,
    }
}

/// The texts, with a sign for each gap.
fn listed(kept: impl Iterator<Item = Option<String>>) -> String {
    let mut all: Vec<String> = kept
        .map(|text| text.unwrap_or_else(|| "…".to_owned()))
        .collect();
    all.dedup_by(|later, earlier| later == "…" && earlier == "…");
    all.join(", ")
}

fn is_named(value: &Value, named: &[&str]) -> bool {
    let (Value::String(text) | Value::Symbol(text)) = value else {
        return false;
    };
    named.contains(&text.as_str())
}

/// Does the value, or something within it, have one of these names?
fn mentions(value: &Value, named: &[&str]) -> bool {
    match value {
        Value::Hash(pairs) => pairs
            .iter()
            .any(|(key, value)| is_named(key, named) || mentions(value, named)),
        Value::Array(items) => items.iter().any(|item| mentions(item, named)),
        Value::Sensitive(inner) => mentions(inner, named),
        _ => is_named(value, named),
    }
}
