//! PM3xx, sessions compared: broken, and the nearest thing that is not.

use crate::common::{
    Dialogue, answer, changed, created, dialogue, evaluate, messages, promise, request, simple,
    validate, verdict,
};
use cfengine_protocol::phase;
use stickler_transcript::{Event, ExitCause, Input, Provenance, Usage};

#[test]
fn order_changes_no_outcome() {
    let pairs = |second: &str, content: &str| {
        dialogue(
            "json",
            &[
                ("→ v:e1", &validate("/tmp/stickler/dir/a")),
                ("←", &answer("validate", "valid", "")),
                ("observe", ""),
                ("→ e:e1", &evaluate("/tmp/stickler/dir/a")),
                ("←", &answer("evaluate", second, "")),
            ],
        )
        .effects(vec![created("a", content)])
    };
    let base = || pairs("repaired", "one").member("order", "baseline");
    let group = |variant: Dialogue| vec![base(), variant.member("order", "reversed")];
    assert_eq!(
        verdict("PM304", group(pairs("repaired", "one"))),
        (2, vec![])
    );
    let (_, found) = verdict("PM304", group(pairs("not_kept", "one")));
    assert_eq!(
        found[0].message,
        "validated first, evaluated in another order: `not_kept` instead of `repaired`"
    );
    assert_eq!(found[0].sessions, [1, 0]);
    assert_eq!(
        messages("PM304", group(pairs("repaired", "two"))),
        [
            "validated first, evaluated in another order: `{dir}/a` begins with `two` instead of `one`"
        ]
    );
    // Digits may be times; with a rerun to learn from, they are not.
    let dated = |text: &str| pairs("repaired", text);
    let dates = vec![
        dated("at 12:01").member("order", "baseline"),
        dated("at 12:02").member("order", "reversed"),
    ];
    assert_eq!(verdict("PM304", dates).1, []);
    let volatile = vec![
        dated("id abc").member("order", "baseline"),
        dated("id xyz").member("order", "again"),
        dated("id pqr").member("order", "reversed"),
    ];
    assert_eq!(verdict("PM304", volatile).1, []);
}

