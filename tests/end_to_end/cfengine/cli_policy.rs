//! `stickler policy`, end to end.

use crate::cli::{Folder, json_lines};

const SOUND: &str = "\
promise agent git { path => \"/x/git.py\"; interpreter => \"/usr/bin/python3\"; }
bundle agent main
{
  git:
      \"/opt/x\" repo => \"here\";

  reports:
    linux::
      \"done\";

  vars:
      \"a\" string => \"b\";
}
bundle common facts
{
  vars:
      \"c\" string => \"d\";
}
";

const WRONG: &str = "\
bundle agent main
{
  vars:
      \"x\" slist => \"y\";

  files:
      \"/x\" nope => \"y\";
}
";

fn folder() -> Folder {
    let folder = Folder::empty();
    folder.write("sound.cf", SOUND);
    folder.write("wrong.cf", WRONG);
    folder.write("broken.cf", "bundle agent main\n{\n  vars\n}\n");
    folder.write(
        "inputs.cf",
        "body common control\n{\n  inputs => { \"sound.cf\", \"gone.cf\" };\n}\n",
    );
    folder
}

#[test]
fn sound_policies_are_accepted() {
    let folder = folder();
    let done = folder.run(&["policy", "check", "sound.cf"]);
    done.exits(0).says("sound.cf: accepted");
}

#[test]
fn wrong_policies_are_rejected_with_their_places() {
    let folder = folder();
    folder
        .run(&["policy", "check", "sound.cf", "wrong.cf", "broken.cf"])
        .exits(1)
        .says("sound.cf: accepted")
        .says("wrong.cf:4:20: error: expected a list in braces, found a single value")
        .says("4 |       \"x\" slist => \"y\";\n  |                    ^^^")
        .says("wrong.cf:7:12: error: promises of the type `files` have no such attribute")
        .says("wrong.cf: rejected, 2 errors")
        .says("broken.cf:3:3: error: expected a promise, a promise type with a colon or `}`, found `vars`");
}

#[test]
fn versions_that_take_a_policy_otherwise_are_named() {
    let folder = folder();
    let control = "body common control { evaluation_order => \"top_down\"; }\n";
    folder.write("ordered.cf", &format!("{control}{SOUND}"));
    let dotted = SOUND.replace("repo =>", "repo.url =>");
    folder.write("dotted.cf", &dotted);
    let check = |version: &str, exit: i32, last: &str| {
        let done = folder.run(&["policy", "check", "--compat", version, "ordered.cf"]);
        assert_eq!(done.exits(exit).stdout.lines().last(), Some(last));
    };
    check(
        "3.21.0",
        1,
        "ordered.cf: rejected, 1 error (cf-agent 3.21.0; 3.27.1 and later accept it)",
    );
    check(
        "3.24",
        1,
        "ordered.cf: rejected, 1 error (cf-agent 3.24.4; 3.27.1 and later accept it)",
    );
    check(
        "3.27",
        0,
        "ordered.cf: accepted (cf-agent 3.27.1; 3.21.0 and 3.24.4 reject it)",
    );
    check("spec", 0, "ordered.cf: accepted");
    let done = folder.run(&[
        "policy",
        "check",
        "--compat",
        "3.28.0",
        "--format",
        "json",
        "dotted.cf",
    ]);
    let lines = json_lines(done.exits(0));
    assert_eq!(lines[0]["compat"], "3.28.0");
    assert_eq!(lines[0]["accepted_by"], serde_json::json!(["3.28.0"]));
    let done = folder.run(&["policy", "check", "--format", "json", "sound.cf"]);
    let lines = json_lines(done.exits(0));
    assert_eq!(lines[0]["accepted_by"].as_array().map(Vec::len), Some(4));
}

#[test]
fn missing_inputs_reject_and_missing_files_are_usage() {
    let folder = folder();
    folder
        .run(&["policy", "check", "inputs.cf"])
        .exits(1)
        .says("inputs.cf:3:27: error: the input `./gone.cf` can't be read");
    folder.run(&["policy", "check", "gone.cf"]).exits(2);
    folder.run(&["policy", "check"]).exits(2);
}

#[test]
fn machines_read_json_lines() {
    let folder = folder();
    let done = folder.run(&["policy", "check", "--format", "json", "wrong.cf"]);
    done.exits(1);
    let lines = json_lines(&done);
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["event"], "error");
    assert_eq!(lines[0]["line"], 4);
    assert_eq!(lines[0]["source"], "      \"x\" slist => \"y\";");
    assert_eq!(lines[2]["accepted"], false);
    assert_eq!(lines[3]["rejected"], 1);
}

