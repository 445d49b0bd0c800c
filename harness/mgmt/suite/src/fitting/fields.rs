//! Which fields of an item a kind does not have, and which values their Go types do not take.

use crate::sample::{key, range, sample, with_article};
use mgmt_protocol::{Described, Field, Shape, reached, shadowed};
use stickler_suite::config::{Inner, did_you_mean, listing};
use stickler_transcript::Value;

/// What does not fit, where, and what may have been meant.
pub(super) struct Misfit {
    pub(super) path: Vec<Inner>,
    pub(super) what: String,
    pub(super) help: Option<String>,
}

/// The first field of an item that does not fit its kind.
pub(super) fn of_fields(kind: &Described, fields: &[(String, Value)]) -> Option<Misfit> {
    let mut set: Vec<(&str, &Field)> = Vec::new();
    for (name, value) in fields {
        let Some(field) = kind.field(name) else {
            // No name leads to one of two fields with one tag: that is the package's defect.
            if !shadowed(&kind.fields).is_empty() {
                continue;
            }
            let owner = format!("the kind {}", kind.kind);
            return Some(no_field(&owner, &kind.fields, name));
        };
        if let Some((other, _)) = set.iter().find(|(_, known)| *known == field) {
            return Some(Misfit {
                path: vec![Inner::Name(name.clone())],
                what: format!(
                    "\"{other}\" and \"{name}\" are one field of the kind {}",
                    kind.kind
                ),
                help: Some("take one of them out".to_owned()),
            });
        }
        set.push((name, field));
        let mut place = Place::new(name);
        if let Some(wrong) = place.look(&field.shape, value) {
            let Shape { type_name, .. } = &wrong.shape;
            let own = format!("is {}", with_article(type_name));
            let what = match (wrong.advice, place.path.len()) {
                (Advice::Whole(misfit), _) => misfit,
                (Advice::Write(advice), 1) => Misfit {
                    path: Vec::new(),
                    what: format!(
                        "the field \"{name}\" of the kind {} {own}; {advice}",
                        kind.kind
                    ),
                    help: None,
                },
                (Advice::Write(advice), _) => Misfit {
                    path: Vec::new(),
                    what: format!(
                        "\"{}\" in the field \"{name}\" of the kind {} {own}; {advice}",
                        place.words, kind.kind
                    ),
                    help: None,
                },
            };
            let path = place.path.into_iter().chain(what.path).collect();
            return Some(Misfit { path, ..what });
        }
    }
    None
}

fn no_field(owner: &str, fields: &[Field], name: &str) -> Misfit {
    let known = || fields.iter().map(Field::key);
    Misfit {
        path: vec![Inner::Name(name.to_owned())],
        what: format!(
            "{owner} has no field \"{name}\"; it has: {}",
            listing(known())
        ),
        help: did_you_mean(name, known().chain(fields.iter().map(|field| &*field.name))),
    }
}

/// Why a value does not fit.
enum Advice {
    /// How to write it.
    Write(String),
    /// Something else is wrong.
    Whole(Misfit),
}

struct Wrong<'s> {
    shape: &'s Shape,
    advice: Advice,
}

/// A place within the value of a field.
struct Place<'s> {
    path: Vec<Inner>,
    /// The same in words: `peers[0].port`.
    words: String,
    /// The types around it. One that holds itself is described once.
    above: Vec<&'s Shape>,
}

impl<'s> Place<'s> {
    fn new(name: &str) -> Self {
        Place {
            path: vec![Inner::Key(name.to_owned())],
            words: key(name),
            above: Vec::new(),
        }
    }

