//! How Ruby 3.1 writes a value: `inspect`, and `to_s`, which interpolation uses.

use super::Value;
use regex::Regex;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// A float as Ruby writes it: `1.0`, `1.0e+15`, `NaN`, `Infinity`.
pub fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        return format!("{sign}Infinity");
    }
    if number == 0.0 {
        return if number.is_sign_negative() {
            "-0.0"
        } else {
            "0.0"
        }
        .to_owned();
    }
    // The shortest digits that give the number again, as in Ruby.
    let scientific = format!("{number:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        let plain = format!("{number}");
        return if plain.contains('.') {
            plain
        } else {
            format!("{plain}.0")
        };
    }
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}

impl Value {
    /// What `inspect` gives.
    pub fn inspect(&self) -> String {
        let mut out = String::new();
        inspect(self, &mut out);
        out
    }

    /// What `to_s` gives: a string is its own text, `nil` is empty.
    pub fn to_text(&self) -> String {
        match self {
            Self::Undef => String::new(),
            Self::String(text) => text.clone(),
            Self::Binary(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Self::Symbol(name) => name.clone(),
            Self::Sensitive(_) => "Sensitive [value redacted]".to_owned(),
            Self::Regexp { source, options } => regexp_text(source, options),
            _ => self.inspect(),
        }
    }
}

fn inspect(value: &Value, out: &mut String) {
    match value {
        Value::Undef => out.push_str("nil"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Integer(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&float_text(*number)),
        Value::String(text) => string(text, out),
        Value::Binary(bytes) => binary(bytes, out),
        Value::Symbol(name) => {
            out.push(':');
            if is_plain_symbol(name) {
                out.push_str(name);
            } else if name.is_ascii() {
                // Ruby knows such a symbol as ASCII, and writes its escapes by bytes.
                escaped(name, |code| format!("\\x{code:02X}"), out);
            } else {
                string(name, out);
            }
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                inspect(item, out);
            }
            out.push(']');
        }
        Value::Hash(pairs) => {
            out.push('{');
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                inspect(key, out);
                out.push_str("=>");
                inspect(value, out);
            }
            out.push('}');
        }
        Value::Regexp { source, options } => {
            out.push('/');
            out.push_str(&slashes_escaped(source));
            out.push('/');
            // Ruby's order is m, i, x.
            out.extend("mix".chars().filter(|&one| options.contains(one)));
        }
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::Proc(place) => {
            out.push_str("#<Proc:");
            out.push_str(place);
            out.push('>');
        }
        Value::Object { text, .. } => out.push_str(text),
        Value::Cycle => out.push_str("[...]"),
    }
}

/// Characters that Ruby writes as escapes: control characters, and those not assigned.
static HIDDEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^[\p{Cc}\p{Cn}\p{Zl}\p{Zp}]$").ok());

fn is_hidden(character: char) -> bool {
    // To Ruby, this control character is a blank.
    if character == '\u{85}' {
        return false;
    }
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let mut buffer = [0; 4];
    let text = character.encode_utf8(&mut buffer);
    HIDDEN
        .as_ref()
        .map_or(character.is_control(), |hidden| hidden.is_match(text))
}

fn string(text: &str, out: &mut String) {
    let code = |code: u32| {
        if code > 0xffff {
            format!("\\u{{{code:X}}}")
        } else {
            format!("\\u{code:04X}")
        }
    };
    escaped(text, code, out);
}

fn escaped(text: &str, code: impl Fn(u32) -> String, out: &mut String) {
    out.push('"');
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '#' if matches!(characters.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            '\x08' => out.push_str("\\b"),
            '\x07' => out.push_str("\\a"),
            '\x1b' => out.push_str("\\e"),
            _ if is_hidden(character) => out.push_str(&code(u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
}

fn binary(bytes: &[u8], out: &mut String) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        let mut plain = String::new();
        string(chunk.valid(), &mut plain);
        out.push_str(&plain[1..plain.len() - 1]);
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
    out.push('"');
}

static PLAIN_SYMBOL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:(?:@@|@|\$)?[a-zA-Z_[:^ascii:]][a-zA-Z0-9_[:^ascii:]]*|",
        r"[a-zA-Z_[:^ascii:]][a-zA-Z0-9_[:^ascii:]]*[?!=]|",
        r"\$[0-9]+|\$[~*$?!@/\\;,.=:<>&`'+]|",
        r"\[\]=?|\*\*?|[+-]@?|/|%|<=>|<=?|>=?|<<|>>|===?|=~|!=?|!~|&|\||\^|~|`)$",
    ))
    .ok()
});

fn is_plain_symbol(name: &str) -> bool {
    PLAIN_SYMBOL
        .as_ref()
        .is_some_and(|plain| plain.is_match(name))
        && !name.chars().any(is_hidden)
}

/// A regular expression's source with its slashes escaped, as `inspect` shows it.
pub(crate) fn slashes_escaped(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                out.push('\\');
                out.extend(characters.next());
            }
            '/' => out.push_str("\\/"),
            _ if character.is_ascii_control() && !matches!(character, '\t'..='\r') => {
                let _ = write!(out, "\\x{:02X}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out
}

/// A regular expression's `to_s`, which carries its options: `(?i-mx:a)`. Options at the start of
/// the source are taken for those of the whole.
pub(crate) fn regexp_text(source: &str, options: &str) -> String {
    let (rest, set) = leading_options(source, options).unwrap_or((source, options.to_owned()));
    let on: String = "mix".chars().filter(|&o| set.contains(o)).collect();
    let off: String = "mix".chars().filter(|&o| !set.contains(o)).collect();
    let dash = if off.is_empty() { "" } else { "-" };
    format!("(?{on}{dash}{off}:{})", slashes_escaped(rest))
}

/// What stands behind `(?i)` or in `(?i:…)`, and the options then. `None` if Ruby leaves the
/// source as it is.
fn leading_options<'s>(source: &'s str, options: &str) -> Option<(&'s str, String)> {
    let mut set = options.to_owned();
    let mut rest = source;
    while rest.len() >= 4
        && let Some(tail) = rest.strip_prefix("(?")
    {
        let end = tail.find(|one| !matches!(one, 'm' | 'i' | 'x' | '-'))?;
        let (on, off) = tail[..end].split_once('-').unwrap_or((&tail[..end], ""));
        set.push_str(on);
        set.retain(|one| !off.contains(one));
        let after = &tail[end..];
        if let Some(behind) = after.strip_prefix(')') {
            rest = behind;
            continue;
        }
        let inner = after.strip_prefix(':')?.strip_suffix(')')?;
        // The last parenthesis must be the one of the group.
        let whole = !matches!(
            crate::regex::Pattern::new(inner).fault(),
            Some(crate::regex::Fault::Invalid(_))
        );
        return whole.then_some((inner, set));
    }
    Some((rest, set))
}
