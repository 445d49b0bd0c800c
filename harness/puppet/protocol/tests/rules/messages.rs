//! RA6xx: messages of the context.

use crate::common::METHODS;
use crate::common::{Dialogue, KEY, breaks, created, keeps, open, raised, usual, value, verdict};

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
fn log_messages_name_only_resources_that_change() {
    keeps("RA601", set(&[OPEN, DONE]));
    keeps("RA601", set(&[("open", "creating", r#"[["a"]]"#), DONE]));
    breaks(
        "RA601",
        set(&[("open", "creating", r#"["a.key"]"#)]),
        "which `set` was not called to change",
    );
    // A message with a title names a resource, a plain one does not.
    keeps(
        "RA601",
        set(&[OPEN, ("log", "info", r#"["b.key is written"]"#), DONE]),
    );
    breaks(
        "RA601",
        set(&[OPEN, ("log", "info", r#"[["b"],"is written"]"#), DONE]),
        "`info` names \"b\"",
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
    breaks(
        "RA604",
        set(&[OPEN, DONE, ("action", "deleted", r#"["a"]"#)]),
        "reports `deleted`, too",
    );
    // It is made, and then set up.
    keeps(
        "RA604",
        set(&[OPEN, DONE, ("action", "updated", r#"["a"]"#)]),
    );
    // A property of its own says whether there is a resource.
    let own = |property: &str, value_of: &str| {
        let attributes = format!(
            r#""name":{{"type":"String","desc":"x","behaviour":{{"$sym":"namevar"}}}},"{property}":{{"type":"String","desc":"x"}}"#
        );
        let row = format!(r#"{{"name":"a","{property}":"{value_of}"}}"#);
        let change = format!(r#"{{"is":{{"name":"a","{property}":"other"}},"should":{row}}}"#);
        let dialogue = open("", &attributes, METHODS);
        [OPEN, DONE]
            .iter()
            .fold(dialogue, |dialogue, (event, name, arguments)| {
                dialogue.tells(event, name, arguments)
            })
            .sets("e:e1", r#""a""#, &change, &value("null"))
            .gets("e-after:e1", &format!("[{row}]"))
    };
    keeps("RA604", own("disk_ensure", "Present"));
    breaks("RA604", own("state", "running"), "reports `creating`");
    // Without `ensure`, nothing says whether a resource that is not listed is there.
    let bare = KEY.split_once(r#""name""#).expect("a namevar").1;
    let listed = |action: &str| {
        let bare = open("", &format!(r#""name"{bare}"#), METHODS);
        let told = bare.tells("action", action, r#"["a"]"#);
        let change = r#"{"is":{"title":"a"},"should":{"name":"a","size":1}}"#;
        let set = told.sets("e:e1", r#""a""#, change, &value("null"));
        set.gets("e-after:e1", r#"[{"name":"a","size":1}]"#)
    };
    keeps("RA604", listed("created"));
    keeps("RA604", listed("updated"));
    breaks("RA604", listed("deleted"), "reports `deleted`");
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
fn values_are_told_in_order() {
    let told = |action: &str, arguments: &str| {
        let change = r#"{"is":{"name":"a","ensure":"present","size":1},"should":{"name":"a","ensure":"present","size":2}}"#;
        let told = usual().tells("action", action, arguments);
        told.sets("e:e1", r#""a""#, change, &value("null"))
    };
    keeps("RA604", told("attribute_changed", r#"["a","size",1,2]"#));
    // Texts, and an old value that nobody knows.
    for values in [r#""1","2""#, "null,2"] {
        keeps(
            "RA604",
            told("attribute_changed", &format!(r#"["a","size",{values}]"#)),
        );
    }
    for (values, says) in [
        ("5,2", "was 5, and it was 1"),
        ("1,5", "is 5 now, and it was to be 2"),
    ] {
        let told = told("attribute_changed", &format!(r#"["a","size",{values}]"#));
        breaks("RA604", told, says);
    }
    let same = told("attribute_changed", r#"["a","name",null,"a"]"#);
    breaks("RA604", same, "has changed, and it was \"a\" before");
    breaks(
        "RA604",
        told("attribute_changed", r#"["a","size",2,1]"#),
        "has the new value first",
    );
    let (old, new) = (
        r#"{"name":"a","ensure":"present","size":1}"#,
        r#"{"name":"a","ensure":"present","size":2}"#,
    );
    keeps("RA604", told("processed", &format!(r#"["a",{old},{new}]"#)));
    breaks(
        "RA604",
        told("processed", &format!(r#"["a",{new},{old}]"#)),
        "has the new value first",
    );
}

#[test]
fn nothing_to_do_is_no_reason_to_warn() {
    let rows = r#"[{"name":"a","ensure":"present"}]"#;
    let told = |level: &str| {
        usual()
            .gets("e-get:e1", "[]")
            .sets("e:e1", r#""a""#, MADE, &value("null"))
            .tells("log", level, r#"["reads all keys"]"#)
            .gets("e2-get:e1", rows)
    };
    keeps("RA605", told("info"));
    breaks("RA605", told("warning"), "it warns: reads all keys");
    // What was not settled before may need a warning.
    let first = usual()
        .tells("log", "warning", r#"["an odd line"]"#)
        .gets("e-get:e1", rows);
    keeps("RA605", first);
}

#[test]
fn log_levels_match_the_outcome_of_the_change() {
    keeps("RA605", set(&[("log", "warning", r#"["x"]"#)]));
    breaks(
        "RA605",
        set(&[("log", "err", r#"["x"]"#)]),
        "nothing failed",
    );
    breaks("RA605", set(&[("log", "alert", r#"["x"]"#)]), "level alert");
    // No runtime makes a change once more, as if nobody had.
    let again = usual().tells("log", "err", r#"["x is there"]"#).sets(
        "repeated:e1",
        r#""a""#,
        MADE,
        &value("null"),
    );
    assert!(verdict("RA605", vec![again]).1.is_empty());
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
    breaks("RA606", told("Basic cm9ib3Q6aHVudGVyMg=="), "`code`");
    let written = |mode: u32| {
        let change = MADE.replace(
            r#""ensure":"present""#,
            r#""ensure":"present","code":{"$sens":"hunter2"}"#,
        );
        let mut file = created("/etc/code");
        if let Some(after) = &mut file.after {
            after.mode = mode;
            after.content = Some("hunter2\n".into());
        }
        open("", &attributes, METHODS)
            .effects(vec![])
            .sets("e:e1", r#""a""#, &change, &value("null"))
            .effects(vec![file])
    };
    keeps("RA606", written(0o640));
    breaks("RA606", written(0o644), "a file that everybody may read");
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