    /// Looks at a value. If it does not fit, the place stays where it was found.
    fn look(&mut self, shape: &'s Shape, value: &Value) -> Option<Wrong<'s>> {
        let is_bare = shape.elem.is_none() && shape.members.is_none();
        let mut above = self.above.iter().copied();
        let known = above.find(|known| is_bare && known.type_name == shape.type_name);
        let shape = known.unwrap_or(shape);
        self.above.push(shape);
        let wrong = self.look_at(shape, value);
        self.above.pop();
        wrong
    }

    fn look_at(&mut self, shape: &'s Shape, value: &Value) -> Option<Wrong<'s>> {
        let advise = |advice: String| {
            let advice = Advice::Write(advice);
            Some(Wrong { shape, advice })
        };
        let name = match self.path.last() {
            Some(Inner::Key(name) | Inner::Name(name)) => format!("{} = ", key(name)),
            _ => String::new(),
        };
        let write = |how: &str, sample: &str| advise(format!("write {how}: {name}{sample}"));
        let elem = shape.elem.as_deref();
        match (shape.kind.as_str(), value) {
            ("interface", value) if shape.any => {
                let text = unending(value)?;
                advise(format!("{text} cannot be sent"))
            }
            ("ptr", Value::Null) | ("string", Value::Text(_)) | ("bool", Value::Bool(_)) => None,
            ("ptr", value) => self.look(elem?, value),
            ("string", Value::Number(number)) => advise(format!(
                "write it in quotes: {name}\"{number}\", or with octal digits, as in \"0644\""
            )),
            ("string", Value::Bool(truth)) => write("it in quotes", &format!("\"{truth}\"")),
            ("string", _) => write("a text", "\"…\""),
            ("bool", _) => write("true or false, without quotes", "true"),
            ("float32" | "float64", value) => {
                let number = match value {
                    Value::Number(number) => Some(number.to_string()),
                    Value::Text(text) => String::from_utf8(text.clone())
                        .ok()
                        .filter(|text| serde_json::from_str::<serde_json::Number>(text).is_ok()),
                    _ => None,
                };
                let Some(number) = number else {
                    return write("a number without quotes", "0.5");
                };
                let found: f64 = number.parse().ok()?;
                let is_large = shape.kind == "float32" && found.abs() > f64::from(f32::MAX);
                (!found.is_finite() || is_large)
                    .then(|| advise(format!("{number} does not fit")))?
            }
            ("slice" | "array", Value::List(items)) => {
                if let Some(length) = shape.length.filter(|length| *length != items.len()) {
                    return advise(format!("it takes {length} items, and not {}", items.len()));
                }
                let elem = elem?;
                let words = self.words.len();
                items.iter().enumerate().find_map(|(at, item)| {
                    self.within(Inner::Item(at), &format!("[{at}]"), words, elem, item)
                })
            }
            ("slice", Value::Text(text)) if elem.is_some_and(|elem| elem.kind == "uint8") => {
                (!is_base64(text)).then(|| write("its bytes as numbers", "[104, 105]"))?
            }
            ("slice" | "array", value) => {
                let item = elem.and_then(sample);
                let sample = match (value, elem.map(|elem| elem.kind.as_str())) {
                    (Value::Text(text), Some("string")) => {
                        format!(
                            "[{}]",
                            serde_json::Value::from(String::from_utf8_lossy(text))
                        )
                    }
                    _ => format!("[{}]", item.unwrap_or_default()),
                };
                write("a list", &sample)
            }
            ("map", Value::Object(members)) => self.members_of_map(shape, members),
            ("map", _) => {
                let item = elem.and_then(sample);
                let item = item.map_or("{}".to_owned(), |item| format!("{{ key = {item} }}"));
                write("a table", &item)
            }
            ("struct", Value::Object(members)) => self.members(shape, members),
            ("struct", _) => write("a table", &sample(shape).unwrap_or_else(|| "{}".to_owned())),
            (kind, value) => match range(kind) {
                Some(range) => whole(range, value, &name).and_then(advise),
                None => advise("no value in a description is one: take it out".to_owned()),
            },
        }
    }

    /// Looks at a value within this one.
    fn within(
        &mut self,
        step: Inner,
        words: &str,
        length: usize,
        shape: &'s Shape,
        value: &Value,
    ) -> Option<Wrong<'s>> {
        self.words.truncate(length);
        self.words.push_str(words);
        self.path.push(step);
        let wrong = self.look(shape, value);
        if wrong.is_none() {
            self.path.pop();
            self.words.truncate(length);
        }
        wrong
    }

    fn members_of_map(
        &mut self,
        shape: &'s Shape,
        members: &[(Vec<u8>, Value)],
    ) -> Option<Wrong<'s>> {
        let (keys, elem) = (shape.key.as_deref()?, shape.elem.as_deref()?);
        let length = self.words.len();
        members.iter().find_map(|(name, value)| {
            let name = String::from_utf8_lossy(name).into_owned();
            let fits = match (keys.kind.as_str(), range(&keys.kind)) {
                ("string", _) => true,
                ("interface", _) => keys.any,
                (_, Some((least, most))) => {
                    let number = name.parse::<i128>();
                    number.is_ok_and(|number| (least..=most).contains(&number))
                }
                _ => false,
            };
            if !fits {
                let path = vec![Inner::Name(name.clone())];
                let what = format!(
                    "a key of \"{}\" is {}, and \"{name}\" is none",
                    self.words,
                    with_article(&keys.type_name)
                );
                let help = None;
                let advice = Advice::Whole(Misfit { path, what, help });
                return Some(Wrong { shape, advice });
            }
            let words = format!(".{}", key(&name));
            self.within(Inner::Key(name), &words, length, elem, value)
        })
    }

