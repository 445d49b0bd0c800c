use super::*;
use cfengine_protocol::release::Release;

fn read(text: &str) -> Data {
    parse(text, Release::oldest()).expect("JSON").0
}

#[test]
fn objects_are_written_with_sorted_keys() {
    let data = read(r#"{"b": [1, 2.5, "x\n"], "a": {}}"#);
    assert_eq!(data.compact(), r#"{"a":{},"b":[1,2.5,"x\n"]}"#);
    assert_eq!(
        data.pretty(),
        "{\n  \"a\": {\n  },\n  \"b\": [\n    1,\n    2.5,\n    \"x\\n\"\n  ]\n}"
    );
}

#[test]
fn the_agents_own_laxity_is_kept() {
    assert_eq!(read("[1,]").compact(), "[1]");
    assert_eq!(read(r#"{a: 1, "a": 2}"#).compact(), r#"{"a":2}"#);
    assert_eq!(read(r#"{"a":"\u00e4"}"#).compact(), r#"{"a":"\\u00e4"}"#);
    assert_eq!(read("[1] and more").compact(), "[1]");
    for wrong in ["[01]", "[,1]", "{'a':1}", "[True]", "[1", "\"a", ""] {
        assert!(parse(wrong, Release::oldest()).is_err(), "{wrong}");
    }
}

#[test]
fn copies_spell_reals_anew() {
    let copied = |text| read(text).copied().map(|data| data.compact());
    assert_eq!(copied("[1.5, 2]"), Ok("[1.5000,2]".to_owned()));
    assert_eq!(
        copied("[2147483648, 9223372036854775807, -0]"),
        Ok("[-2147483648,-1,0]".to_owned())
    );
    assert_eq!(
        copied("[1.0e308, 1.8e308]"),
        Ok("[1000000000000000010979063629440,0.0000]".to_owned())
    );
    for number in ["1e5", "-1E-2", "9223372036854775808"] {
        assert!(read(number).copied().is_err(), "{number}");
    }
}

#[test]
fn paths_lead_to_parts() {
    let data = read(r#"{"a":[{"b":"c"}]}"#);
    let path = ["a".into(), "0".into(), "b".into()];
    assert_eq!(data.select(&path), Some(&Data::text("c")));
    assert_eq!(data.select(&["x".into()]), None);
}

#[test]
fn arrays_hold_arrays() {
    for text in [r#"[["a","b"],["c"]]"#, r#"[{"a":1},[2],[[]]]"#] {
        assert_eq!(read(text).compact(), text);
    }
}

proptest::proptest! {
    /// Picking members gives the same as parsing everything and selecting them.
    #[test]
    fn picking_is_reading_and_choosing(
        text in r#"(\{)?([{}\[\],:]|"a"|"b"|"\\n"|a|b|1|-|true|null| ){0,24}(\})?"#
    ) {
        let picked = pick(&text, Release::oldest(), ["a", "b"]);
        match parse(&text, Release::oldest()) {
            Ok((Data::Object(members), _)) => {
                let member = |name| members.get(name).cloned();
                proptest::prop_assert_eq!(
                    picked,
                    Ok(Picked::Members([member("a"), member("b")]))
                );
            }
            Ok((other, _)) => proptest::prop_assert_eq!(picked, Ok(Picked::Other(other))),
            Err(broken) => proptest::prop_assert_eq!(picked, Err(broken)),
        }
    }
}

#[test]
fn later_releases_read_escapes_as_bytes_and_want_commas() {
    let newest = Release::newest();
    let read = |text: &str| parse(text, newest).map(|(data, _)| data);
    let text = |json: &str| match read(&format!("[{json}]")).expect("JSON") {
        Data::Array(items) => {
            cfengine_policy::text::encode(&items[0].primitive().expect("a text")).into_owned()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(text(r#""\u006bept""#), b"kept");
    assert_eq!(text(r#""\u00c3\u00a9""#), "é".as_bytes());
    // A zero vanishes, and what is no byte loses its backslash.
    assert_eq!(text(r#""a\u0000b\u20ac\u00""#), b"abu20acu00");
    // Escapes are resolved twice.
    assert_eq!(text(r#""\\u0041""#), b"A");
    assert!(read(r#"{"a":1 "b":2}"#).is_err());
    assert!(read(r#"{"a":1,"b":2,}"#).is_ok());
    assert!(parse(r#"{"a":1 "b":2}"#, Release::oldest()).is_ok());
}
