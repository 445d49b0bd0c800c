//! Values for fields, by their Go types.

use mgmt_protocol::{Described, Field, Shape};
use stickler_json::Json;
use stickler_suite::Instance;
use stickler_transcript::Value;

/// A value of the field's type that is not the present one. `None` for types that hold no plain values.
pub(crate) fn other_value(field: &Shape, present: Option<&Value>) -> Option<Value> {
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

/// How deep lists, maps, structs and pointers are followed.
const DEEPEST: usize = 4;

/// The same for lists, maps, structs and pointers of any types that a description may have, too: what is in them is
/// another one.
pub(crate) fn other_of_any(shape: &Shape, present: Option<&Value>) -> Option<Value> {
    other_within(shape, present, DEEPEST)
}

fn other_within(shape: &Shape, present: Option<&Value>, left: usize) -> Option<Value> {
    let left = left.checked_sub(1)?;
    let inner = |present: Option<&Value>| other_within(shape.elem.as_deref()?, present, left);
    let present = present.filter(|value| **value != Value::Null);
    let plain = other_value(shape, present);
    plain.or_else(|| match (shape.kind.as_str(), present) {
        ("ptr", present) => inner(present),
        // Bytes are in Base64.
        ("slice", present) if shape.elem.as_deref()?.kind == "uint8" => {
            let texts = ["eA==", "eXg="].map(Value::text);
            texts.into_iter().find(|text| present != Some(text))
        }
        ("slice" | "array", Some(Value::List(items))) if !items.is_empty() => {
            let mut items = items.clone();
            let last = items.last_mut()?;
            *last = inner(Some(last))?;
            Some(Value::List(items))
        }
        ("slice", _) => Some(Value::List(vec![inner(None)?])),
        ("array", _) => Some(Value::List(vec![inner(None)?; shape.length?])),
        ("map", Some(Value::Object(members))) if !members.is_empty() => {
            let mut members = members.clone();
            let (_, last) = members.last_mut()?;
            *last = inner(Some(last))?;
            Some(Value::Object(members))
        }
        ("map", _) => {
            let name = match shape.key.as_deref()?.kind.as_str() {
                "string" => "x",
                kind if crate::sample::range(kind).is_some() => "1",
                _ => return None,
            };
            Some(Value::Object(vec![(name.into(), inner(None)?)]))
        }
        ("struct", present) => {
            let mut members = match present {
                Some(Value::Object(members)) => members.clone(),
                _ => Vec::new(),
            };
            // What the present one sets is what matters.
            let at = |members: &[(Vec<u8>, Value)], field: &Field| {
                let is_it =
                    |name: &[u8]| name == field.key().as_bytes() || name == field.name.as_bytes();
                members.iter().position(|(name, _)| is_it(name))
            };
            let mut fields: Vec<&Field> = shape.members.as_ref()?.iter().collect();
            fields.sort_by_key(|field| at(&members, field).is_none());
            let (field, value) = fields.into_iter().find_map(|field| {
                let own = at(&members, field).map(|at| &members[at].1);
                Some((field, other_within(&field.shape, own, left)?))
            })?;
            match at(&members, field) {
                Some(at) => members[at].1 = value,
                None => members.push((field.key().into(), value)),
            }
            Some(Value::Object(members))
        }
        ("interface", present) if shape.any => Some(match present.and_then(Value::as_text) {
            Some(text) => Value::Text([text, b"x"].concat()),
            None => Value::text("x"),
        }),
        _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(json: &str) -> Shape {
        let text = format!(r#"{{"kind":"k","fields":[{{"name":"F",{json}}}]}}"#);
        let json = stickler_json::parse(text.as_bytes()).expect("JSON");
        Described::read(&json).fields.remove(0).shape
    }

    #[test]
    fn what_is_in_lists_maps_structs_and_behind_pointers_is_another_one() {
        let int = r#""type":"int","kind":"int""#;
        let number = |text: &str| Value::Number(text.into());
        let pointer = shape(&format!(r#""type":"*int","kind":"ptr","elem":{{{int}}}"#));
        assert_eq!(other_of_any(&pointer, None), Some(number("1")));
        assert_eq!(
            other_of_any(&pointer, Some(&Value::Null)),
            Some(number("1"))
        );
        let list = shape(&format!(
            r#""type":"[]int","kind":"slice","elem":{{{int}}}"#
        ));
        let of = |texts: &[&str]| Value::List(texts.iter().map(|text| number(text)).collect());
        assert_eq!(other_of_any(&list, None), Some(of(&["1"])));
        assert_eq!(
            other_of_any(&list, Some(&of(&["5", "7"]))),
            Some(of(&["5", "6"]))
        );
        let key = r#""type":"string","kind":"string""#;
        let map = shape(&format!(
            r#""type":"map[string]int","kind":"map","key":{{{key}}},"elem":{{{int}}}"#
        ));
        let one = |name: &str, value| Value::Object(vec![(name.into(), value)]);
        assert_eq!(other_of_any(&map, None), Some(one("x", number("1"))));
        let members = format!(
            r#"[{{"name":"Host","lang":"host",{key}}},{{"name":"Port","lang":"port",{int}}}]"#
        );
        let peer = shape(&format!(
            r#""type":"Peer","kind":"struct","fields":{members}"#
        ));
        assert_eq!(
            other_of_any(&peer, None),
            Some(one("host", Value::text("x")))
        );
        let port = one("port", number("80"));
        assert_eq!(
            other_of_any(&peer, Some(&port)),
            Some(one("port", number("79")))
        );
        let bytes =
            shape(r#""type":"[]uint8","kind":"slice","elem":{"type":"uint8","kind":"uint8"}"#);
        assert_eq!(other_of_any(&bytes, None), Some(Value::text("eA==")));
        // A function has no values.
        assert_eq!(
            other_of_any(&shape(r#""type":"func()","kind":"func""#), None),
            None
        );
    }

    #[test]
    fn a_type_that_holds_itself_has_an_end() {
        let mut json = r#""type":"*Node","kind":"ptr""#.to_owned();
        for _ in 0..8 {
            json = format!(r#""type":"*Node","kind":"ptr","elem":{{{json}}}"#);
        }
        assert_eq!(other_of_any(&shape(&json), None), None);
    }
}