#[test]
fn the_normal_order_marks_differences_from_the_specification() {
    let folder = folder();
    folder
        .run(&["policy", "order", "--component", "edit_line"])
        .exits(0)
        .says("   1  meta                specification only")
        .says("   5  delete_lines\n");
    let done = folder.run(&[
        "policy",
        "order",
        "--component",
        "server",
        "--format",
        "json",
    ]);
    done.exits(0);
    let lines = json_lines(&done);
    assert_eq!(lines[0]["promise_type"], "meta");
    assert_eq!(lines[0]["specification"], false);
    assert_eq!(lines[4]["promise_type"], "access");
    folder
        .run(&["policy", "order", "--component", "nobody"])
        .exits(2);
}

#[test]
fn a_policy_is_lined_up() {
    let folder = folder();
    let done = folder.run(&["policy", "order", "--component", "agent", "sound.cf"]);
    done.exits(0).says(
        "bundle common facts: vars\n  \"c\"  sound.cf:17:7\n\
         bundle agent main: vars\n  \"a\"  sound.cf:12:7\n\
         bundle agent main: reports\n  linux:: \"done\"  sound.cf:9:7\n\
         bundle agent main: git (custom)\n  \"/opt/x\"  sound.cf:5:7\n",
    );
    folder
        .run(&["policy", "order", "--component", "agent", "wrong.cf"])
        .exits(1)
        .says("wrong.cf:4:20: error");
}

#[test]
fn deep_and_hostile_texts_end_in_an_error() {
    let folder = folder();
    folder.write("deep.cf", &"(".repeat(100_000));
    let nested = format!("body a b {{ c => {}; }}", "f(".repeat(100_000));
    folder.write("nested.cf", &nested);
    folder.write("escape.cf", "bundle agent main { \u{1b}[31m }");
    let done = folder.run(&["policy", "check", "deep.cf", "nested.cf", "escape.cf"]);
    done.exits(1).says("nested.cf: rejected, 1 error");
    assert!(!done.stdout.contains('\u{1b}'));
}

/// A policy with an input that only an evaluation can determine.
const COMPUTED: &str = "\
bundle common g
{
  vars:
      \"files\" slist => splitstring(\"extra.cf\", \",\", 9);
}
body common control
{
  bundlesequence => { \"main\" };
  inputs => { @(g.files) };
}
bundle agent main
{
  methods:
      \"x\" usebundle => extra;
}
";

#[test]
fn inputs_that_an_evaluation_tells_are_followed() {
    let folder = Folder::empty();
    folder.write("computed.cf", COMPUTED);
    folder.write(
        "extra.cf",
        "bundle agent extra\n{\n  reports:\n      \"x\";\n}\n",
    );
    folder
        .run(&["policy", "check", "computed.cf"])
        .exits(0)
        .says("computed.cf: accepted")
        .says_not("note");
    folder.write("extra.cf", "bundle agent extra\n{\n  reports\n}\n");
    folder
        .run(&["policy", "check", "computed.cf"])
        .exits(1)
        .says("extra.cf:3:3: error: expected a promise")
        .says("computed.cf: rejected, 1 error");
    let done = folder.run(&["policy", "check", "--format", "json", "computed.cf"]);
    let lines = json_lines(done.exits(1));
    assert_eq!(lines[0]["event"], "error");
    assert_eq!(lines[1]["accepted"], false);
}

#[test]
fn policy_check_evaluates_functions_that_start_no_programs() {
    let folder = Folder::empty();
    let write = |name: &str, value: &str| {
        let text = format!("bundle agent other\n{{\n  vars:\n      \"x\" {value};\n}}\n");
        folder.write(name, &text);
    };
    write("failing.cf", "string => length(\"nosuch\")");
    write("number.cf", "data => '[1E5]'");
    write("itself.cf", "string => \"$(y)\"; \"y\" string => \"$(x)\"");
    write(
        "program.cf",
        "slist => execresult(\"/bin/touch made\", \"noshell\")",
    );
    folder
        .run(&["policy", "check", "failing.cf", "number.cf", "itself.cf"])
        .exits(1)
        .says("declared type 'string' but function 'length' returns type 'int'")
        .says("failing.cf: rejected, 1 error")
        .says("on '1E5'")
        .says("number.cf: rejected, 1 error")
        .says("contains itself indirectly")
        .says("itself.cf: rejected, 1 error");
    let done = folder.run(&["policy", "check", "program.cf"]);
    done.exits(0).says("program.cf: accepted");
}
