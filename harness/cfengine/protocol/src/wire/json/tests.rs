use super::{JsonErrorKind as Kind, *};
use proptest::prelude::*;

fn kind(text: impl AsRef<[u8]>) -> Kind {
    parse(text.as_ref()).expect_err("an error").kind
}

fn text(bytes: &[u8]) -> Text {
    let Ok(Json::String(text)) = parse(bytes) else {
        panic!("no string")
    };
    text
}

#[test]
fn doubled_keys_stay_in_order_with_their_spans() {
    let json = parse(br#"{"a": 1, "b": [true, null], "a": 2e3}"#).expect("JSON");
    let members = json.as_object().expect("JSON");
    let keys: Vec<_> = members
        .iter()
        .map(|member| member.key.as_str().expect("JSON"))
        .collect();
    assert_eq!(keys, ["a", "b", "a"]);
    assert_eq!(members[1].span, 9..26);
    assert_eq!(
        json.get("a"),
        Some(&Json::Number("2e3".into())),
        "the last one counts"
    );
}

#[test]
fn what_is_no_json_is_refused_for_the_right_reason() {
    let cases: &[(&[u8], Kind)] = &[
        (b"", Kind::UnexpectedEnd),
        (b"  ", Kind::UnexpectedEnd),
        (b"{", Kind::UnexpectedEnd),
        (b"{\"a\"", Kind::UnexpectedEnd),
        (b"\"a", Kind::UnexpectedEnd),
        (b"\"\\", Kind::UnexpectedEnd),
        (b"\"\\u12", Kind::UnexpectedEnd),
        (b"tru", Kind::UnexpectedEnd),
        (b"1.", Kind::UnexpectedEnd),
        (b"-", Kind::UnexpectedEnd),
        (b"1.e3", Kind::Number),
        (b"01", Kind::Number),
        (b"-01", Kind::Number),
        (b"-a", Kind::Number),
        (b"1ex", Kind::Number),
        (b"+1", Kind::Expected("a value")),
        (b".5", Kind::Expected("a value")),
        (b"NaN", Kind::Expected("a value")),
        (b"Infinity", Kind::Expected("a value")),
        (b"True", Kind::Expected("a value")),
        (b"'a'", Kind::Expected("a value")),
        (b"/* a */ 1", Kind::Expected("a value")),
        (b"{a: 1}", Kind::Expected("a key in double quotes")),
        (b"{\"a\" 1}", Kind::Expected("`:`")),
        (b"[1 2]", Kind::Expected("`,` or `]`")),
        (b"{\"a\": 1 2", Kind::Expected("`,` or `}`")),
        (b"[1,]", Kind::TrailingComma),
        (b"{\"a\": 1, }", Kind::TrailingComma),
        (b"\xef\xbb\xbf{}", Kind::ByteOrderMark),
        (b"\"a\nb\"", Kind::ControlCharacter(b'\n')),
        (b"\"\x1b\"", Kind::ControlCharacter(0x1b)),
        (b"\"\0\"", Kind::ControlCharacter(0)),
        (b"\"\x1f\"", Kind::ControlCharacter(0x1f)),
        (b"\"\\q\"", Kind::Escape),
        (b"\"\\u12x4\"", Kind::Escape),
        (b"\"\\u12\"", Kind::Escape),
        (b"\"\xff\"", Kind::InvalidUtf8),
        (b"\"\xed\xa0\x80\"", Kind::InvalidUtf8),
        (b"\xff", Kind::InvalidUtf8),
        (b"{} {}", Kind::TrailingText),
        (b"{}\xff", Kind::InvalidUtf8),
        ("\u{a0}1".as_bytes(), Kind::Expected("a value")),
    ];
    for (input, expected) in cases {
        assert_eq!(kind(input), *expected, "{}", input.escape_ascii());
    }
}

#[test]
fn an_error_says_where_and_what() {
    let error = parse(b"{\"a\": \"x\ty\"}").expect_err("an error");
    assert_eq!(
        error.to_string(),
        "raw control character 0x09 in a string at byte 8"
    );
    let trailing = parse(b"[1 , ]").expect_err("an error");
    assert_eq!(trailing.to_string(), "trailing comma at byte 3");
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(kind(nested(MAX_DEPTH + 1)), Kind::TooDeep);
    assert_eq!(kind("{\"a\":".repeat(1_000_000)), Kind::TooDeep);
}

#[test]
fn escapes_are_decoded_and_lone_surrogates_kept() {
    let all = text(br#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#);
    assert_eq!(all.as_str(), Some("\"\\/\u{8}\u{c}\n\r\té😀"));
    assert!(!all.has_lone_surrogate());
    let edges = text(br#""\ud800\udc00\udbff\udfff\ud7ff\ue000 \u007f""#);
    assert_eq!(
        edges.as_str(),
        Some("\u{10000}\u{10ffff}\u{d7ff}\u{e000} \u{7f}")
    );
    for (input, bytes) in [
        (&br#""\ud800""#[..], &b"\xed\xa0\x80"[..]),
        (br#""\udfff""#, b"\xed\xbf\xbf"),
        (br#""\ud83d\ud83d\ude00""#, b"\xed\xa0\xbd\xf0\x9f\x98\x80"),
        (br#""\ud800\n""#, b"\xed\xa0\x80\n"),
    ] {
        let lone = text(input);
        assert_eq!(lone.as_bytes(), bytes);
        assert!(lone.has_lone_surrogate());
        assert_eq!(lone.as_str(), None);
    }
}

#[test]
fn a_prefix_ends_right_after_its_value() {
    assert_eq!(parse_prefix(b" {\"a\": 1} {}").expect("JSON").1, 9);
    assert_eq!(parse_prefix(b"12 34").expect("JSON").1, 2);
    assert_eq!(parse_prefix(b"\"a\"\xff").expect("JSON").1, 3);
    assert!(parse_prefix(b"012").is_err());
    let (json, end) = parse_prefix_at(b"text{\"a\":1}tail", 4).expect("JSON");
    assert_eq!(
        json.as_object().expect("JSON")[0].span,
        5..10,
        "offsets count from the beginning"
    );
    assert_eq!(end, 11);
    assert!(parse_prefix_at(b"1", 7).is_err());
}

#[test]
fn lenient_reading_takes_what_agents_send_raw() {
    let json = parse_lenient(b"{\"a\":\"\x1b\xff\"}").expect("JSON");
    assert_eq!(
        Value::from(&json),
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
    assert_eq!(value.encode(Style::Verbatim), expected.as_bytes());
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

/// A pattern for short texts of JSON's own characters, with many near misses.
const NEARLY_JSON: &str =
    r#"([\[\]{}:,"\\ \n01.eE+\-]|true|false|null|"a"|"é"|\\u00e9|\\n|/|\x01){0,12}"#;

proptest! {
    #[test]
    fn no_bytes_make_the_parsers_panic(bytes: Vec<u8>, start in 0usize..64) {
        let _ = (parse(&bytes), parse_lenient(&bytes), parse_prefix_at(&bytes, start));
    }

    #[test]
    fn acceptance_agrees_with_serde_json(input in NEARLY_JSON) {
        // The grammar allows numbers beyond the range of a double, but serde_json rejects them.
        prop_assume!(!input.contains(['e', 'E']) || !input.contains("00"));
        let theirs = serde_json::from_str::<serde_json::Value>(&input);
        let out_of_range = theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        prop_assume!(!out_of_range);
        prop_assert_eq!(parse(input.as_bytes()).is_ok(), theirs.is_ok());
    }

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
    fn valid_styles_come_back_as_they_went(value in value(any::<String>().prop_map(String::into_bytes))) {
        for style in [Style::Spec, Style::Ascii] {
            let bytes = value.encode(style);
            prop_assert_eq!(Value::from(&parse(&bytes).expect("JSON")), value.clone());
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&bytes).is_ok());
        }
    }

    #[test]
    fn agent_style_comes_back_sorted_whatever_the_bytes(value in value(any::<Vec<u8>>())) {
        let bytes = value.encode(Style::Agent);
        prop_assert_eq!(Value::from(&parse_lenient(&bytes).expect("JSON")), sorted(&value));
    }

    #[test]
    fn a_prefix_is_what_stands_alone(value in value(any::<String>().prop_map(String::into_bytes))) {
        let mut bytes = value.encode(Style::Spec);
        let length = bytes.len();
        bytes.extend_from_slice(b" {}");
        let (json, end) = parse_prefix(&bytes).expect("JSON");
        prop_assert_eq!(end, length);
        prop_assert_eq!(json, parse(&bytes[..length]).expect("JSON"));
    }
}
