//! What rules say of recorded graphs, in which no request tells the example, and the world outside goes on.

use crate::common::{Dialogue, begun, breaks, error, keeps, says_nothing};
use mgmt_protocol::recorded::{WATCH, busy};
use stickler_transcript::Driver;

/// A recorded session.
fn recorded() -> Dialogue {
    begun().case(|case| {
        case.driver = Driver::Recorded;
        case.items.clear();
    })
}

/// A resource that is applied.
fn applied(dialogue: Dialogue) -> Dialogue {
    dialogue
        .makes("r1", "note", "x")
        .check("r1", true, false, None)
}

#[test]
fn a_second_call_is_judged_until_the_graph_is_watched() {
    keeps("MR107", &applied(recorded()).check("r1", true, true, None));
    breaks("MR107", &applied(recorded()).check("r1", true, false, None));
    let watched = applied(recorded())
        .marked(WATCH)
        .check("r1", true, false, None);
    says_nothing("MR107", &watched);
    says_nothing("MR107", &watched.check("r1", true, false, None));
    // The author declares that it always has something to do.
    let always = applied(recorded())
        .check("r1", true, false, None)
        .case(|case| case.facts = busy(["note".to_owned()]));
    says_nothing("MR107", &always);
}

/// A field that receives another value.
fn receives(dialogue: Dialogue) -> Dialogue {
    dialogue.call(
        "receive",
        r#"{"resource":"r1","field":"text"}"#,
        r#"{"changed":true,"error":null}"#,
    )
}

#[test]
fn a_resource_that_received_a_value_counts_as_another_resource() {
    let old = receives(recorded().makes("r1", "note", "x"));
    let compared = old
        .makes("r2", "note", "x")
        .cmp("r1", "r2", Some("the text differs"));
    says_nothing("MR401", &compared);
    let valid =
        |dialogue: Dialogue, text: Option<&str>| dialogue.simple("validate", "r1", &error(text));
    let passed = || valid(recorded().makes("r1", "note", "x"), None);
    says_nothing("MR202", &valid(receives(passed()), Some("too long")));
    breaks("MR202", &valid(passed(), Some("too long")));
}

#[test]
fn a_reversing_resource_has_the_kind_of_its_original() {
    let reversed = recorded().makes("r1", "note", "x").call(
        "reversed",
        r#"{"resource":"r2","from":"r1"}"#,
        r#"{"reversed":true,"error":null}"#,
    );
    says_nothing("MR402", &reversed.cmp("r1", "r2", None));
}

#[test]
fn watch_says_that_it_has_started_also_where_nobody_waits_for_that() {
    let watched = |dialogue: Dialogue, seconds: u64| {
        dialogue
            .makes("r1", "note", "x")
            .simple("watch", "r1", "{}")
            .later(seconds * 1_000_000)
            .simple("cancel", "r1", r#"{"ended":true,"error":null,"ms":1}"#)
    };
    assert_eq!(
        breaks("MR301", &watched(recorded(), 4)),
        "`Watch` does not say that it has started"
    );
    says_nothing("MR301", &watched(recorded(), 1));
}

#[test]
fn a_value_that_watch_has_told_of_may_be_sent() {
    let sends = |dialogue: Dialogue, value: &str| {
        let answer = format!(r#"{{"ok":true,"error":null,"sent":{{"Text":"{value}"}},"ms":1}}"#);
        dialogue.call("checkapply", r#"{"resource":"r1","apply":true}"#, &answer)
    };
    let first = || sends(recorded().makes("r1", "note", "x"), "a");
    breaks("MR503", &sends(first(), "b"));
    let told = first().tells("event", r#"{"resource":"r1","n":2}"#);
    says_nothing("MR503", &sends(told, "b"));
    says_nothing("MR503", &sends(receives(first()), "b"));
}
