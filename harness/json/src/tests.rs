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
fn invalid_json_is_refused_for_the_right_reason() {
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
fn an_error_gives_its_cause_and_byte_offset() {
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
}
