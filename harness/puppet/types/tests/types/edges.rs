//! Edge cases of types, each seen in Puppet 7.23. No Puppet is needed here.

use puppet_types::regex::{Fault, Pattern};
use puppet_types::{Match, Type, Value, parse};

fn value(json: &str) -> Value {
    Value::parse(json.as_bytes()).expect("a value")
}

fn own(text: &str) -> Type {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn accepts(text: &str, values: &[&str]) {
    for json in values {
        assert_eq!(own(text).matches(&value(json)), Match::Yes, "{text} {json}");
    }
}

#[track_caller]
fn refuses(text: &str, values: &[&str]) {
    for json in values {
        assert_eq!(own(text).matches(&value(json)), Match::No, "{text} {json}");
    }
}

#[track_caller]
fn says(text: &str, json: &str, words: &str) {
    assert_eq!(own(text).describe_mismatch("", &value(json)), words);
}

#[test]
fn integers_have_no_size() {
    accepts(
        "Integer",
        &["0", "-9223372036854775809", "99999999999999999999999999"],
    );
    accepts("Integer[default, 5]", &["5", "-99999999999999999999999"]);
    refuses("Integer[default, 5]", &["6"]);
    accepts("Integer[0x10]", &["16"]);
    refuses("Integer[0x10]", &["15", "16.0", "\"16\""]);
}

#[test]
fn floats_are_no_integers_and_have_no_nan() {
    accepts("Float", &["1.0", r#"{"$f":"Infinity"}"#, "1e3"]);
    refuses("Float", &["1", r#"{"$f":"NaN"}"#, "\"1.0\""]);
    accepts("Numeric", &["1", "1.5"]);
}

#[test]
fn nothing_is_converted() {
    refuses("Integer", &["\"5\"", "5.0", "true", "null"]);
    refuses("Boolean", &["\"true\"", r#"{"$sym":"true"}"#, "1"]);
    accepts("Boolean[true]", &["true"]);
    refuses("Boolean[true]", &["false"]);
}

#[test]
fn strings_are_counted_by_characters_and_are_no_symbols() {
    accepts("String[2, 2]", &["\"日本\"", "\"ab\""]);
    refuses("String[2, 2]", &["\"a\"", "\"abc\"", r#"{"$sym":"ab"}"#]);
    assert!(parse("String[5, 2]").is_err());
    accepts("String[-5, -2]", &["\"\""]);
}

#[test]
fn enumerations_may_ignore_case_and_match_nothing_when_bare() {
    accepts("Enum[a, b, true]", &["\"A\"", "\"b\""]);
    refuses("Enum[a, b]", &["\"A\"", r#"{"$sym":"a"}"#]);
    refuses("Enum", &["\"a\"", "\"\""]);
    refuses("Variant", &["\"a\"", "null"]);
    for wrong in [
        "Enum[A]",
        "Enum[1]",
        "Enum[10g]",
        "Enum[]",
        "Enum[a b]",
        "Enum [a]",
    ] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
    assert_eq!(
        own("Enum[a-b, 'x y', \"z\"]").to_string(),
        "Enum['a-b', 'x y', 'z']"
    );
}

#[test]
fn optional_and_notundef_take_literals() {
    accepts("Optional[foo]", &["\"foo\"", "null", r#"{"$sym":"undef"}"#]);
    refuses("Optional[foo]", &["\"bar\""]);
    accepts("NotUndef[foo]", &["\"foo\""]);
    accepts("Optional", &["null"]);
    refuses("Optional", &["1"]);
    assert!(parse("Optional[A, B]").is_err());
}

#[test]
fn patterns_search_by_lines() {
    accepts("Pattern[/^a$/]", &[r#""b\na\nc""#, "\"a\""]);
    accepts(r"Pattern[/a\Z/]", &[r#""a\n""#]);
    refuses(r"Pattern[/a\z/]", &[r#""a\n""#]);
    accepts(r"Pattern[/(?<=a)b/, /\h{3}/]", &["\"ab\"", "\"0fA\""]);
    accepts(r"Pattern[/\p{Alpha}/, /(?i)x/]", &["\"é\"", "\"X\""]);
    accepts("Pattern['^a']", &["\"ab\""]);
    accepts("Pattern", &["\"\""]);
    refuses("Pattern", &[r#"{"$sym":"a"}"#]);
}

#[test]
fn no_line_starts_behind_the_last_newline() {
    let pattern = Pattern::new(r"^\z");
    assert_eq!(pattern.is_match("a\n"), Ok(false));
    assert_eq!(pattern.is_match(""), Ok(true));
}

#[test]
fn a_pattern_that_cannot_be_run_is_undecided() {
    let answer = own("Pattern[/(?~a)b/]").matches(&Value::string("ab"));
    assert!(matches!(answer, Match::Undecided(_)), "{answer:?}");
    let slow = Pattern::new(r"\A(?:a|a|a(?=a))*(?=b)\z");
    let text = "a".repeat(60);
    assert!(slow.is_match(&text).is_err(), "it gives up");
    assert!(matches!(Pattern::new("(").fault(), Some(Fault::Invalid(_))));
    assert!(matches!(
        Pattern::new(r"\Ga").fault(),
        Some(Fault::Unsupported(_))
    ));
}

#[test]
fn collections_are_limited() {
    accepts("Array[String, 1, 2]", &[r#"["a"]"#]);
    refuses("Array[String, 1, 2]", &["[]", r#"["a","b","c"]"#, "[1]"]);
    accepts("Array[0, 0]", &["[]"]);
    refuses("Array[0, 0]", &["[1]"]);
    accepts("Hash[String, Integer, 1]", &[r#"{"$h":[["a",1]]}"#]);
    refuses("Hash[String, Integer]", &[r#"{"a":1}"#]);
    accepts(
        "Tuple[String, Integer, 1, 3]",
        &[r#"["a"]"#, r#"["a",1,2]"#],
    );
    refuses("Tuple[String, Integer, 1, 3]", &[r#"["a","b"]"#, "[]"]);
    accepts("Iterable", &["\"a\"", "5", "[]"]);
}

#[test]
fn structs_know_which_keys_may_be_missing() {
    let text = "Struct[{a => String, b => Optional[Integer], Optional[c] => Integer, NotUndef[d] => Optional[String]}]";
    accepts(text, &[r#"{"$h":[["a","x"],["d",null]]}"#]);
    refuses(
        text,
        &[
            r#"{"$h":[["a","x"]]}"#,
            r#"{"$h":[["a","x"],["d","x"],["c",null]]}"#,
            r#"{"$h":[["a","x"],["d","x"],["e",1]]}"#,
            r#"{"a":"x","d":null}"#,
        ],
    );
    accepts("Struct[{}]", &["{}"]);
    refuses("Struct[{}]", &[r#"{"$h":[["a",1]]}"#]);
}

#[test]
fn sensitive_generalizes_its_parameter() {
    assert_eq!(own("Sensitive[String[8]]").to_string(), "Sensitive[String]");
    assert_eq!(
        own("Sensitive[Enum[a]]").to_string(),
        "Sensitive[String[1, 1]]"
    );
    accepts("Sensitive[String[8]]", &[r#"{"$sens":"short"}"#]);
    accepts("Sensitive[Integer[5, 6]]", &[r#"{"$sens":99}"#]);
    refuses("Sensitive[Pattern[/^a/]]", &[r#"{"$sens":"b"}"#]);
    refuses("Sensitive", &["\"a\""]);
}

#[test]
fn unknown_names_are_references_that_nothing_matches() {
    for text in [
        "Strang",
        "Foo::Bar",
        "Stdlib::Absolutepath",
        "Foo::Bar[1, String]",
    ] {
        assert_eq!(own(text).unresolved(), Some(text));
        refuses(text, &["\"a\"", "null"]);
    }
    says("Optional[Foo]", "1", "references an unresolved type 'Foo'");
}

#[test]
fn objects_of_ruby_are_of_their_types() {
    let timestamp = r#"{"$obj":"2000","class":"Puppet::Pops::Time::Timestamp"}"#;
    accepts("Timestamp", &[timestamp]);
    refuses("Timestamp", &["\"2000-01-01\""]);
    let answer = own("Timestamp['2000-01-01']").matches(&value(timestamp));
    assert!(matches!(answer, Match::Undecided(_)));
}

#[test]
fn mismatches_are_described_in_puppets_words() {
    says(
        "Enum[absent, present]",
        "\"latest\"",
        "expects a match for Enum['absent', 'present'], got 'latest'",
    );
    says(
        "Array[Integer]",
        r#"["a"]"#,
        "index 0 expects an Integer value, got String",
    );
    says(
        "Array[Integer, 1, 2]",
        "[1,2,3]",
        "expects size to be between 1 and 2, got 3",
    );
    says(
        "Struct[{a => String}]",
        r#"{"$h":[["a","x"],["c",1]]}"#,
        "unrecognized key 'c'",
    );
    says(
        "Struct[{a => String}]",
        r#"{"$h":[["b","x"]]}"#,
        "  expects a value for key 'a'\n   unrecognized key 'b'",
    );
    says(
        "Variant[Undef, Integer]",
        "\"x\"",
        "expects a value of type Undef or Integer, got String",
    );
    says(
        "Enum[present, absent]",
        r#"{"$sym":"present"}"#,
        "expects a match for Enum['absent', 'present'], got Runtime",
    );
    says("Variant", "1", "");
    says("Optional", "1", "");
}

#[test]
fn errors_have_a_place() {
    let error = parse("Struct[{\n  a => String[,\n}]").expect_err("an error");
    assert_eq!((error.line, error.column), (2, 15));
    assert_eq!(error.message, "Syntax error at ',' (line: 2, column: 15)");
    let error = parse("Array[Optional[1]]").expect_err("an error");
    assert_eq!(error.column, 7);
}

#[test]
fn values_keep_everything_in_json() {
    for json in [
        r#"{"a":1,"$$b":2.0,"c":null}"#,
        r#"{"$h":[["a",1],[1,{"$sym":"x"}],[{"$re":"^a","options":"im"},true]]}"#,
        r#"[{"$sens":"x"},{"$bin":"/w=="},{"$proc":"a.rb:1"},{"$obj":"<X>","class":"X"},{"$cycle":true}]"#,
        "123456789012345678901234567890",
        r#"{"$f":"NaN"}"#,
        r#""\u0001é\"""#,
    ] {
        assert_eq!(value(json).encode(), json);
    }
    let error = Value::parse(br#"{"a":1,"a":2}"#).expect_err("an error");
    assert_eq!(error.to_string(), "the key :a occurs twice at byte 7");
    let error = Value::parse(br#"{"a":{"$x":1}}"#).expect_err("an error");
    assert_eq!(error.to_string(), "unknown kind of value `$x` at byte 6");
    assert!(Value::parse(br#"{"$re":"a","options":"q"}"#).is_err());
    assert!(Value::parse(br#"{"$sym":1}"#).is_err());
    assert!(Value::parse(br#"{"$h":[["a",1],["a",2]]}"#).is_err());
}
