//! PM4xx: broken, and the nearest thing that is not.

use crate::common::{
    Dialogue, answer, dialogue, evaluate, messages, promise, request, simple, terminate, validate,
    variant, verdict,
};
use cfengine_protocol::Session;
use cfengine_protocol::rules::RULES;
use stickler_judge::{AnySession, Expectations, Level, View, conclude, judge};

#[test]
fn results_are_those_of_their_phase() {
    for (code, valid, result, broken) in [
        ("PM401", "kept", "kept", true),
        ("PM401", "error", "kept", false),
        ("PM402", "valid", "valid", true),
        ("PM402", "valid", "Kept", true),
        ("PM402", "valid", "error", false),
    ] {
        let found = messages(code, vec![simple(valid, result)]);
        assert_eq!(found.len(), usize::from(broken), "{code} {valid} {result}");
    }
    let ended = |result: &str| terminate(&[("←", &answer("terminate", result, ""))]);
    assert_eq!(verdict("PM403", vec![ended("failure")]), (1, vec![]));
    assert_eq!(
        messages("PM403", vec![ended("kept")]),
        ["`terminate` is answered `kept`"]
    );
}

#[test]
fn a_missing_result_fails_in_the_line_protocol() {
    let line = |text: &str| {
        dialogue(
            "line",
            &[
                ("→ v:e1", "operation=validate_promise\npromiser=/x"),
                ("←", text),
            ],
        )
    };
    assert_eq!(
        messages("PM401", vec![line("operation=validate_promise")]),
        ["validation is answered without `result`"]
    );
    assert_eq!(
        verdict("PM401", vec![line("Hello from a child")]),
        (0, vec![])
    );
    // In JSON it is PM206's.
    for text in [
        r#"{"operation":"validate_promise"}"#,
        r#"{"result":1}"#,
        "nothing",
        "{bad",
    ] {
        let json = dialogue("json", &[("→ v:e1", &validate("/x")), ("←", text)]);
        assert_eq!(verdict("PM401", vec![json]), (0, vec![]), "{text}");
    }
}

#[test]
fn a_validation_asked_again_says_the_same() {
    let again = |result: &str| {
        simple("valid", "repaired").then(&[
            ("→ v2:e1", &validate("/x")),
            ("←", &answer("validate", result, "")),
        ])
    };
    assert_eq!(verdict("PM404", vec![again("valid")]), (1, vec![]));
    assert_eq!(
        messages("PM404", vec![again("invalid")]),
        ["asked again, the validation is `invalid`; the first time it was `valid`"]
    );
    let other = simple("valid", "kept").then(&[
        ("→ v:e2", &validate("/y")),
        ("←", &answer("validate", "invalid", "")),
    ]);
    assert_eq!(verdict("PM404", vec![other]), (0, vec![]));
}

