//! PM3xx, one session at a time: broken, and the nearest thing that is not.

use crate::common::{
    answer, dialogue, evaluate, messages, request, simple, terminate, validate, variant, verdict,
};
use stickler_judge::Level;

#[test]
fn an_answer_names_its_operation() {
    let wrong = |text: &str| dialogue("json", &[("→ e:e1", &evaluate("/x")), ("←", text)]);
    assert_eq!(
        messages(
            "PM301",
            vec![wrong(r#"{"operation":"validate_promise","result":"kept"}"#)]
        ),
        ["`operation` is `validate_promise` in the answer to `evaluate_promise`"]
    );
    assert_eq!(
        messages("PM301", vec![wrong(r#"{"result":"kept"}"#)]),
        ["the answer has no `operation`"]
    );
    // Other rules' matter: no string, no JSON.
    for text in [r#"{"operation":1,"result":"kept"}"#, "{broken", "[1]"] {
        assert_eq!(verdict("PM301", vec![wrong(text)]), (0, vec![]), "{text}");
    }
    assert_eq!(verdict("PM301", vec![simple("valid", "kept")]).0, 2);
}

#[test]
fn a_request_that_is_no_json_names_no_operation() {
    let asked = |text: &str, result: &str| {
        dialogue(
            "json",
            &[
                ("→ v:e1", &validate(text)),
                ("←", &answer("unknown", result, "")),
            ],
        )
    };
    for refusal in ["error", "invalid"] {
        let unread = asked("/x\u{1}", refusal);
        assert_eq!(verdict("PM301", vec![unread]), (0, vec![]), "{refusal}");
        let read = asked("/x", refusal);
        assert_eq!(verdict("PM301", vec![read]).1.len(), 1, "{refusal}");
    }
    // It was understood after all.
    assert_eq!(verdict("PM301", vec![asked("/x\u{1}", "valid")]).1.len(), 1);
}

#[test]
fn an_answer_that_refuses_invalid_json_needs_no_echo() {
    let asked = |promiser: &str, result: &str, operation: &str| {
        let echo = r#","promiser":"","attributes":{"mode":null}"#;
        let answer = format!(r#"{{"operation":{operation},"result":"{result}"{echo}}}"#);
        dialogue("json", &[("→ v:e1", &validate(promiser)), ("←", &answer)])
    };
    for code in ["PM206", "PM301", "PM302", "PM315"] {
        let found = |promiser: &str, result: &str| {
            let operation = if code == "PM206" { "null" } else { "\"none\"" };
            verdict(code, vec![asked(promiser, result, operation)])
                .1
                .len()
        };
        assert_eq!(found("/x\u{1}", "error"), 0, "{code}");
        assert_eq!(found("/x", "error"), 1, "{code}");
        assert_eq!(found("/x\u{1}", "valid"), 1, "{code}");
    }
}

#[test]
fn an_operation_beyond_is_advice_and_a_shifted_answer_nobodys() {
    let beyond = dialogue(
        "json",
        &[("!→ e:e1", &evaluate("/x")), ("←", r#"{"result":"kept"}"#)],
    );
    assert_eq!(verdict("PM301", vec![beyond]).1[0].level, Level::May);
    let shifted = dialogue(
        "json",
        &[
            ("→ v:e1", &validate("/x")),
            ("←", &answer("validate", "valid", "")),
            ("←", &answer("validate", "valid", "")),
            ("→ e:e1", &evaluate("/x")),
            ("←", &answer("validate", "valid", "")),
        ],
    );
    assert_eq!(verdict("PM301", vec![shifted]).1, []);
}

#[test]
fn line_answers_name_their_operation_too() {
    let line = |text: &str| {
        dialogue(
            "line",
            &[
                ("→ v:e1", "operation=validate_promise\npromiser=/x"),
                ("←", text),
            ],
        )
    };
    assert_eq!(messages("PM301", vec![line("result=valid")]).len(), 1);
    assert_eq!(
        verdict(
            "PM301",
            vec![line("operation=validate_promise\nresult=valid")]
        ),
        (1, vec![])
    );
    assert_eq!(verdict("PM301", vec![line("just some text")]), (0, vec![]));
}

#[test]
fn an_echoed_promiser_is_the_requests_and_need_not_be_there() {
    let echo = |asked: &str, echoed: &str| {
        dialogue(
            "json",
            &[
                ("→ v:e1", &validate(asked)),
                ("←", &answer("validate", "valid", echoed)),
            ],
        )
    };
    assert_eq!(
        messages("PM302", vec![echo("/x/", r#","promiser":"/x""#)]).len(),
        1
    );
    assert_eq!(
        messages("PM302", vec![echo("/x", r#","promiser":null"#)]).len(),
        1
    );
    assert_eq!(
        verdict("PM302", vec![echo("/x", r#","promiser":"\/x""#)]),
        (1, vec![])
    );
    assert_eq!(verdict("PM302", vec![echo("/x", "")]), (0, vec![]));
    // Blanks at the edges are PM912's, unusual text is PM905's.
    assert_eq!(
        verdict("PM302", vec![echo(" x ", r#","promiser":"x""#)]).1,
        []
    );
    let known = echo("/x ", r#","promiser":"/x""#).then(&[
        ("→ e:e1", &evaluate("/x ")),
        (
            "←",
            &format!(
                "log_info=Wrote '/x '\n{}",
                answer("evaluate", "repaired", r#","promiser":"/x""#)
            ),
        ),
    ]);
    assert_eq!(messages("PM302", vec![known]).len(), 1);
    // Newer agents send a character for each byte, which a module may decode.
    let decoded = echo(r"/\u00c3\u00bc", r#","promiser":"/ü""#);
    assert_eq!(messages("PM302", vec![decoded.clone()]).len(), 1);
    assert_eq!(
        verdict("PM302", vec![decoded.sent_by("3.24.4")]),
        (1, vec![])
    );
    let probe = echo("/ü", r#","promiser":"/?""#).about(variant("e1", "text", "promiser"));
    assert_eq!(verdict("PM302", vec![probe]), (0, vec![]));
}

#[test]
fn an_unknown_operation_is_an_error_and_no_end() {
    let unknown = r#"{"operation":"describe_promise","promiser":"/x"}"#;
    let answered = |result: &str| {
        dialogue(
            "json",
            &[
                ("→ unknown-operation", unknown),
                (
                    "←",
                    &format!(r#"{{"operation":"describe_promise","result":"{result}"}}"#),
                ),
                ("→ v:e1", &validate("/x")),
                ("←", &answer("validate", "valid", "")),
            ],
        )
    };
    assert_eq!(verdict("PM303", vec![answered("error")]), (1, vec![]));
    let (_, found) = verdict("PM303", vec![answered("kept")]);
    assert_eq!(found[0].message, "an unknown operation is answered `kept`");
    assert_eq!(found[0].level, Level::May);
    let ends = dialogue("json", &[("→ unknown-operation", unknown), ("exit", "1")]);
    assert_eq!(messages("PM303", vec![ends]).len(), 1);
    let ends = dialogue(
        "json",
        &[
            ("?→ unknown-operation", unknown),
            ("exit", "1"),
            ("close", ""),
        ],
    );
    assert_eq!(messages("PM303", vec![ends]).len(), 1);
    // Nothing was owed, and input was closed: nothing can be said.
    let silent = dialogue(
        "json",
        &[
            ("?→ unknown-operation", unknown),
            ("close", ""),
            ("exit", "0"),
        ],
    );
    assert_eq!(verdict("PM303", vec![silent]), (0, vec![]));
}

#[test]
fn terminate_is_answered_and_then_the_module_ends() {
    let yes = answer("terminate", "success", "");
    assert_eq!(
        verdict("PM307", vec![terminate(&[("←", &yes)])]),
        (1, vec![])
    );
    let cases: [(&[(&str, &str)], &str); 3] = [
        (
            &[("exit", "1")],
            "`terminate` right after the header (without log level) makes the module exit without an answer (exit status 1)",
        ),
        (
            &[("silent", "")],
            "`terminate` right after the header (without log level) is not answered in time",
        ),
        (
            &[("←", &yes), ("outlives", "")],
            "the module still runs after `terminate` right after the header (without log level) was answered and its input closed",
        ),
    ];
    for (turns, message) in cases {
        assert_eq!(messages("PM307", vec![terminate(turns)]), [message]);
    }
    // Half an answer, or one that was not flushed, is PM201's.
    for turns in [
        &[("<-", r#"{"operation":"terminate""#), ("silent", "")][..],
        &[("<-", r#"{"operation":"terminate""#), ("exit", "0")],
    ] {
        assert_eq!(verdict("PM307", vec![terminate(turns)]), (0, vec![]));
    }
}

#[test]
fn two_answers_to_terminate_are_one_finding() {
    let yes = answer("terminate", "success", "");
    let valid = answer("validate", "valid", "");
    let twice = dialogue("json", &[("→ v:e1", &validate("/x")), ("←", &valid)]).then(&[
        ("→ terminate", r#"{"operation":"terminate"}"#),
        ("←", &yes),
        ("←", &yes),
    ]);
    assert_eq!(
        messages("PM307", vec![twice]),
        ["`terminate` (without log level) is answered twice"]
    );
    // A module that doubles all answers is PM202's.
    assert_eq!(
        verdict("PM307", vec![terminate(&[("←", &yes), ("←", &yes)])]).1,
        []
    );
}

#[test]
fn success_means_exit_status_zero() {
    let yes = answer("terminate", "success", "");
    let ended = |exit: &str| terminate(&[("←", &yes), ("close", ""), ("exit", exit)]);
    assert_eq!(verdict("PM308", vec![ended("0")]), (1, vec![]));
    assert_eq!(
        messages("PM308", vec![ended("3")]),
        ["exit status 3 after `terminate` was answered `success`"]
    );
    assert_eq!(messages("PM308", vec![ended("signal 11")]).len(), 1);
    let failure = answer("terminate", "failure", "");
    let failed = terminate(&[("←", &failure), ("close", ""), ("exit", "1")]);
    assert_eq!(verdict("PM308", vec![failed]), (0, vec![]));
    // Killed by the harness: PM307's.
    assert_eq!(
        verdict("PM308", vec![terminate(&[("←", &yes), ("outlives", "")])]),
        (0, vec![])
    );
}

#[test]
fn a_process_is_left_only_after_a_repair_and_without_the_pipes() {
    let left = |result: &str, what: &str| {
        simple("valid", result).then(&[("close", ""), ("exit", "0"), ("left", what)])
    };
    assert_eq!(
        verdict("PM309", vec![left("repaired", "daemon")]),
        (1, vec![])
    );
    assert_eq!(verdict("PM309", vec![simple("valid", "kept")]), (1, vec![]));
    assert_eq!(
        messages("PM309", vec![left("kept", "daemon")]),
        ["a process `daemon` is left, and nothing was repaired"]
    );
    assert_eq!(
        messages("PM309", vec![left("repaired", "daemon holds stdout")]).len(),
        1
    );
    let killed = simple("valid", "kept").then(&[("kill", ""), ("left", "daemon")]);
    assert_eq!(verdict("PM309", vec![killed]), (0, vec![]));
}

#[test]
fn a_broken_message_is_no_success() {
    let broken = |answer: &[(&str, &str)]| {
        dialogue(
            "json",
            &[
                ("→ v:e1", &validate("/x")),
                ("←", &crate::common::answer("validate", "valid", "")),
            ],
        )
        .then(&[("?→ broken:cut", r#"{"operation":"validate_promise""#)])
        .then(answer)
    };
    let valid = answer("validate", "valid", "");
    let (_, found) = verdict("PM313", vec![broken(&[("←", &valid)])]);
    assert_eq!(found[0].level, Level::Should);
    let error = answer("validate", "error", "");
    assert_eq!(
        verdict("PM313", vec![broken(&[("←", &error)])]),
        (1, vec![])
    );
    let after = [("→ v2:e1", &validate("/x")[..])];
    let lives = broken(&after).then(&[("←", &valid)]);
    assert_eq!(verdict("PM313", vec![lives]), (1, vec![]));
    let ends = broken(&after).then(&[("exit", "1")]);
    assert_eq!(verdict("PM313", vec![ends]), (1, vec![]));
    let (_, found) = verdict("PM313", vec![broken(&after).then(&[("silent", "")])]);
    assert_eq!(
        found[0].message,
        "after a broken message the next request is not answered"
    );
    assert_eq!(found[0].level, Level::Should);
}

#[test]
fn echoed_attributes_are_advice() {
    let echo = |echoed: &str| {
        dialogue(
            "json",
            &[
                (
                    "→ v:e1",
                    &request("validate", "/x", r#"{"list":["a"],"mode":"0644"}"#),
                ),
                ("←", &answer("validate", "valid", echoed)),
            ],
        )
    };
    assert_eq!(
        verdict("PM315", vec![echo(r#","attributes":{"mode":"0644"}"#)]),
        (1, vec![])
    );
    assert_eq!(
        verdict("PM315", vec![echo(r#","attributes":{}"#)]),
        (0, vec![])
    );
    // Newer agents send a character for each byte, which a module may decode.
    let decoded = dialogue(
        "json",
        &[
            (
                "→ v:e1",
                &request("validate", "/x", r#"{"text":["\u00c3\u00bc"]}"#),
            ),
            (
                "←",
                &answer("validate", "valid", r#","attributes":{"text":["ü"]}"#),
            ),
        ],
    );
    assert_eq!(messages("PM315", vec![decoded.clone()]).len(), 1);
    assert_eq!(
        verdict("PM315", vec![decoded.sent_by("3.24.4")]),
        (1, vec![])
    );
    assert_eq!(
        messages("PM315", vec![echo(r#","attributes":{"mode":420}"#)]),
        ["attribute `mode` comes back as a number instead of a string"]
    );
    assert_eq!(
        messages("PM315", vec![echo(r#","attributes":{"owner":"root"}"#)]),
        ["attribute `owner` comes back, but the request does not have it"]
    );
    assert_eq!(
        messages("PM315", vec![echo(r#","attributes":{"list":["b"]}"#)]).len(),
        1
    );
    // Libraries keep one of two members with the same name.
    let twice = r#"{"tree":{"a":"b","c":[{"a":"b","a":true}]}}"#;
    let told = answer(
        "validate",
        "valid",
        r#","attributes":{"tree":{"a":"b","c":[{"a":true}]}}"#,
    );
    let sent = request("validate", "/x", twice);
    let twice = dialogue("json", &[("→ v:e1", &sent), ("←", &told)]);
    assert_eq!(verdict("PM315", vec![twice]), (1, vec![]));
}

#[test]
fn a_line_without_equals_is_refused() {
    let sent = "operation=validate_promise\npromiser=/x\nrest of a value";
    let line = |result: &str| {
        let text = format!("operation=validate_promise\nresult={result}");
        dialogue("line", &[("!→ no-equals", sent), ("←", &text)])
    };
    assert_eq!(verdict("PM316", vec![line("invalid")]), (1, vec![]));
    assert_eq!(verdict("PM316", vec![line("error")]), (1, vec![]));
    let (_, found) = verdict("PM316", vec![line("valid")]);
    assert_eq!(found[0].level, Level::May);
}
