//! A value as Ruby writes it, without what a finding does not speak of.

use puppet_types::Value;
use stickler_reading::words::cut;

/// Shorter values stay as they are, in characters.
const SHORT: usize = 48;
/// The longest value that a finding speaks of, in characters.
const LONG: usize = 80;

/// Leaves out the pairs and items of a long value that have nothing to do with these names. A value
/// that has none of them stays whole.
pub(crate) fn brief(value: &Value, named: &[&str]) -> String {
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

#[cfg(test)]
mod tests {
    use super::brief;
    use puppet_types::Value;

    fn symbol(name: &str) -> Value {
        Value::Symbol(name.to_owned())
    }

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    fn row(name: &str, note: &str) -> Value {
        let pairs = [
            ("name", name),
            ("ensure", "present"),
            ("owner", "somebody with a long name"),
            ("note", note),
        ];
        Value::Hash(
            pairs
                .iter()
                .map(|(key, value)| (symbol(key), text(value)))
                .collect(),
        )
    }

    #[test]
    fn what_a_finding_names_stays() {
        let rows = Value::Array(vec![row("a", "1"), row("b", "2"), row("c", "3")]);
        assert_eq!(
            brief(&rows, &["b", "note"]),
            r#"[{…, :note=>"1"}, {:name=>"b", …, :note=>"2"}, {…, :note=>"3"}]"#
        );
        assert_eq!(brief(&rows, &["b"]), r#"[…, {:name=>"b", …}, …]"#);
    }

    #[test]
    fn without_a_name_all_stays() {
        let rows = Value::Array(vec![row("a", "1"), row("b", "2")]);
        assert_eq!(brief(&rows, &["get"]), rows.inspect());
        let short = Value::Array(vec![text("a"), text("b")]);
        assert_eq!(brief(&short, &["a"]), r#"["a", "b"]"#);
    }
}
