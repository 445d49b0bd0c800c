//! Writes containers; keys are sorted, as cf-agent does.

use super::Data;
use crate::map::Map;
use crate::value::Text;
use std::fmt::Write;

impl Data {
    /// On one line, without blanks.
    pub fn compact(&self) -> String {
        let mut out = String::new();
        self.write_compact(&mut out);
        out
    }

    /// On several lines, indented by two blanks per level.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write_pretty(&mut out, 0);
        out
    }

    fn write_compact(&self, out: &mut String) {
        match self {
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write_compact(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (key, value)) in sorted(members).into_iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    let _ = write!(out, "\"{key}\":");
                    value.write_compact(out);
                }
                out.push('}');
            }
            primitive => primitive.write_primitive(out),
        }
    }

    fn write_pretty(&self, out: &mut String, level: usize) {
        match self {
            Self::Array(items) if items.is_empty() => out.push_str("[]"),
            Self::Array(items) => {
                out.push_str("[\n");
                for (at, item) in items.iter().enumerate() {
                    indent(out, level + 1);
                    item.write_pretty(out, level + 1);
                    out.push_str(if at + 1 < items.len() { ",\n" } else { "\n" });
                }
                indent(out, level);
                out.push(']');
            }
            Self::Object(members) => {
                out.push_str("{\n");
                for (at, (key, value)) in sorted(members).into_iter().enumerate() {
                    indent(out, level + 1);
                    let _ = write!(out, "\"{key}\": ");
                    value.write_pretty(out, level + 1);
                    out.push_str(if at + 1 < members.len() { ",\n" } else { "\n" });
                }
                indent(out, level);
                out.push('}');
            }
            primitive => primitive.write_primitive(out),
        }
    }

    fn write_primitive(&self, out: &mut String) {
        match self {
            Self::String(text) => {
                out.push('"');
                escape(text, out);
                out.push('"');
            }
            other => out.push_str(&other.primitive().unwrap_or_default()),
        }
    }
}

fn sorted(members: &Map<Text, Data>) -> Vec<(&Text, &Data)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by(|a, b| a.0.cmp(b.0));
    members
}

fn indent(out: &mut String, level: usize) {
    for _ in 0..level {
        out.push_str("  ");
    }
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
}
