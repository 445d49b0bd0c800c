//! The rules for headers, PM101 to PM110.

use crate::common::{Dialogue, answer, dialogue, messages, request, verdict};
use cfengine_protocol::rules::RULES;
use stickler_transcript::{Event, Level, Silence};

const AGENT: &str = "cf-agent 3.21.0 v1";

/// A session of a header alone: these bytes answer it.
fn header(answer: &str) -> Dialogue {
    dialogue("json", &[("→ header", AGENT), ("<-", answer)])
}

fn offered(header: &str, answer: &str) -> Dialogue {
    dialogue("json", &[("→ header", header), ("<-", answer)])
}

fn silent(dialogue: Dialogue) -> Dialogue {
    dialogue.then(&[("silent", "")])
}

/// The codes of the header rules that this session breaks.
fn broken(dialogue: &Dialogue) -> Vec<&'static str> {
    RULES
        .iter()
        .map(|rule| rule.code)
        .filter(|code| code.starts_with("PM1") || code.starts_with("PM2"))
        .filter(|code| !verdict(code, vec![dialogue.clone()]).1.is_empty())
        .collect()
}

#[test]
fn a_plain_header_breaks_nothing_and_is_judged_by_all_form_rules() {
    for plain in [
        "module 0.0.1 v1 json_based\n\n",
        "module 0.0.1 v1 line_based action_policy\n\n",
        "module 0.0.1 v1 action_policy json_based\n\n",
    ] {
        assert_eq!(broken(&header(plain)), [""; 0], "{plain:?}");
        for code in [
            "PM101", "PM102", "PM103", "PM104", "PM105", "PM106", "PM107", "PM108",
        ] {
            assert_eq!(verdict(code, vec![header(plain)]).0, 1, "{code}");
        }
    }
}

#[test]
fn each_defect_breaks_its_rule_alone() {
    let cases = [
        ("module 1 v1 json_based\nready\n\n", "PM101"),
        ("module 1 v1 json_based\n\n\n", "PM101"),
        ("module 1 v1\n\n", "PM102"),
        ("module 1 json_based\n\n", "PM102"),
        ("module\n\n", "PM102"),
        ("module  1 v1 json_based\n\n", "PM102"),
        ("module  v1 json_based action_policy\n\n", "PM102"),
        (" module 1 v1 json_based\n\n", "PM102"),
        ("module 1 v1 json_based \n\n", "PM102"),
        ("module 1 v2 json_based\n\n", "PM103"),
        ("module 1 banana json_based\n\n", "PM103"),
        ("module 1 v1 action_policy\n\n", "PM104"),
        ("module 1 v1 JSON_based\n\n", "PM104"),
        ("module 1 v1 json_based line_based\n\n", "PM104"),
        ("module 1 v1 json_based json_based\n\n", "PM105"),
        ("module 1 v1 json_based action-policy\n\n", "PM105"),
        ("Loading...\nmodule 1 v1 json_based\n\n", "PM107"),
        ("Welcome\n\nmodule 1 v1 json_based\n\n", "PM107"),
        ("\nmodule 1 v1 json_based\n\n", "PM107"),
        ("module 1 v1 json_based\r\n\r\n", "PM108"),
        ("module 1 v1 json_based\r\n\n", "PM108"),
        ("\u{feff}module 1 v1 json_based\n\n", "PM108"),
        ("module\t1\tv1\tjson_based\n\n", "PM108"),
        ("module 1 v1 json_based\0\n\n", "PM108"),
    ];
    for (answer, code) in cases {
        assert_eq!(broken(&header(answer)), [code], "{answer:?}");
    }
}

#[test]
fn doubtful_forms_are_no_more_than_should() {
    for (answer, code) in [
        ("module 1 v1 json_based line_based\n\n", "PM104"),
        ("module 1 v1 json_based \n\n", "PM102"),
    ] {
        let (_, findings) = verdict(code, vec![header(answer)]);
        assert_eq!(findings[0].level, Level::Should, "{answer:?}");
    }
}

#[test]
fn a_header_without_its_empty_line_breaks_one_rule() {
    for answer in ["module 1 v1 json_based\n", "module 1 v1 json_based"] {
        assert_eq!(broken(&silent(header(answer))), ["PM101"], "{answer:?}");
    }
}

