//! Other values of a type.

use puppet_types::Dice;
use puppet_types::Value;
use puppet_types::generate::others;
use puppet_types::parse;

fn shown(of: &str, current: Option<&str>) -> Vec<String> {
    let of = parse(of).expect("a type");
    let current = current.map(|json| Value::parse(json.as_bytes()).expect("a value"));
    let found = others(&of, current.as_ref(), &mut Dice::new(1, "test"));
    found.iter().map(|other| other.value.inspect()).collect()
}

#[test]
fn arrays_are_emptied_longer_shorter_and_turned() {
    let found = shown("Optional[Array[Enum[a, b, c]]]", Some(r#"["b","a"]"#));
    let words = shown("Array[Enum[a, b, c, d, e]]", Some(r#"["a"]"#));
    let all = r#"["a", "b", "c", "d", "e"]"#;
    assert!(words.contains(&all.to_owned()), "{words:?}");
    for one in ["[]", r#"["b", "a", "c"]"#, r#"["b"]"#, r#"["a", "b"]"#] {
        assert!(found.contains(&one.to_owned()), "{one} is not in {found:?}");
    }
    let found = shown("Array[String[1], 1]", None);
    assert_eq!(found[0], r#"["stickler"]"#);
}

#[test]
fn hashes_get_several_keys_more() {
    let found = shown(
        r"Hash[Pattern[/\A[a-z]{1,12}\z/], String]",
        Some(r#"{"$h":[["a","b"]]}"#),
    );
    let most = found.iter().map(|one| one.matches("=>").count()).max();
    assert!(most > Some(2), "{found:?}");
}

#[test]
fn limits_and_words_are_tried() {
    assert_eq!(shown("Integer[1, 60]", Some("10")), ["1", "60", "11", "9"]);
    assert_eq!(shown("Boolean", Some("true")), ["false"]);
    assert_eq!(shown("Enum[a, b]", Some("\"a\"")), [r#""b""#]);
    let texts = shown("String", Some("\"A b\""));
    assert_eq!(texts[0], r#""""#);
    assert!(texts.contains(&r#""  A b  x  ""#.to_owned()), "{texts:?}");
}

#[test]
fn only_values_of_the_type_are_other_values() {
    for of in [
        r"Pattern[/\A[a-z]{3}\z/]",
        "Variant[Integer[0], Enum[never]]",
        "Hash[String[1], Integer[0]]",
        "Struct[{a => Integer, Optional[b] => String}]",
        "Tuple[String, Integer]",
        "Data",
    ] {
        let own = parse(of).expect("a type");
        for current in [None, Some("3"), Some("\"abc\""), Some("[\"a\",1]")] {
            for one in shown(of, current) {
                assert_ne!(Some(&one[..]), current);
            }
            let value = current.map(|one| Value::parse(one.as_bytes()).expect("a value"));
            for other in others(&own, value.as_ref(), &mut Dice::new(2, "test")) {
                assert!(own.matches(&other.value).is_yes(), "{of}: {other:?}");
            }
        }
    }
}