#[test]
fn an_unstable_or_unreadable_outcome_is_not_compared() {
    let group = vec![
        simple("valid", "repaired").member("order", "baseline"),
        simple("valid", "not_kept").member("order", "again"),
        simple("valid", "kept").member("order", "reversed"),
    ];
    assert_eq!(verdict("PM304", group).1, []);
    let broken = dialogue(
        "json",
        &[
            ("→ v:e1", &validate("/x")),
            ("←", r#"{"operation":"validate_promise","result":"valid""#),
        ],
    );
    let group = vec![
        simple("valid", "repaired").member("order", "baseline"),
        broken.member("order", "reversed"),
    ];
    assert_eq!(verdict("PM304", group).1, []);
    let missing = vec![simple("valid", "kept").member("order", "reversed")];
    assert_eq!(verdict("PM304", missing), (0, vec![]));
}

/// B alone, or after A.
fn second(after_a: bool, classes: &str, log: &str) -> Dialogue {
    let mut turns = Vec::new();
    let (va, ea) = (
        request("validate", "/a", r#"{"text":"secret of a"}"#),
        request("evaluate", "/a", r#"{"text":"secret of a"}"#),
    );
    let (vb, eb) = (validate("/b"), evaluate("/b"));
    let (valid, repaired) = (
        answer("validate", "valid", ""),
        format!(
            "log_info=Written\n{}",
            answer("evaluate", "repaired", r#","result_classes":["a_done"]"#)
        ),
    );
    if after_a {
        turns.extend([
            ("→ v:e1", &va[..]),
            ("←", &valid),
            ("→ e:e1", &ea),
            ("←", &repaired),
        ]);
    }
    let own = format!("{log}{}", answer("evaluate", "repaired", classes));
    turns.extend([
        ("→ v:e2", &vb[..]),
        ("←", &valid),
        ("→ e:e2", &eb),
        ("←", &own),
    ]);
    dialogue("json", &turns).member("alone", if after_a { "after" } else { "baseline" })
}

#[test]
fn in_a_campaign_an_answer_repeats_no_message_about_the_promise_before() {
    const FIRST: &str = "/tmp/stickler/dir/first";
    let about_first = format!("log_warning=Should write {FIRST}\n");
    let session = |before: &str, after: &str, attributes: &str| {
        let turns = [
            ("→ v:e1", validate(FIRST)),
            ("←", answer("validate", "valid", "")),
            ("→ e:e1", evaluate(FIRST)),
            (
                "←",
                format!("{before}{}", answer("evaluate", "not_kept", "")),
            ),
            (
                "→ v:e2",
                request("validate", "/tmp/stickler/dir/second", attributes),
            ),
            ("←", format!("{after}{}", answer("validate", "valid", ""))),
        ];
        let turns: Vec<(&str, &str)> = turns.iter().map(|(who, text)| (*who, &text[..])).collect();
        vec![dialogue("json", &turns).member("fuzz", "made-up")]
    };
    let repeated = messages("PM305", session(&about_first, &about_first, "{}"));
    let said = "repeats the log message `Should write {dir}/first` of an earlier promise";
    assert_eq!(repeated, [said]);
    let beside = format!(r#"{{"beside":"{FIRST}"}}"#);
    let another = format!("log_warning=There is {FIRST}, too\n");
    let usual = "log_warning=Should write it\n";
    // A made-up promiser may be a word of the message.
    let path = "log_error=promiser must be an absolute path\n";
    let words = ["promiser", "absolute path"].map(|promiser| {
        let turns = [
            ("→ v:e1", validate(promiser)),
            ("←", format!("{path}{}", answer("validate", "invalid", ""))),
            ("→ v:e2", validate("x")),
            ("←", format!("{path}{}", answer("validate", "invalid", ""))),
        ];
        let turns: Vec<(&str, &str)> = turns.iter().map(|(who, text)| (*who, &text[..])).collect();
        vec![dialogue("json", &turns).member("fuzz", "made-up")]
    });
    for sound in words {
        assert_eq!(verdict("PM305", sound).1, []);
    }
    for sound in [
        session(&about_first, "", "{}"),
        session(&about_first, &another, "{}"),
        session(&about_first, &about_first, &beside),
        session(usual, usual, "{}"),
    ] {
        assert_eq!(verdict("PM305", sound).1, []);
    }
}

#[test]
fn nothing_of_one_promise_shows_in_another() {
    let usual = r#","result_classes":["b_done"]"#;
    let group = |classes: &str, log: &str| {
        vec![
            second(false, usual, "log_info=Written\n"),
            second(true, classes, log),
        ]
    };
    assert_eq!(
        verdict("PM305", group(usual, "log_info=Written\n")),
        (2, vec![])
    );
    let classes = messages(
        "PM305",
        group(
            r#","result_classes":["a_done","b_done"]"#,
            "log_info=Written\n",
        ),
    );
    assert_eq!(
        classes,
        ["after another promise: result classes a_done, b_done instead of b_done"]
    );
    let leak = messages("PM305", group(usual, "log_info=Wrote secret of a\n"));
    assert_eq!(
        leak,
        ["`secret of a` appears, the value of `text` in an earlier promise"]
    );
    let twice = messages(
        "PM305",
        group(usual, "log_info=Written\nlog_info=Written\n"),
    );
    assert_eq!(
        twice,
        ["repeats the log message `Written` of an earlier promise"]
    );
    // What is only said on a first request may be missing later.
    let first = vec![
        second(false, usual, "log_notice=Set up\nlog_info=Written\n"),
        second(true, usual, "log_info=Written\n"),
    ];
    assert_eq!(verdict("PM305", first).1, []);
}

#[test]
fn a_shared_store_may_hold_entries_of_an_earlier_promise() {
    const STORE: &str = "/tmp/stickler/home/.store";
    let (va, ea) = (validate("/left"), evaluate("/left"));
    let (vb, eb) = (validate("/b"), evaluate("/b"));
    let (valid, repaired) = (
        answer("validate", "valid", ""),
        answer("evaluate", "repaired", ""),
    );
    let session = |role: &str, process: &str, result: &str, stored: &str| {
        let mut session = dialogue("json", &[]);
        if role != "baseline" {
            session = session.then(&[
                ("→ v:e1", &va[..]),
                ("←", &valid),
                ("→ e:e1", &ea),
                ("←", &repaired),
            ]);
        }
        session
            .then(&[
                ("process", process),
                ("→ v:e2", &vb[..]),
                ("←", &valid),
                ("observe", ""),
                ("→ e:e2", &eb),
                ("←", &answer("evaluate", result, "")),
            ])
            .effects(vec![created(STORE, stored)])
            .member("alone", role)
    };
    let both = "/left /b";
    let alone = || session("baseline", "0", "repaired", "/b");
    let after = |result| session("after", "0", result, both);
    // The other process wrote it, too.
    let apart = |result| session("again", "1", result, both);
    assert_eq!(
        messages("PM305", vec![alone(), after("repaired")]),
        ["the promiser `/left` of an earlier promise appears"]
    );
    let group = vec![alone(), after("repaired"), apart("repaired")];
    assert_eq!(verdict("PM305", group).1, []);
    // The result depends on what is in the store.
    let group = vec![alone(), after("kept"), apart("kept")];
    assert_eq!(verdict("PM305", group).1, []);
    // Only in one process does it.
    let group = vec![alone(), after("kept"), apart("repaired")];
    assert_eq!(
        messages("PM305", group),
        ["after another promise: `kept` instead of `repaired`"]
    );
}

#[test]
fn an_outcome_that_never_converges_depends_on_earlier_ones_even_alone() {
    let group = |again: &str| {
        let (promise, classes) = (evaluate("/b"), r#","result_classes":["a_done","b_done"]"#);
        let alone = second(false, "", "").then(&[
            ("→ e2:e2", &promise[..]),
            ("←", &answer("evaluate", again, "")),
        ]);
        vec![alone, second(true, classes, "")]
    };
    assert_eq!(messages("PM305", group("kept")).len(), 1);
    assert_eq!(verdict("PM305", group("repaired")).1, []);
}

#[test]
fn evaluation_does_not_need_its_validation_right_before() {
    let group = |variant: Dialogue| {
        vec![
            simple("valid", "kept").member("between", "baseline"),
            variant.member("between", "between"),
        ]
    };
    assert_eq!(
        verdict("PM306", group(simple("valid", "kept"))),
        (1, vec![])
    );
    assert_eq!(messages("PM306", group(simple("valid", "error"))).len(), 1);
    let dies = dialogue(
        "json",
        &[
            ("→ v:e1", &validate("/x")),
            ("←", &answer("validate", "valid", "")),
            ("→ e:e1", &evaluate("/x")),
            ("exit", "1"),
        ],
    );
    assert_eq!(
        messages("PM306", group(dies)),
        [
            "evaluated after requests about other promises: no answer, the process ended (exit status 1)"
        ]
    );
}

fn twice(result: &str) -> Dialogue {
    simple("valid", "repaired").then(&[
        ("process", "1"),
        ("→ v:e1", &validate("/x")),
        ("←", &answer("validate", "valid", "")),
        ("→ e:e1", &evaluate("/x")),
        ("←", &answer("evaluate", result, "")),
    ])
}

#[test]
fn a_restarted_module_continues_from_the_state_before_the_restart() {
    let base = || {
        simple("valid", "repaired")
            .then(&[
                ("→ e2:e1", &evaluate("/x")),
                ("←", &answer("evaluate", "kept", "")),
            ])
            .member("restart", "baseline")
    };
    let group = |variant: Dialogue| vec![base(), variant.member("restart", "restarted")];
    assert_eq!(verdict("PM310", group(twice("kept"))), (3, vec![]));
    assert_eq!(
        messages("PM310", group(twice("error"))),
        ["started again: `error` instead of `kept`"]
    );
    let dead = simple("valid", "repaired")
        .then(&[("close", ""), ("exit", "0")])
        .with(|t| Event::Start { t, process: 1 })
        .with(|t| {
            Event::Request(Input {
                t,
                process: 1,
                exchange: 4,
                phase: phase::HEADER,
                key: stickler_transcript::Key::parse("header"),
                item: None,
                provenance: Provenance::Agent,
                owed: true,
            })
        })
        .with(|t| Event::Exit {
            t,
            process: 1,
            cause: ExitCause::Code(1),
            usage: Usage::default(),
        });
    assert_eq!(
        messages("PM310", group(dead)),
        ["started again: no header, the process ended (exit status 1)"]
    );
}

#[test]
fn processes_beside_each_other_serve_their_own_promises() {
    let base = simple("valid", "repaired").member("restart", "baseline");
    let mut other = promise("e1b");
    other.example = "e1".into();
    let beside = |result: &str| {
        simple("valid", "repaired")
            .then(&[
                ("process", "1"),
                ("→ v:e1b", &validate("/y")),
                ("←", &answer("validate", "valid", "")),
                ("→ e:e1b", &evaluate("/y")),
                (
                    "←",
                    &answer("evaluate", result, r#","result_classes":["y"]"#),
                ),
            ])
            .about(other.clone())
            .member("restart", "concurrent")
    };
    assert_eq!(
        verdict("PM310", vec![base.clone(), beside("repaired")]).1,
        []
    );
    assert_eq!(
        messages("PM310", vec![base, beside("not_kept")]),
        ["beside another process of the module: `not_kept` instead of `repaired`"]
    );
}

#[test]
fn keys_count_for_nothing() {
    let group = |variant: Dialogue, role: &str| {
        vec![
            simple("valid", "kept").member("keys", "baseline"),
            variant.member("keys", role),
        ]
    };
    assert_eq!(
        verdict("PM311", group(simple("valid", "kept"), "other-order")),
        (2, vec![])
    );
    assert_eq!(
        messages("PM311", group(simple("invalid", "kept"), "unknown-key")),
        ["with an unknown key in the request: `invalid` instead of `valid`"]
    );
    let dies = dialogue("json", &[("→ v:e1", &validate("/x")), ("exit", "1")]);
    let agent = vec![
        dies.member("keys", "baseline"),
        simple("valid", "kept").member("keys", "spec"),
    ];
    assert_eq!(
        messages("PM311", agent),
        ["with the keys that the agent sends: no answer, the process ended (exit status 1)"]
    );
}

#[test]
fn missing_attributes_are_treated_as_empty_attributes() {
    let bare = r#"{"operation":"validate_promise","promiser":"/x"}"#;
    let group = |answer: &[(&str, &str)]| {
        vec![
            dialogue("json", &[("→ v:e1", &validate("/x"))])
                .then(&[("←", &crate::common::answer("validate", "invalid", ""))])
                .member("attributes", "baseline"),
            dialogue("json", &[("→ v:e1", bare)])
                .then(answer)
                .member("attributes", "absent"),
        ]
    };
    let invalid = answer("validate", "invalid", "");
    assert_eq!(verdict("PM312", group(&[("←", &invalid)])), (1, vec![]));
    assert_eq!(
        messages("PM312", group(&[("exit", "1")])),
        ["without the key `attributes`: no answer, the process ended (exit status 1)"]
    );
}

#[test]
fn a_refused_level_and_a_changed_outcome_are_two_things() {
    let group = |variant: Dialogue| {
        vec![
            simple("valid", "repaired").member("level", "baseline"),
            variant.member("level", "debug"),
        ]
    };
    let refused_for = |why: &str| {
        let text = format!("log_error={why}\n{}", answer("validate", "invalid", ""));
        dialogue("json", &[("→ v:e1", &validate("/x")), ("←", &text)])
    };
    let strict = || refused_for("The mode is missing");
    assert_eq!(verdict("PM314", group(strict())).1, []);
    assert_eq!(messages("PM318", group(strict())).len(), 1);
    let refused = || refused_for("Unknown log level");
    assert_eq!(
        messages("PM314", group(refused())),
        ["at log level `info`: `invalid` instead of `valid`"]
    );
    assert_eq!(verdict("PM318", group(refused())).1, []);
    let other = || simple("valid", "kept");
    assert_eq!(verdict("PM314", group(other())).1, []);
    assert_eq!(
        messages("PM318", group(other())),
        ["at log level `info`: `kept` instead of `repaired`"]
    );
    assert_eq!(
        verdict("PM318", group(simple("valid", "repaired"))),
        (2, vec![])
    );
}

#[test]
fn promise_types_beside_each_other_have_their_own_outcomes() {
    let group = |variant: Dialogue| {
        vec![
            simple("valid", "kept").member("types", "baseline"),
            variant.member("types", "interleaved"),
        ]
    };
    assert_eq!(
        verdict("PM317", group(simple("valid", "kept"))),
        (2, vec![])
    );
    assert_eq!(
        messages("PM317", group(simple("valid", "not_kept"))).len(),
        1
    );
}

#[test]
fn effects_of_a_changed_level_are_compared() {
    let level = |after: &str, role: &str| {
        dialogue(
            "json",
            &[
                ("→ v:e1", &validate("/tmp/stickler/dir/a")),
                ("←", &answer("validate", "valid", "")),
            ],
        )
        .then(&[
            ("observe", ""),
            ("→ e:e1", &evaluate("/tmp/stickler/dir/a")),
        ])
        .then(&[("←", &answer("evaluate", "repaired", ""))])
        .effects(vec![changed("a", "old", after)])
        .member("level", role)
    };
    assert_eq!(
        messages(
            "PM318",
            vec![level("new", "baseline"), level("other", "debug")]
        ),
        ["at log level `info`: `{dir}/a` begins with `other` instead of `new`"]
    );
    assert_eq!(
        verdict(
            "PM318",
            vec![level("new", "baseline"), level("new", "debug")]
        ),
        (2, vec![])
    );
}
