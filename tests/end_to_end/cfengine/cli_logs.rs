//! What `stickler check` says about log messages and errors.

use crate::cli::{Folder, Output};
use crate::common::root;

/// Checks a mutant by one rule.
fn check(mutant: &str, rule: &str) -> Output {
    let path = root().join("fixtures/mutants").join(mutant);
    let path = path.display().to_string();
    let promise = ["--promise-type", "file_content", "--promiser", "{dir}/a"];
    let attributes = ["--attribute", "message=hello", "--attribute", "mode=0640"];
    let mut arguments = vec!["check", &path, "--interpreter", "python3"];
    arguments.extend(promise);
    arguments.extend(attributes);
    arguments.extend([
        "--select",
        rule,
        "--verbose",
        "--quick",
        "--sessions",
        "100",
    ]);
    Folder::empty().run(&arguments)
}

#[test]
fn an_escape_sequence_that_reaches_the_log_is_advice() {
    check("PM509/mutant_copied.py", "PM509")
        .exits(0)
        .says("ADVICE PM509  may  ")
        .says("a log message copies the control")
        .says("of the promiser");
}

#[test]
fn a_refusal_without_a_word_is_advice() {
    check("PM505/mutant_silent.py", "PM505")
        .exits(0)
        .says("ADVICE PM505  may  A refused message comes with an explanation")
        .says("an unknown operation is answered `error`");
}

#[test]
fn a_format_that_was_never_filled_in_is_advice() {
    check("PM512/mutant_unfilled.py", "PM512")
        .exits(0)
        .says("ADVICE PM512  may  Log messages have values, and not places for them")
        .says("a log message has `{}`");
}

#[test]
fn each_cause_of_an_error_is_shown_by_itself() {
    check("PM405/mutant_several.py", "PM405")
        .exits(1)
        .says("`mode`, ValueError: the validation is `valid`")
        .says("`message`, KeyError: the validation is `valid`");
}
