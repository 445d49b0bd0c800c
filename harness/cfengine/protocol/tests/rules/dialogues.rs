//! Dialogues as the specification tells them, with other names: sound from the
//! first byte to the last, so that no rule has anything to say.

use crate::common::{Dialogue, dialogue, promise};
use cfengine_protocol::Session;
use cfengine_protocol::rules::RULES;
use stickler_judge::{AnySession, judge};
use stickler_transcript::Item;

#[track_caller]
fn silent(name: &str, session: Dialogue) {
    let sessions = [AnySession::new(Session::new(session.build()))];
    let rules: Vec<_> = RULES.iter().collect();
    let ledgers = judge(&rules, &sessions);
    let found: Vec<String> = rules
        .iter()
        .zip(&ledgers)
        .flat_map(|(rule, ledger)| {
            ledger
                .findings
                .iter()
                .map(|finding| format!("{} {}", rule.code, finding.message))
        })
        .collect();
    assert_eq!(found, [] as [&str; 0], "{name}");
    let passed = ledgers
        .iter()
        .filter(|ledger| !ledger.passes.is_empty())
        .count();
    assert!(passed >= 12, "{name}: only {passed} rules were exercised");
}

/// A promise about a directory that is a copy of a repository.
const REPOSITORY: &str =
    r#""promiser": "/srv/www/site", "attributes": {"source": "https://git.example.org/site"}"#;

fn asked(operation: &str) -> String {
    format!(
        r#"{{"operation": "{operation}_promise", "log_level": "info", "promise_type": "checkout", {REPOSITORY}}}"#
    )
}