/// An evaluation with `error` and a critical message, after a valid validation of a variant.
fn fails(field: &str, log: &str, trace: &str) -> Dialogue {
    let told = format!(r#","log":[{{"level":"critical","message":"{log}"}}]"#);
    let told = answer("evaluate", "error", &told);
    let download = |request: String| {
        request.replace("\"promise_type\":\"t\"", "\"promise_type\":\"download\"")
    };
    dialogue(
        "json",
        &[
            ("→ v:e1", &download(validate("/x/y"))),
            ("←", &answer("validate", "valid", "")),
            ("→ e:e1", &download(evaluate("/x/y"))),
            ("err", trace),
            ("←", &told),
        ],
    )
    .about(variant("e1", "drop", field))
}

#[test]
fn failed_evaluations_are_grouped_by_attribute_and_cause() {
    let group = |field: &str, log: &str, trace: &str| {
        let (_, found) = verdict("PM405", vec![fails(field, log, trace)]);
        found[0].group.to_string()
    };
    let trace = "Traceback (most recent call last):\n  File \"m.py\"\nKeyError: 'mode'\n";
    assert_eq!(group("mode", "failed", trace), "`mode`, KeyError");
    assert_eq!(group("mode", "KeyError: 'a'", ""), "`mode`, KeyError");
    assert_eq!(
        group("mode", "No '5' for /x/y", ""),
        "`mode`, \"No … for …\""
    );
    assert_eq!(
        group("promiser", "line 17 is it", ""),
        "promiser, \"line … is it\""
    );
    assert_eq!(
        group("mode", "It isn't there", ""),
        "`mode`, \"It isn't there\""
    );
    // The promise type may be a word of the message.
    assert_eq!(
        group("mode", "Failed to download '/x/y': got 404", ""),
        "`mode`, \"Failed to download …: got …\""
    );
}

#[test]
fn each_group_is_a_finding_of_its_own() {
    let sessions: Vec<AnySession> = [
        fails("mode", "KeyError: 'a'", ""),
        fails("mode", "KeyError: 'b'", ""),
        fails("owner", "KeyError: 'a'", ""),
        fails("mode", "ValueError: x", ""),
    ]
    .into_iter()
    .map(|dialogue| AnySession::new(Session::new(dialogue.build())))
    .collect();
    let rules: Vec<_> = RULES.iter().filter(|rule| rule.code == "PM405").collect();
    let ledgers = judge(&rules, &sessions);
    let outcomes = conclude(&rules, &ledgers, &sessions, &Expectations::default());
    let found = outcomes[0].findings.iter();
    let found: Vec<(&str, usize)> = found
        .map(|found| (&*found.finding.group, found.more))
        .collect();
    let expected = [
        ("`mode`, KeyError", 1),
        ("`owner`, KeyError", 0),
        ("`mode`, ValueError", 0),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_promise_that_validates_can_be_evaluated() {
    let dropped = |result: &str| simple("valid", result).about(variant("e1", "drop", "mode"));
    assert_eq!(verdict("PM405", vec![dropped("not_kept")]), (1, vec![]));
    assert_eq!(
        messages("PM405", vec![dropped("error")]),
        ["`mode`: the validation is `valid`, but the evaluation is `error`"]
    );
    let dies = |promiser: &str| {
        dialogue(
            "json",
            &[
                ("→ v:e1", &validate(promiser)),
                ("←", &answer("validate", "valid", "")),
                ("→ e:e1", &evaluate(promiser)),
                ("exit", "1"),
            ],
        )
        .about(variant("e1", "drop", "mode"))
    };
    assert_eq!(messages("PM405", vec![dies("/x")]).len(), 1);
    // Raw control bytes are PM906's, the author's own examples PM901's.
    assert_eq!(verdict("PM405", vec![dies("/x\u{1}")]), (0, vec![]));
    assert_eq!(
        verdict("PM405", vec![dies("/x").about(promise("e1"))]),
        (0, vec![])
    );
    let mut declared = promise("e1");
    declared.expect = vec!["error".into()];
    assert_eq!(
        verdict("PM405", vec![simple("valid", "error").about(declared)]),
        (0, vec![])
    );
    assert_eq!(
        verdict("PM405", vec![simple("invalid", "error")]),
        (0, vec![])
    );
    let beyond = dialogue(
        "json",
        &[
            ("→ v:e1", &validate("/x")),
            ("←", &answer("validate", "valid", "")),
            ("!→ e:e1", &evaluate("/x")),
            ("←", &answer("evaluate", "error", "")),
        ],
    );
    assert_eq!(verdict("PM405", vec![beyond]).1[0].level, Level::May);
}

#[test]
fn a_file_that_is_only_read_may_be_anything() {
    let read = |result: &str| {
        let mut item = variant("e1", "drifted", "promiser");
        item.label = "e1~drifted:promiser:input0".into();
        let key = |operation: &str| format!("→ {operation}:{}", item.label);
        let (first, second) = (validate("/x"), evaluate("/x"));
        let (valid, reply) = (
            answer("validate", "valid", ""),
            answer("evaluate", result, ""),
        );
        dialogue(
            "json",
            &[
                (&key("v"), &first),
                ("←", &valid),
                (&key("e"), &second),
                ("←", &reply),
            ],
        )
        .about(item)
    };
    assert_eq!(verdict("PM405", vec![read("not_kept")]), (1, vec![]));
    let (_, found) = verdict("PM405", vec![read("error")]);
    assert_eq!(found[0].level, Level::Should);
}

#[test]
fn declared_outcomes_count_in_ordinary_sessions() {
    let declared = |expect: &[&str]| {
        let mut promise = promise("e1");
        promise.expect = expect.iter().map(|word| (*word).to_owned()).collect();
        promise
    };
    let twice = |first: &str, second: &str| {
        simple("valid", first).then(&[
            ("→ e2:e1", &evaluate("/x")),
            ("←", &answer("evaluate", second, "")),
        ])
    };
    let expect = || declared(&["repaired", "kept"]);
    assert_eq!(
        verdict("PM406", vec![twice("repaired", "kept").about(expect())]),
        (3, vec![])
    );
    assert_eq!(
        messages("PM406", vec![twice("repaired", "repaired").about(expect())]),
        ["evaluation number 2 is `repaired`, but the author declared `kept`"]
    );
    // In a variant the outcome is compared with the ordinary session's.
    let elsewhere = twice("kept", "kept")
        .about(expect())
        .member("environment", "no HOME");
    assert_eq!(verdict("PM406", vec![elsewhere]), (0, vec![]));
    // The setup of another promise may bring it about.
    let both = twice("kept", "kept").about(expect()).then(&[
        ("→ v:e2", &validate("/y")),
        ("←", &answer("validate", "valid", "")),
    ]);
    assert_eq!(verdict("PM406", vec![both]), (0, vec![]));
    assert_eq!(
        messages("PM406", vec![simple("invalid", "kept")]),
        ["this promise is an example, but its validation is `invalid`"]
    );
}

#[test]
fn declared_classes_are_defined_by_the_first_evaluation() {
    let told = |more: &str, classes: &[&str]| {
        let mut promise = promise("e1");
        promise.classes = classes.iter().map(|name| (*name).to_owned()).collect();
        dialogue("json", &[])
            .then(&[
                ("→ v:e1", &validate("/x")),
                ("←", &answer("validate", "valid", "")),
                ("→ e:e1", &evaluate("/x")),
                ("←", &answer("evaluate", "repaired", more)),
                ("→ e2:e1", &evaluate("/x")),
                ("←", &answer("evaluate", "kept", "")),
            ])
            .about(promise)
    };
    let both = r#", "result_classes": ["more", "file-made"]"#;
    assert_eq!(
        verdict("PM406", vec![told(both, &["file_made"])]),
        (2, vec![])
    );
    for more in ["", r#", "result_classes": ["more"]"#] {
        assert_eq!(
            messages("PM406", vec![told(more, &["file_made"])]),
            [
                "evaluation number 1 does not define the class `file_made`, which the author declared"
            ]
        );
    }
    // The form of the list is PM602's business.
    let text = r#", "result_classes": "file_made""#;
    assert_eq!(verdict("PM406", vec![told(text, &["other"])]), (1, vec![]));
}

#[test]
fn declared_invalid_promises_are_rejected() {
    let asked = |result: &str| {
        let mut invalid = promise("i1");
        invalid.invalid = true;
        dialogue(
            "json",
            &[
                ("→ v:i1", &validate("x")),
                ("←", &answer("validate", result, "")),
            ],
        )
        .about(invalid)
    };
    assert_eq!(verdict("PM406", vec![asked("invalid")]), (1, vec![]));
    assert_eq!(
        messages("PM406", vec![asked("valid")]),
        ["the author declared this promise invalid, but its validation is `valid`"]
    );
}

#[test]
fn lines_behind_a_comment_and_lines_that_are_back_want_a_repair() {
    let told = |steps: &[(&str, &str)]| {
        let mut session = dialogue("json", &[]);
        for (kind, result) in steps {
            let label = format!("e1~{kind}:promiser");
            session = session.about(variant(&label, kind, "promiser")).then(&[
                (&format!("→ e:{label}"), &evaluate("/x")),
                ("←", &answer("evaluate", result, "")),
            ]);
        }
        messages("PM406", vec![session])
    };
    let commented = told(&[("lettered", "repaired"), ("commented", "kept")]);
    assert_eq!(commented, ["the promise is `kept` commented promiser"]);
    let back = told(&[("taken-back", "kept")]);
    assert_eq!(back, ["the promise is `kept` taken-back promiser"]);
    for silent in [
        &[("lettered", "repaired"), ("commented", "repaired")][..],
        &[("lettered", "kept"), ("commented", "kept")],
        &[("taken-back", "not_kept")],
    ] {
        assert_eq!(told(silent), [""; 0], "{silent:?}");
    }
}

#[test]
fn an_excerpt_shows_the_changed_attribute_of_a_long_request() {
    let text = "a long text that is much like all others ".repeat(3);
    let attributes: Vec<String> = ["a", "b", "c", "d"]
        .iter()
        .map(|name| format!("\"{name}\":\"{text}\""))
        .collect();
    let attributes = format!("{{{},\"mode\":\"0644\"}}", attributes.join(","));
    let session = dialogue("json", &[])
        .about(variant("e1~text:mode", "text", "mode"))
        .then(&[
            ("→ v:e1~text:mode", &request("validate", "/x", &attributes)),
            ("←", &answer("validate", "kept", "")),
        ]);
    let finding = verdict("PM401", vec![session.clone()]).1.remove(0);
    let excerpt = Session::new(session.build()).excerpt(&finding, 0);
    let sent = &excerpt[0].text;
    assert!(sent.contains(" mode=0644 a=a long text"), "{sent}");
    assert!(sent.chars().count() <= 160, "{sent}");
}
