//! What the rules about `Cmp`, `Copy` and UIDs say of short dialogues.

use crate::common::{Dialogue, begun, breaks, keeps, says_nothing};
use stickler_transcript::Variation;

const FIELDS: &str = r#"{"fields":{"Text":"x"}}"#;
const OTHER: &str = r#"{"fields":{"Text":"y"}}"#;

fn both(second: &str) -> Dialogue {
    begun().makes("a", "note", "x").makes("b", "note", second)
}

#[test]
fn equal_resources_compare_equal() {
    keeps("MR401", &both("x").cmp("a", "a", None).cmp("a", "b", None));
    breaks("MR401", &both("x").cmp("a", "a", Some("differs")));
    breaks("MR401", &both("x").cmp("a", "b", Some("differs")));
    says_nothing("MR401", &both("y").cmp("a", "b", Some("differs")));
}

#[test]
fn comparisons_agree_in_both_directions() {
    keeps(
        "MR402",
        &both("y")
            .cmp("a", "b", Some("no"))
            .cmp("b", "a", Some("other words")),
    );
    breaks(
        "MR402",
        &both("y").cmp("a", "b", Some("no")).cmp("b", "a", None),
    );
    let kinds = || begun().makes("a", "note", "x").makes("k", "other", "x");
    keeps("MR402", &kinds().cmp("a", "k", Some("not a note")));
    breaks("MR402", &kinds().cmp("a", "k", None));
    breaks(
        "MR402",
        &kinds().panics("cmp", r#"{"resource":"a","other":"k"}"#),
    );
}

#[test]
fn differences_are_seen() {
    let field =
        |dialogue: Dialogue| dialogue.case(|case| case.items[0].field = Some("text".into()));
    keeps(
        "MR403",
        &field(both("y").cmp("a", "b", Some("the text differs"))),
    );
    assert_eq!(
        breaks("MR403", &field(both("y").cmp("a", "b", None))),
        "a difference in `text` is not seen"
    );
    breaks("MR403", &field(both("y").cmp("a", "b", Some(" "))));
    // A word of the source may mean the same as another one, but not if no value is told apart.
    let guess = |label: &str| {
        begun()
            .makes("a", "note", "x")
            .makes("b", "note", label)
            .case(|case| case.items[0].variation = Some(Variation::Near))
    };
    breaks("MR403", &field(guess("y").cmp("a", "b", None)));
    let other = guess("y")
        .makes("c", "note", "z")
        .cmp("a", "c", Some("the text differs"));
    keeps("MR403", &field(other.cmp("a", "b", None)));
    // What differs otherwise is not about one field.
    says_nothing("MR403", &both("y").cmp("a", "b", None));
}

#[test]
fn comparisons_change_nothing() {
    let around = |after: &str| {
        let before = both("x")
            .simple("get", "a", FIELDS)
            .simple("get", "b", FIELDS);
        before
            .cmp("a", "b", None)
            .simple("get", "a", FIELDS)
            .simple("get", "b", after)
    };
    keeps("MR404", &around(FIELDS));
    assert_eq!(
        breaks("MR404", &around(OTHER)),
        "`Cmp` changes the field `Text`"
    );
}

#[test]
fn copies_are_deep_and_equal() {
    let copied = |shared: &str, text: Option<&str>| {
        let pair = r#"{"resource":"c","other":"a"}"#;
        begun()
            .makes("a", "note", "x")
            .call("copy", r#"{"resource":"c","from":"a"}"#, "{}")
            .call("shared", pair, &format!(r#"{{"fields":[{shared}]}}"#))
            .cmp("c", "a", text)
    };
    keeps("MR405", &copied("", None));
    assert_eq!(
        breaks("MR405", &copied("\"Labels\"", None)),
        "the copy shares `Labels` with its source"
    );
    breaks("MR405", &copied("", Some("differs")));
    breaks(
        "MR405",
        &begun()
            .makes("a", "note", "x")
            .panics("copy", r#"{"resource":"c","from":"a"}"#),
    );
}

#[test]
fn uids_stay_and_match_themselves() {
    let uids = |second: &str, matches: bool| {
        begun()
            .makes("a", "note", "x")
            .simple("uids", "a", r#"{"uids":["/x"]}"#)
            .simple("uids", "a", &format!(r#"{{"uids":["{second}"]}}"#))
            .call(
                "iff",
                r#"{"resource":"a","other":"a"}"#,
                &format!(r#"{{"matches":{matches}}}"#),
            )
    };
    keeps("MR506", &uids("/x", true));
    breaks("MR506", &uids("/y", true));
    breaks("MR506", &uids("/x", false));
}

#[test]
fn names_tell_uids_apart() {
    let pair = |matches: bool| {
        let named = r#"{"resource":"b","kind":"note","name":"/x2"}"#;
        let both = begun().makes("a", "note", "x").call("new", named, "{}");
        let result = format!(r#"{{"matches":{matches}}}"#);
        both.call("iff", r#"{"resource":"a","other":"b"}"#, &result)
    };
    keeps("MR508", &pair(false));
    breaks("MR508", &pair(true));
    // A file is what its path says, whatever its name is.
    let with_paths = |one: &str, other: &str| {
        let set = |label: &str, path: &str| {
            format!(r#"{{"resource":"{label}","fields":{{"path":"{path}","force":true}}}}"#)
        };
        let named = r#"{"resource":"b","kind":"note","name":"/x2"}"#;
        begun()
            .makes("a", "note", "x")
            .call("set", &set("a", one), "{}")
            .call("new", named, "{}")
            .call("set", &set("b", other), "{}")
            .call(
                "iff",
                r#"{"resource":"a","other":"b"}"#,
                r#"{"matches":true}"#,
            )
    };
    says_nothing("MR508", &with_paths("/etc/motd", "/etc/motd"));
    breaks("MR508", &with_paths("/etc/motd", "/etc/hosts"));
}
