//! The rules for logs and result classes, PM501 to PM516 and PM601 to PM605.

use crate::common::{Dialogue, answer, dialogue, messages, promise, request, validate, verdict};
use cfengine_protocol::rules::RULES;
use stickler_transcript::{Event, Level};

/// One exchange: operation, result, log lines before the object, further members.
fn session(operation: &str, result: &str, logs: &[&str], more: &str) -> Dialogue {
    let key = match operation {
        "validate" => "→ v:e1",
        "evaluate" => "→ e:e1",
        other => return ended(other, result, logs, more),
    };
    let asked = request(operation, "/x", r#"{"mode":"0644"}"#);
    dialogue(
        "json",
        &[(key, &asked), ("←", &reply(operation, result, logs, more))],
    )
}

fn ended(operation: &str, result: &str, logs: &[&str], more: &str) -> Dialogue {
    dialogue(
        "json",
        &[
            ("→ terminate", r#"{"operation":"terminate"}"#),
            ("←", &reply(operation, result, logs, more)),
        ],
    )
}

fn reply(operation: &str, result: &str, logs: &[&str], more: &str) -> String {
    let lines: String = logs.iter().map(|log| format!("log_{log}\n")).collect();
    lines + &answer(operation, result, more)
}

/// An evaluation under `action_policy` warn.
fn warned(result: &str, logs: &[&str]) -> Dialogue {
    let asked = request("evaluate", "/x", r#"{"action_policy":"warn"}"#);
    dialogue(
        "json action_policy",
        &[
            ("→ we:e1", &asked),
            ("←", &reply("evaluate", result, logs, "")),
        ],
    )
}

/// The codes of the rules for logs and classes that this session breaks.
fn broken(dialogue: &Dialogue) -> Vec<&'static str> {
    RULES
        .iter()
        .map(|rule| rule.code)
        .filter(|code| code.starts_with("PM5") || code.starts_with("PM6"))
        .filter(|code| !verdict(code, vec![dialogue.clone()]).1.is_empty())
        .collect()
}

#[test]
fn sound_exchanges_break_nothing() {
    let sound = [
        session("validate", "valid", &[], ""),
        session(
            "validate",
            "valid",
            &["warning=deprecated", "notice=x", "debug=y"],
            "",
        ),
        session("validate", "invalid", &["error=no path"], ""),
        session(
            "validate",
            "invalid",
            &["error=/p.cf:1 has no path"],
            r#","log":[]"#,
        ),
        session("validate", "valid", &[], r#","result_classes":[]"#),
        session("validate", "error", &["critical=KeyError: 'path'"], ""),
        session(
            "evaluate",
            "kept",
            &["warning=old", "notice=new", "verbose=same"],
            "",
        ),
        session(
            "evaluate",
            "repaired",
            &["info=Wrote it", "warning=old"],
            "",
        ),
        session(
            "evaluate",
            "repaired",
            &[],
            r#","log":[{"level":"info","message":"Wrote\tit"}]"#,
        ),
        session(
            "evaluate",
            "repaired",
            &["info=x"],
            r#","result_classes":["a_b","ns:c9","linuxes","Hr_x"]"#,
        ),
        session(
            "evaluate",
            "not_kept",
            &["error=no route to host", "info=tried"],
            "",
        ),
        session("evaluate", "error", &["critical=no memory"], ""),
        session("terminate", "success", &["verbose=bye"], ""),
        session("terminate", "failure", &["critical=lock stays"], ""),
        warned(
            "not_kept",
            &["warning=Should write it, but only warnings promised"],
        ),
        warned("not_kept", &["error=no route to host"]),
    ];
    for dialogue in sound {
        assert_eq!(broken(&dialogue), [""; 0], "{dialogue:?}");
    }
}

#[test]
fn each_defect_breaks_its_rule_alone() {
    let list = |log: &str| session("validate", "valid", &[], &format!(r#","log":{log}"#));
    let cases = [
        (session("validate", "valid", &["warn=x"], ""), "PM501"),
        (session("validate", "invalid", &["ERROR=x"], ""), "PM501"),
        (session("evaluate", "kept", &["level=info"], ""), "PM501"),
        (session("evaluate", "kept", &["=x"], ""), "PM501"),
        (list(r#"[{"level":"fatal","message":"x"}]"#), "PM501"),
        (session("validate", "invalid", &["warning=x"], ""), "PM502"),
        (session("evaluate", "repaired", &["notice=x"], ""), "PM503"),
        (session("evaluate", "not_kept", &["warning=x"], ""), "PM504"),
        (warned("not_kept", &["verbose=x"]), "PM504"),
        (session("evaluate", "error", &["error=x"], ""), "PM505"),
        (session("terminate", "error", &[], ""), "PM505"),
        (session("terminate", "failure", &["error=x"], ""), "PM506"),
        (
            session("evaluate", "kept", &["info=nothing to do"], ""),
            "PM507",
        ),
        (session("evaluate", "kept", &["error=x"], ""), "PM507"),
        (list(r#""x""#), "PM508"),
        (list("null"), "PM508"),
        (list(r#"["x"]"#), "PM508"),
        (list(r#"[{"message":"x"}]"#), "PM508"),
        (list(r#"[{"level":"debug","message":1}]"#), "PM508"),
        (
            session(
                "validate",
                "invalid",
                &[],
                r#","log":{"level":"error","message":"x"}"#,
            ),
            "PM508",
        ),
        (list(r#"[{"level":"debug","message":"a\nb"}]"#), "PM509"),
        (
            list(r#"[{"level":"debug","message":"a\u001b[0m"}]"#),
            "PM509",
        ),
        (session("validate", "valid", &["verbose=a\rb"], ""), "PM509"),
        (session("validate", "valid", &["verbose= "], ""), "PM512"),
        (session("validate", "valid", &["error=x"], ""), "PM512"),
        (
            session("evaluate", "repaired", &["info=x", "error=y"], ""),
            "PM513",
        ),
        (session("validate", "invalid", &["critical=x"], ""), "PM514"),
        (session("validate", "valid", &["info=x"], ""), "PM516"),
        (session("terminate", "success", &["info=bye"], ""), "PM516"),
        (
            session("validate", "valid", &[], r#","result_classes":["a"]"#),
            "PM601",
        ),
        (
            session("evaluate", "kept", &[], r#","result_classes":"a,b""#),
            "PM602",
        ),
        (
            session("evaluate", "kept", &[], r#","result_classes":null"#),
            "PM602",
        ),
        (
            session("evaluate", "kept", &[], r#","result_classes":["a",1]"#),
            "PM602",
        ),
        (
            session("evaluate", "kept", &[], r#","result_classes":["a",""]"#),
            "PM603",
        ),
        (
            session("evaluate", "kept", &[], r#","result_classes":["a","a"]"#),
            "PM603",
        ),
        (
            session("evaluate", "kept", &[], r#","result_classes":["any"]"#),
            "PM604",
        ),
        (
            session("evaluate", "kept", &[], r#","result_classes":["a-b"]"#),
            "PM605",
        ),
        (
            session("evaluate", "kept", &[], r#","result_classes":["a:b:c"]"#),
            "PM605",
        ),
    ];
    for (dialogue, code) in cases {
        assert_eq!(broken(&dialogue), [code], "{dialogue:?}");
    }
}

#[test]
fn classes_of_the_line_protocol_are_parted_by_commas() {
    let session = |classes: &str| {
        let asked = "operation=evaluate_promise\npromiser=/x\n";
        let answered =
            format!("operation=evaluate_promise\nresult=kept\nresult_classes={classes}\n");
        dialogue("line", &[("→ e:e1", asked), ("←", &answered)])
    };
    assert_eq!(broken(&session("a,b")), [""; 0]);
    assert_eq!(broken(&session("")), [""; 0]);
    assert_eq!(broken(&session("a, b")), ["PM602"]);
    assert_eq!(broken(&session("a,,b")), ["PM603"]);
    let validation = dialogue(
        "line",
        &[
            ("→ v:e1", "operation=validate_promise\npromiser=/x\n"),
            (
                "←",
                "operation=validate_promise\nresult=valid\nresult_classes=\n",
            ),
        ],
    );
    assert_eq!(
        broken(&validation),
        [""; 0],
        "an empty list defines nothing"
    );
}

#[test]
fn reserved_classes_are_known_by_their_canonical_names() {
    let code = |name: &str| {
        let more = format!(r#","result_classes":["{name}"]"#);
        !verdict("PM604", vec![session("evaluate", "kept", &[], &more)])
            .1
            .is_empty()
    };
    for reserved in [
        "any",
        "linux",
        "debian_12",
        "ubuntu_22_04",
        "x86_64",
        "Monday",
        "Hr07",
        "Hr07_Q2",
        "Min35_40",
        "Yr2026",
        "GMT_Hr3",
        "default:linux",
        "64_bit",
        "ipv4_10_0_0_1",
        "cfengine_3_21_0",
        "2_cpus",
    ] {
        assert!(code(reserved), "{reserved}");
    }
    for free in [
        "masterfiles_cloned",
        "linux_installed",
        "ns:linux",
        "debian_",
        "Hr",
        "monday",
        "Quorum",
        "Daylight",
        "ipv4_enabled",
        "windows_removed",
        "systemd_reloaded",
        "Minimal",
        "Q_ready",
    ] {
        assert!(!code(free), "{free}");
    }
}

#[test]
fn source_positions_are_for_programmers_and_policy_positions_for_people() {
    let found = |message: &str| {
        let log = format!("error={message}");
        let session = session("evaluate", "not_kept", &[&log], "")
            .case(|case| case.subject.name = "git.sh".into());
        !verdict("PM510", vec![session]).1.is_empty()
    };
    for internal in [
        "Traceback (most recent call last):",
        "KeyError at File \"/x/git.py\", line 12, in evaluate",
        "/x/git.rb:12:in `evaluate'",
        "error in git.py:12",
        "./git.sh: line 7: git: command not found",
        "bash: line 3: x: not found",
        "mod.sh: line 12: x: command not found",
        "./git.sh: 7: git: not found",
        "Cannot clone: git.sh: line 7: git: command not found",
        "died at /usr/lib/x.pl line 12.",
        "thread 'main' panicked at src/main.rs:12:5",
        "   at evaluate (/x/git.js:12:5)",
        "goroutine 1 [running]:",
        "got {\"operation\": \"evaluate_promise\"}",
        "got operation=terminate",
    ] {
        assert!(found(internal), "{internal}");
    }
    for plain in [
        "no route to host example.rs:443",
        "http://example.py:80/ is down",
        "the file has an error at line 12",
        "git.sh: no route to host",
        "git.sh: error: no route to host",
        "mod.sh: cannot clone '/x': no route to host",
        "git.sh: line 12 of /etc/hosts is wrong",
        "git.sh: 404: not found",
        "wrong mode (/p.cf:1)",
        "mode is wrong in policy.cf:17",
        "10:30:12 too late",
        "cannot operate: no operation given",
        "listens at (::1)",
    ] {
        assert!(!found(plain), "{plain}");
    }
    let debug = session(
        "evaluate",
        "kept",
        &["debug=Traceback (most recent call last):"],
        "",
    );
    assert_eq!(broken(&debug), [""; 0]);
    let asked = request("validate", "/x/a.py:12", "{}");
    let copied = dialogue(
        "json",
        &[
            ("→ v:e1", &asked),
            (
                "←",
                &reply("validate", "invalid", &["error=no /x/a.py:12"], ""),
            ),
        ],
    );
    assert_eq!(broken(&copied), [""; 0], "the promiser may be quoted");
}

#[test]
fn control_characters_of_the_promise_are_quoted_or_an_advice() {
    let session = |value: &str, message: &str| {
        let asked = request("validate", "/x", &format!(r#"{{"mode":"{value}"}}"#));
        let list = format!(r#","log":[{{"level":"error","message":"{message}"}}]"#);
        let answered = reply("validate", "invalid", &[], &list);
        dialogue("json", &[("→ v:e1", &asked), ("←", &answered)])
    };
    let told = |value: &str, message: &str| {
        let (_, found) = verdict("PM509", vec![session(value, message)]);
        found.first().map(|one| (one.level, one.message.clone()))
    };
    // Newer agents send a character for each byte, and some of these are control characters.
    let bytes = session(r"\u00c3\u009f", r"no mode '\u00c3\u009f'");
    assert_eq!(
        verdict("PM509", vec![bytes.clone().sent_by("3.28.0")]).1,
        []
    );
    assert_eq!(verdict("PM509", vec![bytes]).1.len(), 1);
    let escape = session(r"a\u001bb", r"no mode 'a\u001bb'").sent_by("3.28.0");
    assert_eq!(verdict("PM509", vec![escape]).1.len(), 1);
    let copied = told(r"a\u001b[31mb", r"no mode 'a\u001b[31mb'");
    let message = "a log message copies the control character `U+001B` (ESC) of attribute `mode`: \
                   `no mode 'a\\u{1b}[31mb'`";
    assert_eq!(copied, Some((Level::May, message.to_owned())));
    for control in [r"\u0007", r"\r", r"\n", r"\u007f", r"\u009b"] {
        let value = format!("a{control}");
        let (level, _) = told(&value, &format!("no '{value}'")).expect(control);
        assert_eq!(level, Level::May, "{control}");
    }
    // Quoted, as a tab, or only by chance the same character.
    for (value, message) in [
        (r"a\u001b", r"no 'a\\x1b'"),
        (r"a\u001b", r#"no \"a\\u001b\""#),
        (r"a\tb", r"no 'a\tb'"),
        (r"a\nb", r"git failed:\nnothing"),
    ] {
        assert_eq!(told(value, message), None, "{message}");
    }
    // The module's own.
    let own = told("ab", r"no \u001b[31mab").expect("a finding");
    assert_eq!(own.0, Level::Should);
}

#[test]
fn a_control_character_of_a_promiser_fails_in_the_line_protocol() {
    let told = |log: &str| {
        let asked = "operation=validate_promise\npromiser=/x\u{1b}[31m\n";
        let answered = format!("{log}\noperation=validate_promise\nresult=invalid\n");
        messages(
            "PM509",
            vec![dialogue("line", &[("→ v:e1", asked), ("←", &answered)])],
        )
    };
    let copied = "a log message copies the control character `U+001B` (ESC) of the promiser: \
                  `no /x\\u{1b}[31m`";
    assert_eq!(told("log_error=no /x\u{1b}[31m"), [copied]);
    assert_eq!(told("log_error=no '/x'$'\\033''[31m'"), [""; 0]);
}

#[test]
fn standard_error_is_judged_in_normal_work_alone() {
    let noisy = session("validate", "valid", &[], "").then(&[("err", "DeprecationWarning\n")]);
    let (_, findings) = verdict("PM511", vec![noisy.clone()]);
    assert_eq!(findings[0].level, Level::May);
    assert_eq!(broken(&noisy), ["PM511"]);
    let rejected = session("validate", "invalid", &["error=x"], "").then(&[("err", "x\n")]);
    assert_eq!(broken(&rejected), [""; 0]);
    let changed = noisy.about(crate::common::variant("e1", "drop", "mode"));
    assert_eq!(verdict("PM511", vec![changed]), (0, Vec::new()));
    let early = dialogue("json", &[("raw", "")])
        .with(|t| Event::Err {
            t,
            process: 0,
            data: "warning\n".into(),
        })
        .then(&[
            ("→ header", "cf-agent 3.21.0 v1"),
            ("<-", "m 1 v1 json_based\n\n"),
        ])
        .about(promise("e1"));
    assert_eq!(broken(&early), ["PM511"]);
}

#[test]
fn long_evaluations_log_while_they_run() {
    let asked = request("evaluate", "/x", "{}");
    let start = || dialogue("json", &[("→ e:e1", &asked)]);
    let object = answer("evaluate", "repaired", "") + "\n\n";
    let lines = "log_info=a\nlog_info=b\n";
    let held = start()
        .pause(800_000)
        .then(&[("<-", &format!("{lines}{object}"))]);
    assert_eq!(broken(&held), ["PM515"]);
    let list = r#","log":[{"level":"info","message":"a"},{"level":"verbose","message":"b"}]"#;
    let inside = answer("evaluate", "repaired", list) + "\n\n";
    assert_eq!(
        broken(&start().pause(800_000).then(&[("<-", &inside)])),
        ["PM515"]
    );
    let streamed = start()
        .pause(100_000)
        .then(&[("<-", "log_info=a\n")])
        .pause(700_000)
        .then(&[("<-", &format!("log_info=b\n{object}"))]);
    assert_eq!(broken(&streamed), [""; 0]);
    assert_eq!(verdict("PM515", vec![streamed]).0, 1);
    let quick = start().then(&[("<-", &format!("{lines}{object}"))]);
    assert_eq!(verdict("PM515", vec![quick]), (0, Vec::new()));
}

#[test]
fn findings_on_input_beyond_the_agent_are_advice() {
    let session = dialogue(
        "json",
        &[
            ("!→ v:e1", &request("validate", "/x", "{}")),
            ("←", &answer("validate", "invalid", "")),
        ],
    );
    let (_, findings) = verdict("PM502", vec![session]);
    assert_eq!(findings[0].level, Level::May);
}

#[test]
fn an_answer_of_another_operation_is_not_judged_as_its_own() {
    let session = dialogue(
        "json",
        &[
            ("→ terminate", r#"{"operation":"terminate"}"#),
            (
                "←",
                &reply(
                    "evaluate",
                    "repaired",
                    &["info=x"],
                    r#","result_classes":["a"]"#,
                ),
            ),
        ],
    );
    assert_eq!(broken(&session), [""; 0]);
}

#[test]
fn a_log_message_has_values_and_not_places_for_them() {
    let told = |log: &str, value: &str| {
        let asked = request("evaluate", "/x", &format!(r#"{{"mode":"{value}"}}"#));
        let answered = reply("evaluate", "not_kept", &[log], "");
        let session = dialogue("json", &[("→ e:e1", &asked), ("←", &answered)]);
        let (_, found) = verdict("PM512", vec![session]);
        found.first().map(|one| (one.level, one.message.clone()))
    };
    let message = "a log message has `{}` in place of a value: `Cannot write '{}'`";
    assert_eq!(
        told("error=Cannot write '{}'", "0644"),
        Some((Level::May, message.to_owned()))
    );
    assert!(told("error=No mode {mode}", "0644").is_some());
    assert!(told("error=No mode 'None'", "0644").is_some());
    // It is for programmers, or comes from the promise.
    assert_eq!(told("debug=Cannot write '{}'", "0644"), None);
    assert_eq!(told("error=Cannot write '{}'", "a {} b"), None);
    assert_eq!(told("error=No mode {mode}", "{mode}"), None);
    assert_eq!(told("error=No mode 'None'", "None"), None);
    // A promise without attributes may be shown as an empty object.
    let empty = dialogue(
        "json",
        &[
            ("→ e:e1", &request("evaluate", "/x", "{}")),
            ("←", &reply("evaluate", "not_kept", &["error=No '{}'"], "")),
        ],
    );
    assert_eq!(verdict("PM512", vec![empty]).1, []);
}

#[test]
fn a_text_of_the_examples_setup_or_of_a_file_may_appear_in_a_log() {
    let session = |content: &str| {
        let asked = request("evaluate", "/x", r#"{"mode":"0644"}"#);
        let answered = reply("evaluate", "repaired", &["info=Replaced '{name}'"], "");
        let begun = dialogue("json", &[("observe", ""), ("→ e:e1", &asked)]);
        let session = begun.then(&[("←", &answered)]);
        session.effects(vec![crate::common::changed("a", content, "b")])
    };
    assert_eq!(verdict("PM512", vec![session("x")]).1.len(), 1);
    assert_eq!(verdict("PM512", vec![session("a {name} b")]).1, []);
    let named = session("x").case(|case| case.items[0].description = Some("with {name}".into()));
    assert_eq!(verdict("PM512", vec![named]).1, []);
}

#[test]
fn a_message_is_not_refused_without_a_word() {
    let told = |key: &str, sent: &str, logs: &[&str]| {
        let answered = reply("terminate", "error", logs, "").replace("terminate", "unknown");
        let session = dialogue("json", &[(key, sent), ("←", &answered)]);
        let (_, found) = verdict("PM505", vec![session]);
        found.first().map(|one| (one.level, one.message.clone()))
    };
    let unknown = |logs: &[&str]| {
        let sent = r#"{"operation":"stickler_unknown_operation"}"#;
        told("?→ unknown-operation", sent, logs)
    };
    let broken = |logs: &[&str]| told("?→ broken:cut-off", "{", logs);
    let message = |what: &str| {
        let text = format!("{what} is answered `error` without a log message that says why");
        Some((Level::May, text))
    };
    assert_eq!(unknown(&[]), message("an unknown operation"));
    assert_eq!(unknown(&["info=hm"]), message("an unknown operation"));
    assert_eq!(broken(&[]), message("a broken message"));
    for log in ["critical=no such operation", "error=not readable"] {
        assert_eq!(unknown(&[log]), None, "{log}");
        assert_eq!(broken(&[log]), None, "{log}");
    }
}

#[test]
fn the_late_end_of_an_answer_to_a_broken_message_is_no_answer_to_the_next() {
    let begun = [
        ("?→ broken:empty", ""),
        ("<-", "log_critical=The message is empty\n"),
        ("→ v:e1", &validate("/x")[..]),
    ];
    let told = |operation: &str| {
        let end = format!(r#"{{"operation":"{operation}","result":"error"}}"#);
        let session = dialogue("json", &begun).then(&[("←", &end)]);
        messages("PM505", vec![session])
    };
    assert_eq!(told("error"), [""; 0]);
    assert_eq!(told("validate_promise").len(), 1);
}