#[test]
fn no_header_is_late_from_a_living_process_and_missing_from_a_dead_one() {
    assert_eq!(
        broken(&silent(dialogue("json", &[("→ header", AGENT)]))),
        ["PM106"]
    );
    let dead = dialogue("json", &[("→ header", AGENT), ("exit", "1")]);
    assert_eq!(broken(&dead), ["PM101"]);
    let usage = dialogue(
        "json",
        &[("→ header", AGENT), ("<-", "usage: x\n"), ("exit", "2")],
    );
    assert_eq!(broken(&usage), ["PM101"]);
    let killed = dialogue("json", &[("→ header", AGENT), ("kill", "")]);
    assert_eq!(broken(&killed), [""; 0]);
}

#[test]
fn a_header_at_the_end_of_input_was_not_flushed() {
    let late = dialogue("json", &[("→ header", AGENT)])
        .with(|t| Event::Silent {
            t,
            process: 0,
            why: Silence::Deadline,
            waited_us: 2_000_000,
        })
        .then(&[
            ("close", ""),
            ("<-", "module 1 v1 json_based\n\n"),
            ("kill", ""),
        ]);
    assert_eq!(broken(&late), ["PM106"]);
}

#[test]
fn a_header_before_the_agents_own_is_accepted() {
    let early = dialogue(
        "json",
        &[
            ("raw", ""),
            ("<-", "module 1 v1 json_based\n\n"),
            ("→ header", AGENT),
        ],
    );
    assert_eq!(broken(&early), [""; 0]);
    assert_eq!(verdict("PM106", vec![early]).0, 1);
}

#[test]
fn another_agents_header_is_refused_in_its_own_rules_alone() {
    let refused = |line| dialogue("json", &[("→ header", line), ("exit", "1")]);
    for line in ["cf-agent 3.7.0 v1", "cf-agent 3.21.0a.1b2 v1"] {
        assert_eq!(broken(&refused(line)), ["PM109"], "{line}");
    }
    for line in ["mgmt 0.1 v1", "cf-agent 4.0.0 v1", "cf-agent 3.21.0 v9"] {
        assert_eq!(broken(&refused(line)), ["PM110"], "{line}");
    }
}

#[test]
fn offered_a_later_protocol_a_module_answers_its_own() {
    let sound = offered("cf-agent 3.21.0 v9", "module 1 v1 json_based\n\n");
    assert_eq!(verdict("PM110", vec![sound.clone()]), (1, Vec::new()));
    assert_eq!(broken(&sound), [""; 0]);
    let later = offered("cf-agent 3.21.0 v9", "module 1 v2 json_based\n\n");
    assert_eq!(broken(&later), [""; 0], "it may speak v2 already");
    let echo = offered("cf-agent 3.21.0 v9", "module 1 v9 json_based\n\n");
    assert_eq!(broken(&echo), ["PM110"]);
}

#[test]
fn a_module_that_never_answers_is_not_blamed_for_versions() {
    let dead = |line| dialogue("json", &[("→ header", line), ("exit", "1")]);
    let group = || {
        vec![
            dead(AGENT).member("header", "baseline"),
            dead("cf-agent 3.7.0 v1").member("header", "version-3.7.0"),
        ]
    };
    assert_eq!(verdict("PM109", group()), (0, Vec::new()));
    let sound = |line, member| {
        offered(line, "module 1 v1 json_based\n\n")
            .then(&[
                ("→ v:e1", &request("validate", "/x", "{}")),
                ("←", &answer("validate", "valid", "")),
            ])
            .member("header", member)
    };
    let (passes, findings) = verdict(
        "PM109",
        vec![
            sound(AGENT, "baseline"),
            sound("cf-agent 3.24.3 v1", "version-3.24.3"),
            dead("cf-agent 3.7.0 v1").member("header", "version-3.7.0"),
        ],
    );
    assert_eq!((passes, findings.len()), (1, 1));
}

#[test]
fn header_findings_quote_the_offending_text() {
    assert_eq!(
        messages("PM104", vec![header("module 1 v1 jsonbased\n\n")]),
        ["neither `json_based` nor `line_based` is among the flags `jsonbased`"]
    );
    assert_eq!(
        messages("PM101", vec![header("module 1 v1 json_based\nready\n\n")]),
        ["another line instead of the empty line after the header: `ready`"]
    );
}
