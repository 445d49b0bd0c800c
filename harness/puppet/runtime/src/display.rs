//! Values as Puppet writes them in messages about changes and in `puppet resource`
//! (`Puppet::Parameter.format_value_for_display`).

use puppet_types::Value;
use puppet_types::value::puppet_quoted;

/// The value as Puppet shows it.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::Symbol(name) if name == "undef" => String::new(),
        Value::Float(number) => fixed(*number),
        Value::Regexp { source, .. } => source.clone(),
        Value::Sensitive(_) => value.to_text(),
        _ => inner(value, Severity::top()),
    }
}

/// How deep a value stands, and whether it is the first in its container.
#[derive(Clone, Copy)]
struct Severity {
    depth: usize,
    first: bool,
}

impl Severity {
    fn top() -> Self {
        Severity {
            depth: 0,
            first: true,
        }
    }

    fn inside(self, first: bool) -> Self {
        Severity {
            depth: self.depth + 1,
            first,
        }
    }

    fn padding(self) -> String {
        "  ".repeat(self.depth)
    }
}

fn inner(value: &Value, level: Severity) -> String {
    match value {
        Value::Undef => "undef".to_owned(),
        Value::Symbol(name) if name == "undef" => "undef".to_owned(),
        Value::Symbol(name) if name == "default" => "default".to_owned(),
        Value::String(text) | Value::Symbol(text) => puppet_quoted(text),
        Value::Array(items) => array(items, level),
        Value::Hash(pairs) => hash(pairs, level),
        Value::Binary(_) => value.to_text(),
        Value::Regexp { source, .. } => format!("/{source}/"),
        _ => value.inspect(),
    }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_))
}

fn array(items: &[Value], level: Severity) -> String {
    let mut out = String::new();
    // Containers inside others start on a line of their own.
    if level.depth > 0 && !level.first {
        out.push('\n');
        out.push_str(&level.padding());
    }
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        let child = level.inside(false);
        let text = inner(item, child);
        if index > 0 {
            out.push_str(", ");
            if is_container(&items[index - 1]) && !is_container(item) {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.push_str(&child.padding());
            }
        }
        if text.starts_with('\n') {
            out.truncate(out.trim_end_matches(' ').len());
        }
        out.push_str(&text);
    }
    out.push(']');
    out
}

fn hash(pairs: &[(Value, Value)], level: Severity) -> String {
    let mut out = String::new();
    if level.depth > 0 && !level.first {
        out.push('\n');
        out.push_str(&level.padding());
    }
    let child = level.inside(true);
    let members: Vec<String> = pairs
        .iter()
        .map(|(key, value)| {
            let (key, value) = (inner(key, child), inner(value, child));
            format!("{}{key} => {value}", child.padding())
        })
        .collect();
    out.push_str("{\n");
    out.push_str(&members.join(",\n"));
    out.push('\n');
    out.push_str(&level.padding());
    out.push('}');
    out
}

/// As C's `%f`.
fn fixed(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-Inf" } else { "Inf" }.to_owned();
    }
    format!("{number:.6}")
}
