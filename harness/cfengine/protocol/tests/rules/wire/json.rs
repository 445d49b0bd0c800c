//! JSON as agents and modules write it.

use cfengine_protocol::release::Release;
use cfengine_protocol::wire::Value;
use cfengine_protocol::wire::json::*;
use cfengine_protocol::wire::value::{Encode as _, Style, from_json};
use proptest::prelude::*;

#[test]
fn the_lenient_parser_accepts_raw_control_characters_and_invalid_utf8() {
    let json = parse_lenient(b"{\"a\":\"\x1b\xff\"}").expect("JSON");
    assert_eq!(
        from_json(&json),
        Value::Object(vec![(b"a".into(), Value::text(b"\x1b\xff"))])
    );
}

#[test]
fn agent_style_is_compact_sorted_and_raw() {
    let value = Value::Object(vec![
        (
            b"b".into(),
            Value::List(vec!["x/y".into(), Value::Object(vec![])]),
        ),
        (b"B".into(), Value::Number("1.5000".into())),
        (
            b"a".into(),
            Value::text(b"\t\r\x08\x0c\"\\\n\x1b\x7f\0\xff\xc3\xa9"),
        ),
    ]);
    let expected = b"{\"B\":1.5000,\"a\":\"\\t\\r\\b\\f\\\"\\\\\\n\x1b\x7f\0\xff\xc3\xa9\",\"b\":[\"x/y\",{}]}";
    assert_eq!(
        value.encode(Style::Agent).escape_ascii().to_string(),
        expected.escape_ascii().to_string()
    );
}

#[test]
fn verbatim_style_escapes_texts_alone() {
    let inner = vec![(b"c\\nd".to_vec(), Value::text("\"\n"))];
    let value = Value::Object(vec![(b"a\"b".into(), Value::Object(inner))]);
    let expected = r#"{"a"b":{"c\nd":"\"\n"}}"#;
    assert_eq!(
        value.encode(Style::Release(Release::oldest())),
        expected.as_bytes()
    );
}

#[test]
fn the_other_styles_are_spaced_and_valid() {
    let value = Value::Object(vec![
        (b"b".into(), Value::text("\u{1}\u{2028}😀")),
        (
            b"a".into(),
            Value::List(vec![
                Value::Null,
                Value::Bool(true),
                Value::text(b"\xed\xa0\x80x"),
            ]),
        ),
    ]);
    let spec = "{\"b\": \"\\u0001\u{2028}😀\", \"a\": [null, true, \"\\ud800x\"]}";
    assert_eq!(
        String::from_utf8(value.encode(Style::Spec)).expect("JSON"),
        spec
    );
    let ascii = r#"{"b": "\u0001\u2028\ud83d\ude00", "a": [null, true, "\ud800x"]}"#;
    assert_eq!(
        String::from_utf8(value.encode(Style::Ascii)).expect("JSON"),
        ascii
    );
}

fn value(text: impl Strategy<Value = Vec<u8>> + Clone + 'static) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| Value::Number(number.to_string())),
        text.clone().prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
            prop::collection::vec((text.clone(), inner), 0..5).prop_map(Value::Object),
        ]
    })
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(sorted).collect()),
        Value::Object(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(key, value)| (key.clone(), sorted(value)))
                .collect();
            members.sort_by(|left, right| left.0.cmp(&right.0));
            Value::Object(members)
        }
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn damaged_json_is_judged_as_serde_json_does(
        value in value(any::<String>().prop_map(String::into_bytes)),
        at: prop::sample::Index,
        byte: u8,
    ) {
        let mut bytes = value.encode(Style::Spec);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let theirs = serde_json::from_slice::<serde_json::Value>(&bytes);
        let unsure = theirs.as_ref().is_err_and(|error| {
            let message = error.to_string();
            message.contains("out of range") || message.contains("surrogate") || message.contains("hex escape")
        });
        prop_assume!(!unsure);
        prop_assert_eq!(parse(&bytes).is_ok(), theirs.is_ok(), "{}", bytes.escape_ascii());
    }

    #[test]
    fn valid_styles_survive_a_round_trip(value in value(any::<String>().prop_map(String::into_bytes))) {
        for style in [Style::Spec, Style::Ascii] {
            let bytes = value.encode(style);
            prop_assert_eq!(from_json(&parse(&bytes).expect("JSON")), value.clone());
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
        }
    }

    #[test]
    fn agent_style_comes_back_sorted_whatever_the_bytes(value in value(any::<Vec<u8>>())) {
        let bytes = value.encode(Style::Agent);
        prop_assert_eq!(from_json(&parse_lenient(&bytes).expect("JSON")), sorted(&value));
    }

    #[test]
    fn parsing_a_prefix_gives_the_same_value_as_parsing_it_alone(value in value(any::<String>().prop_map(String::into_bytes))) {
        let mut bytes = value.encode(Style::Spec);
        let length = bytes.len();
        bytes.extend_from_slice(b" {}");
        let (json, end) = parse_prefix(&bytes).expect("JSON");
        prop_assert_eq!(end, length);
        prop_assert_eq!(json, parse(&bytes[..length]).expect("JSON"));
    }
}

#[test]
fn releases_escape_more_and_more() {
    let value = Value::Object(vec![(
        "é\"".into(),
        Value::text("é\x1b\x7f\n\"".as_bytes()),
    )]);
    let sent = |version: &str| {
        let release = Release::named(version).expect("a release");
        String::from_utf8(value.encode(Style::Release(release))).expect("UTF-8")
    };
    assert_eq!(sent("3.21.0"), "{\"é\"\":\"é\x1b\x7f\\n\\\"\"}");
    let text = r#""\u00c3\u00a9\u001b\u007f\n\"""#;
    assert_eq!(sent("3.24.4"), format!("{{\"é\"\":{text}}}"));
    assert_eq!(sent("3.28.0"), format!(r#"{{"\u00c3\u00a9\"":{text}}}"#));
    let invalid = Value::text(b"\xff");
    let newest = invalid.encode(Style::Release(Release::newest()));
    assert_eq!(newest, br#""\u00ff""#);
}
