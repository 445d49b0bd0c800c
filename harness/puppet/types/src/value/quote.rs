//! Strings as Puppet's own language writes them, in the names of types.

use std::fmt::Write as _;

/// A string in single quotes, or in double quotes if it has control characters.
pub fn puppet_quoted(text: &str) -> String {
    if text.chars().any(|character| character < ' ') {
        return double_quoted(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    let mut escaped = false;
    for character in text.chars() {
        match character {
            _ if escaped => {
                out.push('\\');
                out.push(character);
                escaped = false;
            }
            '\'' => out.push_str("\\'"),
            '\\' => escaped = true,
            _ => out.push(character),
        }
    }
    if escaped {
        // Puppet writes one backslash here, although two would be right.
        out.push('\\');
    }
    out.push('\'');
    out
}

/// A string in double quotes.
pub fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '$' => out.push_str("\\$"),
            '\\' => out.push_str("\\\\"),
            '\0'..' ' => {
                let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}