    fn members(&mut self, shape: &'s Shape, members: &[(Vec<u8>, Value)]) -> Option<Wrong<'s>> {
        let fields = shape.members.as_ref()?;
        let length = self.words.len();
        members.iter().find_map(|(name, value)| {
            let name = String::from_utf8_lossy(name).into_owned();
            let Some(field) = reached(fields, &name) else {
                if !shadowed(fields).is_empty() {
                    return None;
                }
                let owner = format!(
                    "\"{}\" is {}, which",
                    self.words,
                    with_article(&shape.type_name)
                );
                let advice = Advice::Whole(no_field(&owner, fields, &name));
                return Some(Wrong { shape, advice });
            };
            let words = format!(".{}", key(&name));
            self.within(Inner::Key(name), &words, length, &field.shape, value)
        })
    }
}

/// How to write a whole number that does not fit.
fn whole((least, most): (i128, i128), value: &Value, name: &str) -> Option<String> {
    let out_of = |number: &str| format!("{number} does not fit: it takes {least} to {most}");
    match value {
        Value::Number(number) => match number.parse::<i128>() {
            Ok(found) if (least..=most).contains(&found) => None,
            Ok(_) => Some(out_of(number)),
            Err(_) => Some(format!("write a whole number: {name}1")),
        },
        Value::Text(text) => {
            let text = String::from_utf8_lossy(text);
            // Large numbers are written as text, and zero has one spelling.
            let is_plain = *text == *text.trim_start_matches('0') || text == "0";
            let digits = text.strip_prefix('-').unwrap_or(&text);
            let is_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            let found = text.parse::<i128>().ok().filter(|_| is_digits);
            let octal = text.trim_start_matches('0');
            let is_octal = !octal.is_empty() && octal.chars().all(|digit| digit.is_digit(8));
            match found {
                Some(found) if is_plain && (least..=most).contains(&found) => None,
                Some(_) if is_plain => Some(out_of(&text)),
                _ if is_octal => Some(format!("write octal digits as a number: {name}0o{octal}")),
                _ => Some(format!("write a number without quotes: {name}1")),
            }
        }
        _ => Some(format!("write a number without quotes: {name}1")),
    }
}

/// A number within a value that JSON cannot say.
fn unending(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => {
            let is_unending = number
                .parse::<f64>()
                .is_ok_and(|number| !number.is_finite());
            is_unending.then(|| number.to_string())
        }
        Value::List(items) => items.iter().find_map(unending),
        Value::Object(members) => members.iter().find_map(|(_, value)| unending(value)),
        _ => None,
    }
}

