//! How values of Go types are written in `stickler.toml`.

use mgmt_protocol::{Field, Shape};

/// How deep a value is written out.
const DEEPEST: usize = 4;

/// The smallest and the largest value of a type of whole numbers.
pub(crate) fn range(kind: &str) -> Option<(i128, i128)> {
    let signed = |bits: u32| (-(1_i128 << (bits - 1)), (1 << (bits - 1)) - 1);
    let unsigned = |bits: u32| (0, (1_i128 << bits) - 1);
    Some(match kind {
        "int8" => signed(8),
        "int16" => signed(16),
        "int32" => signed(32),
        "int" | "int64" => signed(64),
        "uint8" => unsigned(8),
        "uint16" => unsigned(16),
        "uint32" => unsigned(32),
        "uint" | "uint64" | "uintptr" => unsigned(64),
        _ => return None,
    })
}

/// A value of a type, in TOML. `None` if a description has no values of it.
pub fn sample(shape: &Shape) -> Option<String> {
    sample_at(shape, 0)
}

fn sample_at(shape: &Shape, depth: usize) -> Option<String> {
    if depth > DEEPEST {
        return None;
    }
    let inner = || sample_at(shape.elem.as_deref()?, depth + 1);
    Some(match shape.kind.as_str() {
        "bool" => "false".to_owned(),
        "string" => "\"\"".to_owned(),
        "interface" if shape.any => "\"\"".to_owned(),
        "float32" | "float64" => "0.5".to_owned(),
        "slice" => "[]".to_owned(),
        "map" => "{}".to_owned(),
        "ptr" => inner()?,
        "array" => {
            let item = inner()?;
            let items = vec![item; shape.length?];
            format!("[{}]", items.join(", "))
        }
        "struct" => {
            let members = shape.members.as_ref()?.iter();
            let pair = |member: &Field| {
                let value = sample_at(&member.shape, depth + 1)?;
                Some(format!("{} = {value}", key(member.key())))
            };
            let pairs: Vec<String> = members.filter_map(pair).collect();
            match pairs.is_empty() {
                true => "{}".to_owned(),
                false => format!("{{ {} }}", pairs.join(", ")),
            }
        }
        kind if range(kind).is_some() => "0".to_owned(),
        _ => return None,
    })
}

/// A key in TOML.
pub(crate) fn key(name: &str) -> String {
    let is_bare = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => serde_json::Value::from(name).to_string(),
    }
}

/// A type with its article: `an int8`.
pub(crate) fn with_article(type_name: &str) -> String {
    let article = match type_name.as_bytes().first() {
        Some(b'a' | b'e' | b'i' | b'o') => "an",
        _ => "a",
    };
    format!("{article} {type_name}")
}