fn answered(operation: &str, more: &str) -> String {
    format!(r#"{{"operation": "{operation}_promise", {REPOSITORY}, {more}}}"#)
}

const TERMINATE: &str = r#"{"operation": "terminate", "log_level": "info"}"#;
const TERMINATED: &str = r#"{"operation": "terminate", "result": "success"}"#;

#[test]
fn log_lines_come_before_the_answer() {
    let (validate, evaluate) = (asked("validate"), asked("evaluate"));
    let valid = answered("validate", r#""result": "valid""#);
    let repaired = format!(
        "log_info=Copying 'https://git.example.org/site' -> '/srv/www/site'...\n\
         log_info=Copied 'https://git.example.org/site' -> '/srv/www/site'\n{}",
        answered(
            "evaluate",
            r#""result_classes": ["site_copied"], "result": "repaired""#
        )
    );
    silent(
        "log lines",
        dialogue(
            "json",
            &[
                ("→ header", "cf-agent 3.16.0 v1"),
                ("<-", "checkout_module 0.4.2 v1 json_based\n\n"),
                ("→ v:e1", &validate),
                ("←", &valid),
                ("→ e:e1", &evaluate),
                ("←", &repaired),
                ("→ terminate", TERMINATE),
                ("←", TERMINATED),
            ],
        ),
    );
}

#[test]
fn log_messages_stand_inside_the_answer() {
    let (validate, evaluate) = (asked("validate"), asked("evaluate"));
    let valid = answered("validate", r#""log": [], "result": "valid""#);
    let repaired = answered(
        "evaluate",
        r#""log": [{"level": "info", "message": "Copying 'https://git.example.org/site' -> '/srv/www/site'..."}, {"level": "verbose", "message": "The copy has 12 files"}], "result_classes": ["site_copied", "copied_from_git_example_org"], "result": "repaired""#,
    );
    let kept = answered(
        "evaluate",
        r#""log": [{"level": "debug", "message": "At 4a1f"}], "result": "kept""#,
    );
    silent(
        "embedded logs",
        dialogue(
            "json",
            &[
                ("→ header", "cf-agent 3.21.0 v1"),
                (
                    "<-",
                    "checkout_module 0.4.2 v1 json_based action_policy\n\n",
                ),
                ("→ v:e1", &validate),
                ("←", &valid),
                ("→ e:e1", &evaluate),
                ("←", &repaired),
                ("→ e2:e1", &evaluate),
                ("←", &kept),
                ("→ terminate", r#"{"operation":"terminate"}"#),
                ("←", TERMINATED),
            ],
        ),
    );
}

#[test]
fn an_answer_may_hold_operation_and_result_alone() {
    let agent = |operation: &str, source: &str| {
        format!(
            r#"{{"attributes":{{"source":"{source}"}},"filename":"/var/cfengine/inputs/site.cf","line_number":7,"log_level":"notice","operation":"{operation}_promise","promise_type":"checkout","promiser":"/srv/www/site"}}"#
        )
    };
    let (validate, evaluate) = (agent("validate", "x:y"), agent("evaluate", "x:y"));
    let wrong = agent("validate", "");
    let invalid = "log_error='source' must not be empty\n\
                   {\"operation\":\"validate_promise\",\"result\":\"invalid\"}";
    let not_kept = "log_warning=The host of 'x:y' is known by an old name\n\
                    log_error=Cannot copy 'x:y' -> '/srv/www/site': no such host\n\
                    {\"operation\":\"evaluate_promise\",\"result\":\"not_kept\"}";
    silent(
        "short answers",
        dialogue(
            "json",
            &[
                ("→ v:i1", &wrong),
                ("←", invalid),
                ("→ v:e1", &validate),
                ("←", r#"{"operation":"validate_promise","result":"valid"}"#),
                ("→ e:e1", &evaluate),
                ("←", not_kept),
                ("→ terminate", r#"{"operation":"terminate"}"#),
                ("←", TERMINATED),
            ],
        )
        .about(Item {
            invalid: true,
            ..promise("i1")
        }),
    );
}

#[test]
fn a_warn_only_module_announces_its_change_and_breaks_no_rule() {
    let warn = |operation: &str| {
        asked(operation).replace(
            r#""attributes": {"#,
            r#""attributes": {"action_policy": "warn", "#,
        )
    };
    let (validate, evaluate) = (warn("validate"), warn("evaluate"));
    let not_kept = "log_warning=Should copy 'https://git.example.org/site' to '/srv/www/site', but only warning promised\n\
                    {\"operation\": \"evaluate_promise\", \"result\": \"not_kept\"}";
    silent(
        "warnings",
        dialogue(
            "json action_policy",
            &[
                ("→ wv:e1", &validate),
                (
                    "←",
                    r#"{"operation": "validate_promise", "result": "valid"}"#,
                ),
                ("→ we:e1", &evaluate),
                ("←", not_kept),
                ("→ terminate", r#"{"operation":"terminate"}"#),
                ("←", TERMINATED),
            ],
        ),
    );
}

/// A promise about the members of a group of users, line by line.
fn lines(operation: &str) -> String {
    format!(
        "operation={operation}_promise\nlog_level=info\npromise_type=team\npromiser=harbour\n\
         attribute_members=ada,grace,edsger"
    )
}

#[test]
fn line_keys_may_repeat() {
    let (validate, evaluate) = (lines("validate"), lines("evaluate"));
    let repaired = "\
        operation=evaluate_promise\n\
        promiser=harbour\n\
        log_verbose=Still to come: 'ada', 'grace', 'edsger'\n\
        log_info=Account 'ada' made\n\
        log_info='ada' is now in 'harbour'\n\
        log_verbose=Still to come: 'grace', 'edsger'\n\
        log_info=Account 'grace' made\n\
        log_info='grace' is now in 'harbour'\n\
        log_verbose=Still to come: 'edsger'\n\
        log_info=Account 'edsger' made\n\
        log_verbose=Nobody is still to come\n\
        result_classes=accounts_made,harbour_complete\n\
        result=repaired";
    silent(
        "lines",
        dialogue(
            "line",
            &[
                ("→ header", "cf-agent 3.16.0 v1"),
                ("<-", "team_module 2.0 v1 line_based\n\n"),
                ("→ v:e1", &validate),
                (
                    "←",
                    "operation=validate_promise\npromiser=harbour\nattribute_members=ada,grace,edsger\nresult=valid",
                ),
                ("→ e:e1", &evaluate),
                ("←", repaired),
                ("→ e2:e1", &evaluate),
                (
                    "←",
                    "log_verbose=All of 'harbour' are there\noperation=evaluate_promise\nresult=kept",
                ),
                ("→ terminate", "operation=terminate\nlog_level=info"),
                ("←", "operation=terminate\nresult=success"),
            ],
        ),
    );
}

#[test]
fn a_module_may_end_with_its_input() {
    let (validate, evaluate) = (asked("validate"), asked("evaluate"));
    let kept = "log_verbose=The copy is there\n{\"operation\": \"evaluate_promise\", \"result\": \"kept\"}";
    silent(
        "end of input",
        dialogue(
            "json",
            &[
                ("→ header", "cf-agent 3.24.3 v1"),
                ("<-", "checkout_module 0.4.2 v1 json_based\n\n"),
                ("→ v:e1", &validate),
                (
                    "←",
                    r#"{"operation": "validate_promise", "result": "valid"}"#,
                ),
                ("→ e:e1", &evaluate),
                ("←", kept),
            ],
        ),
    );
}