/// Is a text what the host takes for bytes?
fn is_base64(text: &[u8]) -> bool {
    let body = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"="));
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
    text.len().is_multiple_of(4) && body.unwrap_or(text).iter().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::of_fields;
    use mgmt_protocol::Described;
    use stickler_transcript::Value;

    /// What is wrong with a value of a field `own` of the type that this JSON describes, and what may have been meant.
    fn wrong(shape: &str, value: Value) -> Option<(String, Option<String>)> {
        let kind = format!(
            r#"{{"kind":"k","fields":[{{"name":"Own","lang":"own",{}]}}"#,
            shape.trim_start().trim_start_matches('{')
        );
        let kind = Described::read(&stickler_json::parse(kind.as_bytes()).expect("JSON"));
        let found = of_fields(&kind, &[("own".to_owned(), value)])?;
        Some((found.what, found.help))
    }

    fn of(kind: &str, value: Value) -> Option<String> {
        let shape = format!(r#"{{"type":"{kind}","kind":"{kind}"}}"#);
        wrong(&shape, value).map(|(what, _)| what)
    }

    fn number(text: &str) -> Value {
        Value::Number(text.into())
    }

    fn object(name: &str, value: Value) -> Value {
        Value::Object(vec![(name.as_bytes().to_vec(), value)])
    }

    const PEER: &str = r#"{"type":"p.Peer","kind":"struct","fields":[
        {"name":"Host","lang":"host","type":"string","kind":"string"},
        {"name":"Port","lang":"port","type":"uint16","kind":"uint16"},
        {"name":"Next","lang":"next","type":"*p.Peer","kind":"ptr","elem":{"type":"p.Peer","kind":"struct"}}]}"#;

    #[test]
    fn plain_values_fit_their_types_or_it_is_said_how_to_write_them() {
        for (kind, value, advice) in [
            ("string", number("644"), "own = \"644\""),
            ("string", Value::Bool(true), "own = \"true\""),
            ("string", Value::List(Vec::new()), "write a text: own"),
            ("bool", Value::text("yes"), "without quotes: own = true"),
            ("uint32", Value::text("0644"), "as a number: own = 0o644"),
            ("int", Value::text("rw"), "a number without quotes: own = 1"),
            ("int", number("1.5"), "write a whole number: own = 1"),
            (
                "int8",
                number("300"),
                "300 does not fit: it takes -128 to 127",
            ),
            (
                "uint16",
                number("-1"),
                "-1 does not fit: it takes 0 to 65535",
            ),
            (
                "uint64",
                Value::text("18446744073709551616"),
                "does not fit",
            ),
            (
                "float64",
                Value::text("x"),
                "a number without quotes: own = 0.5",
            ),
            ("float64", number("inf"), "inf does not fit"),
            ("float32", number("1e300"), "1e300 does not fit"),
            ("func", number("1"), "take it out"),
        ] {
            let what = of(kind, value.clone()).unwrap_or_else(|| panic!("{kind}: {value:?}"));
            assert!(what.contains(advice), "{what}");
            assert!(
                what.contains("the field \"own\" of the kind k is a"),
                "{what}"
            );
        }
        for (kind, value) in [
            ("string", Value::text("0644")),
            ("uint32", number("420")),
            ("uint64", Value::text("18446744073709551615")),
            ("uint64", Value::text("0")),
            ("int8", number("-128")),
            ("float64", number("1")),
            ("float64", Value::text("0.25")),
            ("bool", Value::Bool(false)),
        ] {
            assert_eq!(of(kind, value), None, "{kind}");
        }
        let article = of("int8", Value::Bool(true)).expect("advice");
        assert!(article.contains("is an int8;"), "{article}");
    }

    #[test]
    fn what_is_inside_a_value_fits_too() {
        let list = |elem: &str| format!(r#"{{"type":"[]x","kind":"slice","elem":{elem}}}"#);
        let map = |elem: &str| {
            format!(
                r#"{{"type":"map[string]x","kind":"map","key":{{"type":"string","kind":"string"}},"elem":{elem}}}"#
            )
        };
        let to = |elem: &str| format!(r#"{{"type":"*p.Peer","kind":"ptr","elem":{elem}}}"#);
        let port = |port: &str| object("port", number(port));
        for (shape, value, advice) in [
            (
                to(PEER),
                Value::text(""),
                "write a table: own = { host = \"\", port = 0 }",
            ),
            (
                to(PEER),
                object("hst", Value::text("y")),
                "\"own\" is a p.Peer, which has no field \"hst\"; it has: host, port, next",
            ),
            (
                list(PEER),
                Value::List(vec![port("1"), port("70000")]),
                "\"own[1].port\" in the field \"own\" of the kind k is a uint16; 70000 does not fit",
            ),
            (
                map(&list(PEER)),
                object("a.b", Value::List(vec![port("-1")])),
                "\"own.\"a.b\"[0].port\" in",
            ),
            (
                PEER.to_owned(),
                object("next", object("next", port("x"))),
                "\"own.next.next.port\" in",
            ),
            (
                list(r#"{"type":"string","kind":"string"}"#),
                Value::text("a"),
                "write a list: own = [\"a\"]",
            ),
        ] {
            let (what, help) = wrong(&shape, value).unwrap_or_else(|| panic!("{advice}"));
            assert!(what.contains(advice), "{what}");
            assert_eq!(help.is_some(), advice.contains("hst"), "{help:?}");
        }
        let fits = object("next", object("host", Value::text("a")));
        assert_eq!(wrong(PEER, fits), None);
    }

    #[test]
    fn an_interface_takes_what_json_can_say() {
        let any = r#"{"type":"interface {}","kind":"interface","any":true}"#;
        for value in [
            Value::text("a"),
            number("5"),
            object("a", Value::Bool(true)),
        ] {
            assert_eq!(wrong(any, value), None);
        }
        let (what, _) = wrong(any, Value::List(vec![number("nan")])).expect("advice");
        assert!(
            what.contains("is an interface {}; nan cannot be sent"),
            "{what}"
        );
    }

    #[test]
    fn a_field_that_is_not_there_is_named_with_those_that_are() {
        let described = |fields: &str| {
            let kind = format!(r#"{{"kind":"note","fields":[{fields}]}}"#);
            Described::read(&stickler_json::parse(kind.as_bytes()).expect("JSON"))
        };
        let text = r#"{"name":"Text","lang":"text","type":"string","kind":"string"}"#;
        let set = |kind: &Described, names: &[&str]| {
            let fields = names
                .iter()
                .map(|name| ((*name).to_owned(), Value::text("x")));
            of_fields(kind, &fields.collect::<Vec<_>>()).map(|found| (found.what, found.help))
        };
        let (what, help) = set(&described(text), &["txt"]).expect("a mistake");
        assert_eq!(what, "the kind note has no field \"txt\"; it has: text");
        assert_eq!(help.as_deref(), Some("did you mean \"text\"?"));
        assert_eq!(set(&described(text), &["Text"]), None);
        let (what, _) = set(&described(text), &["text", "Text"]).expect("a mistake");
        assert!(what.contains("are one field"), "{what}");
        let twice =
            format!(r#"{text},{{"name":"Owner","lang":"text","type":"string","kind":"string"}}"#);
        assert_eq!(set(&described(&twice), &["text", "owner"]), None);
    }
}
