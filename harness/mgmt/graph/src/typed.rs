//! What a value means for a field of a Go type. Plain scalars are read as mgmt's YAML reader reads them: into a text
//! field, any spelling is text; into a number, `0644` is octal.

use crate::mistake::Mistake;
use crate::yaml::{Data, Node};
use serde_json::{Map, Number, Value as Json};

/// A value as the host takes it for a field of this Go type; `kind` is the type's kind, as reflection names it.
///
/// # Errors
/// If the value cannot be of that type.
pub fn value(node: &Node, type_name: &str, kind: &str) -> Result<Json, Mistake> {
    let type_name = type_name.trim_start_matches('*');
    if let Data::Plain(text) = &node.data
        && is_null(text)
    {
        return Ok(Json::Null);
    }
    match &node.data {
        Data::Plain(_) | Data::Text(_) => {
            let named = if kind == "ptr" { type_name } else { kind };
            scalar(node, named)
        }
        Data::List(items) => {
            let item = type_name.strip_prefix("[]").unwrap_or_default();
            let items = items.iter().map(|one| value(one, item, of(item)));
            Ok(Json::Array(items.collect::<Result<_, _>>()?))
        }
        Data::Map(pairs) => {
            let item = type_name
                .strip_prefix("map[")
                .and_then(|rest| Some(rest.split_once(']')?.1))
                .unwrap_or_default();
            let mut members = Map::new();
            for (key, own) in pairs {
                let name = text(key)?;
                if members
                    .insert(name.clone(), value(own, item, of(item))?)
                    .is_some()
                {
                    return Err(twice(key, &name));
                }
            }
            Ok(Json::Object(members))
        }
    }
}

/// The mistake of a key that is there twice.
pub(crate) fn twice(key: &Node, name: &str) -> Mistake {
    Mistake::at(
        key.place,
        format!("the key \"{name}\" is there twice: remove one"),
    )
}

/// The kind of a type that is written out; named types have an unknown one.
fn of(type_name: &str) -> &str {
    if type_name.starts_with('*') {
        "ptr"
    } else {
        type_name
    }
}

