//! RA6xx: messages of the context.

use crate::common::METHODS;
use crate::common::{Dialogue, KEY, breaks, keeps, open, raised, usual, value, verdict};

const MADE: &str =
    r#"{"is":{"name":"a","ensure":"absent"},"should":{"name":"a","ensure":"present"}}"#;

/// A `set` that makes `a`, with these messages: the event, its name, its arguments.
fn set(told: &[(&str, &str, &str)]) -> Dialogue {
    told.iter()
        .fold(usual(), |dialogue, (event, name, arguments)| {
            dialogue.tells(event, name, arguments)
        })
        .sets("e:e1", r#""a""#, MADE, &value("null"))
        .gets("e-after:e1", r#"[{"name":"a","ensure":"present"}]"#)
}

const OPEN: (&str, &str, &str) = ("open", "creating", r#"["a"]"#);
const DONE: (&str, &str, &str) = ("done", "creating", r#"["a"]"#);

#[test]
fn messages_name_what_changes() {
    keeps("RA601", set(&[OPEN, DONE]));
    keeps("RA601", set(&[("open", "creating", r#"[["a"]]"#), DONE]));
    breaks(
        "RA601",
        set(&[("open", "creating", r#"["a.key"]"#)]),
        "which `set` was not called to change",
    );
}

#[test]
fn messages_come_in_order() {
    let attribute = ("action", "attribute_changed", r#"["a","size",null,1]"#);
    keeps("RA602", set(&[OPEN, attribute, DONE]));
    breaks(
        "RA602",
        set(&[OPEN, DONE, attribute]),
        "after its action was closed",
    );
    let log = ("log", "info", r#"["a","comes"]"#);
    breaks(
        "RA602",
        set(&[log, OPEN, DONE]),
        "is opened for \"a\" after `info`",
    );
    keeps("RA608", set(&[OPEN, log, DONE]));
    breaks("RA608", set(&[OPEN, DONE, log]), "closed its action");
    keeps(
        "RA608",
        set(&[OPEN, DONE, ("log", "info", r#"["one more"]"#)]),
    );
}

#[test]
fn methods_of_the_context_exist() {
    keeps("RA603", set(&[OPEN, DONE]));
    breaks(
        "RA603",
        set(&[("unknown", "error", r#"["x"]"#)]),
        "`context.error` does not exist",
    );
}

#[test]
fn changes_are_reported() {
    keeps("RA604", set(&[OPEN, DONE]));
    keeps("RA604", set(&[("action", "processed", r#"["a"]"#)]));
    breaks("RA604", set(&[]), "does not report it");
    breaks(
        "RA604",
        set(&[("action", "updated", r#"["a"]"#)]),
        "reports `updated`",
    );
    let removed = |after: &str| {
        let change = r#"{"is":{"name":"a","ensure":"present"}}"#;
        let dialogue = usual().sets("gone:e1", r#""a""#, change, &value("null"));
        dialogue.gets("gone-after:e1", after)
    };
    breaks("RA604", removed("[]"), "does not report it");
    // What a change without `:should` does not remove, it need not report.
    let stays = removed(r#"[{"name":"a","ensure":"present"}]"#);
    assert_eq!(verdict("RA604", vec![stays]).1, [] as [&str; 0]);
}

#[test]
fn levels_say_what_they_mean() {
    keeps("RA605", set(&[("log", "warning", r#"["x"]"#)]));
    breaks(
        "RA605",
        set(&[("log", "err", r#"["x"]"#)]),
        "nothing failed",
    );
    breaks("RA605", set(&[("log", "alert", r#"["x"]"#)]), "level alert");
    let fails = usual().tells("log", "err", r#"["x"]"#);
    keeps(
        "RA605",
        fails.sets("e:e1", r#""a""#, MADE, &raised("Puppet::Error", "x")),
    );
}

#[test]
fn secrets_are_not_told() {
    let attributes = format!(r#"{KEY},"code":{{"desc":"x","type":"Sensitive[String]"}}"#);
    let told = |text: &str| {
        let change = MADE.replace(
            r#""ensure":"present""#,
            r#""ensure":"present","code":{"$sens":"hunter2"}"#,
        );
        open("", &attributes, METHODS)
            .tells("log", "debug", &format!(r#"["{text}"]"#))
            .sets("e:e1", r#""a""#, &change, &value("null"))
    };
    keeps("RA606", told("code is [redacted]"));
    breaks("RA606", told("code is hunter2"), "`code`");
}

#[test]
fn reports_are_canonical() {
    let reported = |title: &str| {
        open(r#""canonicalize""#, KEY, METHODS)
            .tells("action", "created", &format!(r#"["{title}"]"#))
            .sets("e:e1", r#""a""#, MADE, &value("null"))
    };
    keeps("RA607", reported("a"));
    breaks(
        "RA607",
        reported("A"),
        "shows `A` instead of the canonical `a`",
    );
}

#[test]
fn nothing_is_printed() {
    let printed = |text: &str| {
        let asked = usual().asks(puppet_protocol::phase::GET, "get:a", r#"{"provider":1}"#);
        asked.prints(text).answers(&value("[]"))
    };
    keeps("RA609", set(&[]));
    breaks("RA609", printed("here\n"), "it printed `here`");
}
