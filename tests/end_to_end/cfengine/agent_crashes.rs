//! Answers on which cf-agent 3.21.0 crashes or prints its memory. The reference agent reports this,
//! and continues with the next promise.

use crate::common::{Call, STICKLER};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const CRASH: &str = "cf-agent 3.21.0 would crash here";
const ABORT: &str = "cf-agent 3.21.0 would end its run here, with exit code 255";
const LEAK: &str = "cf-agent 3.21.0 would print what is in its memory here";

/// Reads each message, and answers all but the first `validate_promise` with the given text.
const MODULE: &str = r#"#!/bin/sh
here=$(dirname "$0")
while read -r line && [ -n "$line" ]; do :; done
printf 'odd 1.0 v1 %s\n\n' "$(cat "$here/protocol")"
while read -r line; do
  [ -z "$line" ] && {
    case "$message" in
    *validate*) cat "$here/valid" ;;
    *terminate*) exit 0 ;;
    *) cat "$here/answer" ;;
    esac
    message=
  }
  message="$message$line"
done
"#;

const POLICY: &str = r#"
promise agent odd { path => "$(this.promise_dirname)/module"; }
bundle agent main
{
  odd:
      "first" classes => kept("first");
      "second" classes => kept("second");
  reports:
    second_done:: "the second was taken";
}
body classes kept(name)
{
  promise_kept => { "$(name)_done" };
  repair_failed => { "$(name)_done" };
}
"#;

fn output(folder: &Path, protocol: &str, answer: &str) -> (i32, String) {
    let valid = match protocol {
        "json_based" => "{\"operation\":\"validate_promise\",\"result\":\"valid\"}\n\n",
        _ => "operation=validate_promise\nresult=valid\n\n",
    };
    let files = [
        ("module", MODULE, 0o755),
        ("p.cf", POLICY, 0o600),
        ("protocol", protocol, 0o600),
        ("valid", valid, 0o600),
        ("answer", &format!("{answer}\n\n"), 0o600),
    ];
    for (name, content, mode) in files {
        let path = folder.join(name);
        fs::write(&path, content).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
    }
    let done = Call::of(STICKLER)
        .args(["agent", "--compat", "3.21.0", "-K", "-f", "./p.cf"])
        .args(["--deadline", "20"])
        .current_dir(folder)
        .output()
        .expect("the agent");
    let code = done.status.code().expect("an exit code");
    (code, String::from_utf8_lossy(&done.stdout).into_owned())
}

fn each_says(protocol: &str, answers: &[&str], said: &str) {
    for answer in answers {
        let folder = tempfile::tempdir().expect("a folder");
        let (code, output) = output(folder.path(), protocol, answer);
        assert_eq!(code, 0, "{answer:.80}: {output}");
        assert_eq!(output.matches(said).count(), 2, "{answer:.80}: {output}");
        assert!(output.contains("R: the second was taken"), "{output}");
    }
}

/// At each of these answers the run ends, as that of cf-agent does.
fn each_ends_the_run(protocol: &str, answers: &[&str]) {
    for answer in answers {
        let folder = tempfile::tempdir().expect("a folder");
        let (code, output) = output(folder.path(), protocol, answer);
        assert_eq!(code, 255, "{answer:.80}: {output}");
        assert_eq!(output.matches(ABORT).count(), 1, "{answer:.80}: {output}");
        assert!(!output.contains("R: the second was taken"), "{output}");
    }
}

#[test]
fn answers_that_are_no_objects() {
    each_says("json_based", &["[1]", "[{}]", "null", "true"], CRASH);
}

#[test]
fn answers_that_are_no_objects_and_do_no_harm() {
    each_says(
        "json_based",
        &["[]", "\"x\"", "3"],
        "did not return a result",
    );
}

#[test]
fn logs_that_are_no_lists() {
    let answers = [
        r#"{"result": "kept", "log": "x"}"#,
        r#"{"result": "kept", "log": null}"#,
        r#"{"result": "kept", "log": 3}"#,
        r#"{"result": "kept", "log": true}"#,
    ];
    each_says("json_based", &answers, CRASH);
}

#[test]
fn log_entries_without_a_level() {
    each_says(
        "json_based",
        &[r#"{"result": "kept", "log": [null]}"#],
        CRASH,
    );
    let answers = [
        r#"{"result": "kept", "log": ["x"]}"#,
        r#"{"result": "kept", "log": [[]]}"#,
        r#"{"result": "kept", "log": [{"message": "x"}]}"#,
        r#"{"result": "kept", "log": [{"level": "loud", "message": "x"}]}"#,
        r#"{"result": "kept", "log": [{"level": null, "message": "x"}]}"#,
        r#"{"result": "kept", "log": [{"level": {}, "message": "x"}]}"#,
    ];
    each_ends_the_run("json_based", &answers);
}

#[test]
fn log_lines_with_unknown_levels_end_the_run() {
    let answers = [
        "log_loud=x\nresult=kept",
        "log_level=info\nresult=kept",
        "log_=x\nresult=kept",
        "log_none=x\nresult=kept",
        "log_nothing=x\nresult=kept",
    ];
    each_ends_the_run("line_based", &answers);
}

#[test]
fn classes_that_are_no_list() {
    let answers = [
        r#"{"result": "kept", "result_classes": "c"}"#,
        r#"{"result": "kept", "result_classes": null}"#,
        r#"{"result": "kept", "result_classes": 1}"#,
    ];
    each_says("json_based", &answers, CRASH);
}

#[test]
fn containers_in_place_of_texts() {
    let answers = [
        r#"{"result": ["kept"]}"#,
        r#"{"result": {}}"#,
        r#"{"result": "kept", "result_classes": [["c"]]}"#,
        r#"{"result": "kept", "result_classes": [{"c": "d"}]}"#,
        r#"{"result": "kept", "log": [{"level": "info", "message": {}}]}"#,
        r#"{"result": "kept", "log": [{"level": "info", "message": ["x"]}]}"#,
    ];
    each_says("json_based", &answers, LEAK);
}

#[test]
fn json_that_is_nested_deep() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let folder = tempfile::tempdir().expect("a folder");
    let (_, output) = output(folder.path(), "json_based", &deep);
    // The rest of the answer counts as the next answer, as after all invalid JSON.
    assert!(output.contains(CRASH), "{output}");
    assert!(output.contains("R: the second was taken"), "{output}");
}
