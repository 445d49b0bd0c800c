//! Values for fields, by their Go types.

use mgmt_protocol::{Described, Field};
use stickler_json::Json;
use stickler_suite::Instance;
use stickler_transcript::Value;

/// A value of the field's type that is not the present one. `None` for types that hold no plain values.
pub(crate) fn other_value(field: &Field, present: Option<&Value>) -> Option<Value> {
    let number = |text: &str| Value::Number(text.into());
    Some(match field.kind.as_str() {
        "string" => match present.and_then(Value::as_text) {
            Some(text) => Value::Text([text, b"x"].concat()),
            None => Value::text("x"),
        },
        "bool" => Value::Bool(present != Some(&Value::Bool(true))),
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32"
        | "uint64" => match present {
            Some(Value::Number(known)) => {
                let known: i64 = known.parse().ok()?;
                number(&(if known > 1 { known - 1 } else { known + 1 }).to_string())
            }
            _ => number("1"),
        },
        "float32" | "float64" => match present {
            Some(Value::Number(_)) => number("0.25"),
            _ => number("0.5"),
        },
        "slice" if field.type_name == "[]string" => match present {
            Some(Value::List(items)) => {
                let mut items = items.clone();
                items.push(Value::text("x"));
                Value::List(items)
            }
            _ => Value::List(vec![Value::text("x")]),
        },
        "map" if field.type_name == "map[string]string" => match present {
            Some(Value::Object(members)) => {
                let mut members = members.clone();
                members.push((b"x".to_vec(), Value::text("x")));
                Value::Object(members)
            }
            _ => Value::Object(vec![(b"x".to_vec(), Value::text("x"))]),
        },
        "ptr" if field.type_name == "*string" => match present.and_then(Value::as_text) {
            Some(text) => Value::Text([text, b"x"].concat()),
            None => Value::text("x"),
        },
        "ptr" if field.type_name == "*bool" => Value::Bool(present != Some(&Value::Bool(true))),
        _ => return None,
    })
}

/// The item with another text or number in a field that has a value and holds no path, and the name of that field.
pub(crate) fn differing(kind: &Described, item: &Instance) -> Option<(String, Instance)> {
    let own = item.attributes.iter();
    let mut fields = own.filter_map(|(key, value)| {
        let key = String::from_utf8_lossy(key).into_owned();
        let field = kind.field(&key)?;
        let is_path = value.as_text().is_some_and(|text| text.contains(&b'/'));
        let other = other_value(field, Some(value)).filter(|_| !is_path)?;
        matches!(other, Value::Text(_) | Value::Number(_)).then_some((key, other))
    });
    let (key, other) = fields.next()?;
    let mut item = item.clone();
    item.set(&key, other);
    Some((key, item))
}

/// Another value inside a list or a map that stays as long as it is, if the present one holds a text.
pub(crate) fn other_inside(present: Option<&Value>) -> Option<Value> {
    let longer = |value: &Value| {
        value
            .as_text()
            .map(|text| Value::Text([text, b"x"].concat()))
    };
    match present? {
        Value::List(items) => {
            let mut items = items.clone();
            let last = items.last_mut()?;
            *last = longer(last)?;
            Some(Value::List(items))
        }
        Value::Object(members) => {
            let mut members = members.clone();
            let (_, last) = members.last_mut()?;
            *last = longer(last)?;
            Some(Value::Object(members))
        }
        _ => None,
    }
}

/// Values near the present one: where not every value of the type is valid, one of these may be.
pub(crate) fn near_values(field: &Field, present: Option<&Value>) -> Vec<Value> {
    match present {
        Some(Value::Text(text)) => {
            let texts = near_texts(text).into_iter();
            texts.chain([b"x".to_vec()]).map(Value::Text).collect()
        }
        Some(Value::Number(number)) => {
            let Ok(number) = number.parse::<i64>() else {
                return Vec::new();
            };
            let near = [number.checked_add(1), number.checked_mul(2)];
            let near = near.into_iter().flatten().filter(|near| *near != number);
            near.map(|near| Value::Number(near.to_string())).collect()
        }
        Some(Value::List(items)) => {
            let Some((Value::Text(last), rest)) = items.split_last() else {
                return Vec::new();
            };
            let with = |text| [rest, &[Value::Text(text)]].concat();
            let lists = near_texts(last).into_iter().map(with);
            let shorter = (!rest.is_empty()).then(|| rest.to_vec());
            lists.chain(shorter).map(Value::List).collect()
        }
        Some(Value::Object(members)) if field.kind == "map" => {
            let Some(((name, Value::Text(last)), rest)) = members.split_last() else {
                return Vec::new();
            };
            let with = |text| [rest, &[(name.clone(), Value::Text(text))]].concat();
            let near = near_texts(last).into_iter();
            near.map(with).map(Value::Object).collect()
        }
        _ => Vec::new(),
    }
}

