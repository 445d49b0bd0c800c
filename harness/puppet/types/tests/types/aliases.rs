//! Aliases that modules define. What real Puppet says was seen in Puppet 7.23.

use puppet_types::{Aliases, Definition, Match, Problem, Type, Unfollowed, Value, parse_with};

const FILES: &[(&str, &str)] = &[
    (
        "Al::Name",
        "# Names.\ntype Al::Name = Pattern[/\\A[a-z]+\\z/]\n",
    ),
    (
        "Al::Port",
        "type Al::Port = Variant[Integer[1, 65535], Al::Name]",
    ),
    (
        "Al::Tree",
        "type Al::Tree = Variant[Integer, Array[Al::Tree]]",
    ),
    ("Al::Other", "type Al::Another = String"),
    ("Al::Slip", "type Al::Slip = Strng[1"),
    ("Al::Gap", "type Al::Gap = Array[Al::Missing]"),
];

fn aliases() -> Aliases {
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    Aliases::new(FILES.iter().map(owned), ["al".to_owned()])
}

fn own(text: &str) -> Type {
    parse_with(text, &aliases().open()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn value(json: &str) -> Value {
    Value::parse(json.as_bytes()).expect("a value")
}

#[test]
fn aliases_stand_for_their_types() {
    for (text, json, matches) in [
        ("Al::Port", "80", Match::Yes),
        ("::al::PORT", "\"http\"", Match::Yes),
        ("Al::Port", "70000", Match::No),
        ("Optional[Array[Al::Port]]", "[1, \"a\"]", Match::Yes),
        ("Array[Al::Port]", "[1, 2.0]", Match::No),
    ] {
        let text = text.replace("al::PORT", "Al::PORT");
        assert_eq!(own(&text).matches(&value(json)), matches, "{text} {json}");
    }
}

#[test]
fn mismatch_messages_expand_type_aliases() {
    for (text, json, says) in [
        (
            "Al::Name",
            "\"ABC\"",
            r"name expects a match for Al::Name = Pattern[/\A[a-z]+\z/], got 'ABC'",
        ),
        (
            "Optional[Al::Port]",
            "5.5",
            r"name expects an Al::Port = Variant[Integer[1, 65535], Al::Name = Pattern[/\A[a-z]+\z/]] value, got Float",
        ),
        (
            "Array[Al::Port]",
            "[5, 70000]",
            r"name index 1 expects an Al::Port = Variant[Integer[1, 65535], Al::Name = Pattern[/\A[a-z]+\z/]] value, got Integer",
        ),
        (
            "Al::Gap",
            "[5]",
            "name references an unresolved type 'Al::Missing'",
        ),
    ] {
        assert_eq!(own(text).describe_mismatch("name", &value(json)), says);
    }
}

#[test]
fn an_unresolved_alias_may_match_any_value() {
    let broken = |why: &str| Unfollowed::Broken(why.to_owned());
    for (text, name, why) in [
        (
            "Optional[Stdlib::HTTPUrl]",
            "Stdlib::HTTPUrl",
            Unfollowed::Elsewhere,
        ),
        (
            "Array[Stdlib::Sized[3]]",
            "Stdlib::Sized",
            Unfollowed::Elsewhere,
        ),
        ("Al::Tree", "Al::Tree", Unfollowed::Recursive),
        ("Al::Other", "Al::Other", broken("it defines Al::Another")),
        (
            "Al::Slip",
            "Al::Slip",
            broken("Syntax error at end of input"),
        ),
    ] {
        let own = own(text);
        let unknown = own.unknown().expect("an unknown alias");
        assert_eq!((&*unknown.name, &unknown.why), (name, &why), "{text}");
        assert_eq!(own.unresolved(), None);
    }
    let own = own("Optional[Stdlib::HTTPUrl]");
    assert!(matches!(own.matches(&value("5")), Match::Undecided(_)));
    assert_eq!(own.matches(&Value::Undef), Match::Yes);
    // A member that may be missing is no mismatch.
    let members = self::own("Struct[{a => Stdlib::HTTPUrl}]");
    assert!(!members.matches(&value("{}")).is_no());
}

#[test]
fn names_that_nobody_defines_stand_for_nothing() {
    let named = |text: &str, aliases: &Aliases| {
        let own = parse_with(text, aliases).expect("a type");
        own.unresolved().map(str::to_owned)
    };
    for text in ["Al::Missing", "Strng"] {
        assert_eq!(named(text, &aliases().open()).as_deref(), Some(text));
    }
    // In a run, all modules are there.
    assert_eq!(
        named("Stdlib::HTTPUrl", &aliases()).as_deref(),
        Some("Stdlib::HTTPUrl")
    );
    let error = parse_with("Al::Name[1]", &aliases()).expect_err("no type");
    assert!(
        error
            .message
            .contains("Not a parameterized type <Al::Name>"),
        "{error}"
    );
}

#[test]
fn aliases_of_too_many_parts_are_not_followed() {
    let file = |level: usize| {
        let below = format!("A::L{}", level + 1);
        let text = match level {
            40 => "type A::L40 = Integer".to_owned(),
            _ => format!("type A::L{level} = Tuple[{below}, {below}]"),
        };
        (format!("A::L{level}"), text)
    };
    let aliases = Aliases::new((0..=40).map(file), ["a".to_owned()]);
    let own = parse_with("A::L0", &aliases).expect("a type");
    assert_eq!(
        own.unknown().map(|one| &one.why),
        Some(&Unfollowed::TooLarge)
    );
}

#[test]
fn definitions_tell_which_aliases_they_could_not_follow() {
    let json = r#"{"name": "a", "desc": "x", "attributes": {
        "name": {"type": "Al::Name", "desc": "x", "behaviour": {"$sym": "namevar"}},
        "url": {"type": "Stdlib::HTTPUrl", "desc": " ", "default": "x"},
        "gap": {"type": "Al::Missing", "desc": "x"}}}"#;
    let own = Definition::of_type_with(&value(json), &aliases().open());
    let problems: Vec<_> = own.problems.iter().map(Problem::to_string).collect();
    assert_eq!(
        problems,
        [
            "the `desc` of attribute `url` is blank",
            "the type of attribute `url` names `Stdlib::HTTPUrl`, an alias of another module, which is not here",
            "the type of attribute `gap` names `Al::Missing`, which is unknown",
            "whether the default of attribute `url` fits is undecided: Stdlib::HTTPUrl: an alias of another module, which is not here",
        ]
    );
    assert!(own.has_alias());
}