fn scalar(node: &Node, kind: &str) -> Result<Json, Mistake> {
    match kind {
        "string" => text(node).map(Json::from),
        "bool" => truth(node).map(Json::from),
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32"
        | "uint64" => integer(node).map(Json::Number),
        "float32" | "float64" => {
            let number = float(node)?;
            Number::from_f64(number).map(Json::Number).ok_or_else(|| {
                Mistake::at(node.place, "a number without end is not supported here")
            })
        }
        // The host knows the type, and says so if this does not fit.
        _ => Ok(match &node.data {
            Data::Plain(_) => truth(node)
                .map(Json::from)
                .or_else(|_| integer(node).map(Json::Number))
                .or_else(|_| {
                    let number = float(node)?;
                    let number = Number::from_f64(number).map(Json::Number);
                    number.ok_or_else(|| wrong(node, "a number"))
                })
                .or_else(|_: Mistake| text(node).map(Json::from))?,
            _ => text(node).map(Json::from)?,
        }),
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// A scalar as text.
///
/// # Errors
/// If it is none.
pub fn text(node: &Node) -> Result<String, Mistake> {
    match &node.data {
        Data::Plain(text) | Data::Text(text) => Ok(text.clone()),
        _ => Err(wrong(node, "text")),
    }
}

/// A truth value.
///
/// # Errors
/// If it is none.
pub fn truth(node: &Node) -> Result<bool, Mistake> {
    let Data::Plain(text) = &node.data else {
        return Err(wrong(node, "true or false, without quotes"));
    };
    match text.as_str() {
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "y" | "Y" => {
            Ok(true)
        }
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "n" | "N" => {
            Ok(false)
        }
        _ => Err(wrong(node, "true or false")),
    }
}

/// A whole number. A leading zero makes it octal.
///
/// # Errors
/// If it is none.
pub fn integer(node: &Node) -> Result<Number, Mistake> {
    let Data::Plain(text) = &node.data else {
        return Err(wrong(node, "a number, without quotes"));
    };
    let plain = text.replace('_', "");
    let (minus, digits) = match plain.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        Some(start) if start.starts_with('0') => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    let is_digits = !digits.is_empty() && digits.chars().all(|one| one.is_digit(radix));
    let number = u64::from_str_radix(digits, radix)
        .ok()
        .filter(|_| is_digits);
    let number = number.ok_or_else(|| wrong(node, "a whole number"))?;
    match minus {
        false => Ok(number.into()),
        true => {
            let negative = 0_i64.checked_sub_unsigned(number);
            negative
                .map(Number::from)
                .ok_or_else(|| wrong(node, "a whole number of 64 bits"))
        }
    }
}

/// A number, also one without end.
///
/// # Errors
/// If it is none.
pub fn float(node: &Node) -> Result<f64, Mistake> {
    let Data::Plain(text) = &node.data else {
        return Err(wrong(node, "a number, without quotes"));
    };
    let digits = text.replace('_', "");
    match text.to_ascii_lowercase().as_str() {
        ".inf" | "+.inf" => Ok(f64::INFINITY),
        "-.inf" => Ok(f64::NEG_INFINITY),
        _ => {
            let is_number = digits.starts_with(|one: char| "+-.0123456789".contains(one))
                && !digits.contains(['i', 'I', 'n', 'N']);
            let number = digits.parse().ok().filter(|_| is_number);
            number.ok_or_else(|| wrong(node, "a number"))
        }
    }
}

/// A list.
///
/// # Errors
/// If it is none.
pub fn list(node: &Node) -> Result<&[Node], Mistake> {
    match &node.data {
        Data::List(items) => Ok(items),
        Data::Plain(text) if is_null(text) => Ok(&[]),
        _ => Err(wrong(node, "a list")),
    }
}

/// Keys with values; a key that is there twice is a mistake.
///
/// # Errors
/// If it is none.
pub fn map(node: &Node) -> Result<Vec<(String, &Node, &Node)>, Mistake> {
    let pairs = match &node.data {
        Data::Map(pairs) => pairs.as_slice(),
        Data::Plain(text) if is_null(text) => &[],
        _ => return Err(wrong(node, "keys with values")),
    };
    let mut entries: Vec<(String, &Node, &Node)> = Vec::new();
    for (key, own) in pairs {
        let name = text(key)?;
        if name == "<<" {
            return Err(Mistake::at(
                key.place,
                "merge keys (<<) are not supported: write the keys out",
            ));
        }
        if entries.iter().any(|(known, ..)| *known == name) {
            return Err(twice(key, &name));
        }
        entries.push((name, key, own));
    }
    Ok(entries)
}

fn wrong(node: &Node, wanted: &str) -> Mistake {
    let found = match &node.data {
        Data::Plain(text) | Data::Text(text) => {
            let short: String = text.chars().take(40).collect();
            format!("{short:?}")
        }
        Data::List(_) => "a list".to_owned(),
        Data::Map(_) => "keys with values".to_owned(),
    };
    Mistake::at(node.place, format!("{found} is here; write {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::yaml::parse;
    use serde_json::json;

    fn read(text: &str, type_name: &str, kind: &str) -> Result<serde_json::Value, String> {
        value(&parse(text).expect("YAML"), type_name, kind).map_err(|mistake| mistake.message)
    }

    #[test]
    fn a_plain_scalar_is_read_as_the_type_of_its_field() {
        assert_eq!(Ok(json!("0644")), read("0644", "string", "string"));
        assert_eq!(Ok(json!(420)), read("0644", "uint32", "uint32"));
        assert_eq!(Ok(json!(true)), read("yes", "bool", "bool"));
        assert_eq!(Ok(json!("yes")), read("yes", "*string", "ptr"));
        assert_eq!(Ok(json!("u-w")), read("u-w", "pkg.Mode", "string"));
        assert_eq!(Ok(json!(null)), read("~", "*string", "ptr"));
        assert_eq!(Ok(json!(-16)), read("-0x10", "int", "int"));
        assert_eq!(Ok(json!(2.5)), read("2.5", "float64", "float64"));
    }

    #[test]
    fn lists_and_maps_take_the_types_of_their_parts() {
        assert_eq!(Ok(json!(["1", "on"])), read("[1, on]", "[]string", "slice"));
        assert_eq!(
            Ok(json!({"a": "1"})),
            read("{a: 1}", "map[string]string", "map")
        );
        assert_eq!(Ok(json!({"a": 1})), read("{a: 1}", "pkg.Own", "struct"));
    }

    #[test]
    fn a_type_mismatch_error_suggests_a_valid_value() {
        let error = read("'yes'", "bool", "bool").expect_err("quoted");
        assert_eq!(
            error,
            "\"yes\" is here; write true or false, without quotes"
        );
        assert!(
            read("[1]", "string", "string").is_ok(),
            "the host refuses it"
        );
        assert!(read("x", "int", "int").is_err());
    }
}
