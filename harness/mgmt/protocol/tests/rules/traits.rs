//! What the rules about traits, contexts and encodings say of short dialogues.

use crate::common::{begun, breaks, described, error, keeps, says_nothing};

/// A call of `CheckApply` with this key and these further parameters.
fn params(more: &str) -> String {
    format!(r#"{{"resource":"a","apply":true{more}}}"#)
}

#[test]
fn a_call_returns_soon_after_its_context_ends() {
    let took = |ms: u64| {
        let answer = format!(r#"{{"ok":false,"error":"context canceled","ms":{ms}}}"#);
        begun()
            .makes("a", "note", "x")
            .call("checkapply", &params(r#","cancel_ms":50"#), &answer)
    };
    keeps("MR109", &took(60));
    assert_eq!(
        breaks("MR109", &took(3_050)),
        "it goes on after its context has ended, for 3.0 s"
    );
    // Others may take long.
    let long = r#"{"ok":true,"error":null,"ms":60000}"#;
    says_nothing(
        "MR109",
        &begun()
            .makes("a", "note", "x")
            .call("checkapply", &params(""), long),
    );
}

/// A session with a kind that sends.
fn sender() -> crate::common::Dialogue {
    described(
        "note",
        r#""type":"NoteRes","base":true,"traits":["sendable"],"methods":["Sends"],"fields":[],"sends":{"type":"*note.Sends"}"#,
    )
    .makes("a", "note", "x")
}

#[test]
fn each_call_without_an_error_sends_the_same() {
    let sends = |sent: &str| {
        format!(r#"{{"ok":true,"error":null,"ms":1,"sent":{sent},"sent_type":"*note.Sends"}}"#)
    };
    let nothing = r#"{"ok":true,"error":null,"ms":1,"sent":null}"#;
    let fails = r#"{"ok":false,"error":"no","ms":1,"sent":null}"#;
    let one = |answer: &str| sender().call("checkapply", &params(""), answer);
    keeps("MR502", &one(&sends(r#"{"Text":"x"}"#)));
    breaks("MR502", &one(nothing));
    says_nothing("MR502", &one(fails));
    breaks(
        "MR502",
        &one(&sends("{}").replace("*note.Sends", "*note.Other")),
    );
    let two = |one: &str, other: &str| {
        sender().call("checkapply", &params(""), &sends(one)).call(
            "checkapply",
            &params(""),
            &sends(other),
        )
    };
    keeps(
        "MR503",
        &two(r#"{"Text":"x","Size":1}"#, r#"{"Size":1,"Text":"x"}"#),
    );
    breaks("MR503", &two(r#"{"Text":"x"}"#, r#"{"Text":"y"}"#));
    let later = |value: &str| {
        let told = format!(r#"{{"sent":{{"text":{{"value":"{value}","type":"string"}}}}}}"#);
        one(&sends(r#"{"Text":"x"}"#)).simple("sent", "a", &told)
    };
    keeps("MR503", &later("x"));
    breaks("MR503", &later("y"));
    let behind = |before: &str| {
        let answer = format!(
            r#"{{"ok":true,"error":null,"ms":1,"sent":{{"Text":"x"}},"sent_at_first":{{"Text":{before}}}}}"#
        );
        one(&answer)
    };
    assert_eq!(
        breaks("MR503", &behind(r#""secret""#)),
        "what it sent as `Text` has changed before the call ends"
    );
    // It was not filled in yet.
    says_nothing("MR503", &behind(r#""""#));
    let earlier = r#"{"ok":false,"error":null,"ms":1,"sent_before_changed":"text"}"#;
    assert_eq!(
        breaks("MR503", &one(earlier)),
        "what an earlier call sent as `text` is changed behind its receivers"
    );
}

#[test]
fn a_refresh_respects_apply_and_leaves_the_state_right() {
    let ok = |ok: bool| format!(r#"{{"ok":{ok},"error":null,"ms":1}}"#);
    let refreshed = |changes: &[&str], then: bool| {
        begun()
            .makes("a", "note", "x")
            .changed(&[])
            .keyed("checkapply", "e:e1", &params(""), &ok(false))
            .changed(&["/f"])
            .keyed(
                "checkapply",
                "dry-refresh:e1",
                &params(r#","refresh":true"#),
                &ok(false),
            )
            .changed(changes)
            .keyed(
                "checkapply",
                "refresh:e1",
                &params(r#","refresh":true"#),
                &ok(false),
            )
            .changed(&["/pid"])
            .keyed("checkapply", "e2:e1", &params(""), &ok(then))
    };
    keeps("MR501", &refreshed(&[], true));
    assert_eq!(
        breaks("MR501", &refreshed(&["/pid"], true)),
        "a refresh with `apply` false changes /pid"
    );
    assert_eq!(
        breaks("MR501", &refreshed(&[], false)),
        "after a refresh, the state is wrong"
    );
    // What a refresh does is no second change.
    says_nothing("MR107", &refreshed(&[], false));
}

#[test]
fn the_search_for_edges_ends() {
    let more = |more: bool, turn: usize| {
        begun().makes("a", "note", "x").keyed(
            "testuids",
            &format!("autoedges-test-{turn}:e1"),
            r#"{"resource":"a"}"#,
            &format!(r#"{{"more":{more}}}"#),
        )
    };
    keeps("MR506", &more(true, 3));
    keeps("MR506", &more(false, 40));
    breaks("MR506", &more(true, 40));
}

#[test]
fn an_interrupt_returns_at_once() {
    let took = |ms: u64, panic: &str| {
        let answer =
            format!(r#"{{"interrupt_ms":{ms},"interrupt_error":null,"interrupt_panic":{panic}}}"#);
        begun()
            .makes("a", "note", "x")
            .simple("interrupt", "a", &answer)
    };
    keeps("MR507", &took(1, "null"));
    breaks("MR507", &took(3_000, "null"));
    assert_eq!(
        breaks("MR507", &took(0, "\"boom\"")),
        "`Interrupt` ends in a panic: boom"
    );
}

#[test]
fn a_resource_compares_equal_after_encoding_and_decoding() {
    let round = |fails: Option<&str>, differs: Option<&str>| {
        begun()
            .makes("a", "note", "x")
            .call("round", r#"{"resource":"b","from":"a"}"#, &error(fails))
            .cmp("b", "a", differs)
    };
    keeps("MR406", &round(None, None));
    breaks("MR406", &round(Some("gob: no"), None));
    breaks("MR406", &round(None, Some("the text differs")));
    // It is not what `Cmp` says of two resources that were made alike.
    says_nothing("MR401", &round(None, Some("the text differs")));
}