/// Texts like one, with another digit, with another letter, and shorter.
fn near_texts(text: &[u8]) -> Vec<Vec<u8>> {
    let other = |is: fn(&u8) -> bool, top: u8| {
        let at = text.iter().rposition(is)?;
        let mut other = text.to_vec();
        other[at] = if text[at] == top {
            top - 1
        } else {
            text[at] + 1
        };
        Some(other)
    };
    // A path may end in a slash or not.
    let shorter = match text {
        [rest @ .., last] if last.is_ascii_alphanumeric() && !rest.is_empty() => {
            Some(rest.to_vec())
        }
        _ => None,
    };
    let near = [
        other(u8::is_ascii_digit, b'9'),
        other(u8::is_ascii_lowercase, b'z'),
        shorter,
    ];
    near.into_iter().flatten().collect()
}

/// A word as a value of the field's type, if it takes texts.
pub(crate) fn worded(field: &Field, word: &str) -> Option<Value> {
    match field.type_name.as_str() {
        "[]string" => Some(Value::List(vec![Value::text(word)])),
        _ if field.kind == "string" || field.type_name == "*string" => Some(Value::text(word)),
        _ => None,
    }
}

/// What a host tells of a field, as a value of an item, if it is of a type that [`other_value`] knows.
pub(crate) fn told(found: &Json) -> Option<Value> {
    Some(match found {
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => Value::Number(number.clone()),
        Json::String(text) => Value::Text(text.as_bytes().to_vec()),
        Json::Array(items) => Value::List(items.iter().map(told).collect::<Option<_>>()?),
        Json::Object(members) => {
            let members = members.iter();
            let members = members.map(|one| Some((one.key.as_bytes().to_vec(), told(&one.value)?)));
            Value::Object(members.collect::<Option<_>>()?)
        }
        Json::Null => return None,
    })
}

/// Values at the borders of the field's type, some of which `Validate` may not expect.
pub(crate) fn odd_values(field: &Field, present: Option<&Value>) -> Vec<Value> {
    let mut values = of_type(field);
    // No path and no argument has a zero byte.
    if let Some(text) = present.and_then(Value::as_text) {
        values.push(Value::Text([text, b"\0x"].concat()));
    }
    values
}

fn of_type(field: &Field) -> Vec<Value> {
    let numbers = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| Value::Number((*text).into()))
            .collect()
    };
    let texts = || TEXTS.iter().map(|text| Value::text(*text));
    match field.kind.as_str() {
        "string" => texts().chain([long()]).collect(),
        "int8" => numbers(&["0", "-1", "127", "-128"]),
        "int16" => numbers(&["0", "-1", "32767", "-32768"]),
        "int32" => numbers(&["0", "-1", "2147483647", "-2147483648"]),
        "int" | "int64" => numbers(&["0", "-1", "9223372036854775807", "-9223372036854775808"]),
        "uint8" => numbers(&["0", "255"]),
        "uint16" => numbers(&["0", "65535"]),
        "uint32" => numbers(&["0", "4294967295"]),
        "uint" | "uint64" => numbers(&["0", "18446744073709551615"]),
        "float32" | "float64" => numbers(&["0", "-1", "1e300", "1e-300"]),
        "ptr" if field.type_name == "*string" => [Value::Null].into_iter().chain(texts()).collect(),
        "slice" if field.type_name == "[]string" => {
            let lists = [
                vec![],
                vec![Value::text("")],
                vec![Value::text("a"), Value::text("a")],
            ];
            lists.into_iter().map(Value::List).collect()
        }
        "slice" => vec![Value::Null, Value::List(Vec::new())],
        "map" if field.type_name == "map[string]string" => {
            let empty = (Vec::new(), Value::text(""));
            vec![
                Value::Null,
                Value::Object(Vec::new()),
                Value::Object(vec![empty]),
            ]
        }
        "ptr" | "map" | "interface" => vec![Value::Null],
        _ => Vec::new(),
    }
}

/// Texts that mean something to one parser or another.
const TEXTS: [&str; 16] = [
    "",
    "x",
    " ",
    "-1",
    "0",
    "1.5",
    "99999999999999999999",
    "0x1g",
    "a/b",
    "%s%d",
    "(",
    "{{",
    "1z",
    "é",
    "a\nb",
    "::",
];

/// A text longer than the name of a file.
fn long() -> Value {
    Value::text("long".repeat(100))
}
