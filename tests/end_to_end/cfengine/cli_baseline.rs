//! `stickler check --baseline`, end to end.

use crate::cli::{Folder, MODULE};

const CHECK: [&str; 4] = ["check", "--quick", "--select", "PM203"];

#[test]
fn baseline_adds_failures_and_keeps_the_rest_of_the_file() {
    let folder = Folder::noisy();
    let before = folder.read("stickler.toml");
    folder
        .run(&[&CHECK[..], &["--baseline"]].concat())
        .exits(0)
        .says("1 known failure written");
    let after = folder.read("stickler.toml");
    assert!(after.starts_with(&before), "{after}");
    assert!(
        after.contains("[[xfail]]\nrule = \"PM203\"\nreason = \"known since 20"),
        "{after}"
    );
    folder.run(&CHECK).exits(0).says("1 xfail");
    // A known failure is not written twice.
    folder
        .run(&[&CHECK[..], &["--baseline"]].concat())
        .exits(0)
        .says("no new failures");
    assert_eq!(folder.read("stickler.toml"), after);
    // Once the failure is fixed, the entry must be removed. Only a whole run can tell.
    folder.write("message.py", MODULE);
    folder.run(&CHECK).exits(0).says("1 passed");
    folder
        .run(&["check", "--sandbox", "overlay"])
        .exits(1)
        .says("PM203")
        .says("it passed; remove the xfail (known since 20");
    // A new baseline does not hide that.
    let stale = folder.read("stickler.toml");
    folder
        .run(&["check", "--sandbox", "overlay", "--baseline"])
        .exits(1)
        .says("PM203: expected to fail, but it passed; remove the xfail")
        .says("the next check still fails (PM203)");
    assert!(folder.read("stickler.toml").starts_with(&stale));
}

#[test]
fn a_known_failure_that_a_partial_run_misses_is_no_surprise() {
    let folder = Folder::noisy();
    folder.run(&["check", "--baseline"]).exits(0);
    folder.run(&["check"]).exits(0).says("xfail");
    for part in [
        &["--quick"][..],
        &["--shard", "1/3"],
        &["--shard", "2/3"],
        &["--shard", "3/3"],
        &["--select", "PM804"],
        &["--sandbox", "copy"],
        &["--sandbox", "none"],
    ] {
        folder
            .run(&[&["check"], part].concat())
            .exits(0)
            .says_not("XPASS");
    }
}

#[test]
fn an_expectation_that_has_expired_says_so() {
    let folder = Folder::noisy();
    let text = folder.read("stickler.toml");
    let text = format!(
        "{text}\n[[xfail]]\nrule = \"PM203\"\nreason = \"ticket 12\"\nuntil = \"2020-01-01\"\n"
    );
    folder.write("stickler.toml", &text);
    folder
        .run(&CHECK)
        .exits(1)
        .says("expired 2020-01-01: ticket 12");
}

#[test]
fn an_entry_that_has_expired_is_not_doubled() {
    let folder = Folder::noisy();
    let text = folder.read("stickler.toml");
    let text =
        format!("{text}\n[[xfail]]\nrule = \"PM203\"\nreason = \"soon\"\nuntil = \"2020-01-01\"\n");
    folder.write("stickler.toml", &text);
    folder
        .run(&[&CHECK[..], &["--baseline"]].concat())
        .exits(1)
        .says("expired on 2020-01-01")
        .says("the next check still fails (PM203)");
    assert_eq!(folder.read("stickler.toml"), text);
}

#[test]
fn a_file_that_nothing_can_be_appended_to_is_left_alone() {
    let folder = Folder::noisy();
    let text = format!("xfail = []\n{}", folder.read("stickler.toml"));
    folder.write("stickler.toml", &text);
    folder
        .run(&[&CHECK[..], &["--baseline"]].concat())
        .exits(2)
        .says("write them as [[xfail]] tables");
    assert_eq!(folder.read("stickler.toml"), text);
    assert_eq!(
        folder.list("."),
        [".stickler", "message.py", "stickler.toml"]
    );
}

#[test]
fn without_a_file_there_is_nothing_to_write_into() {
    let folder = Folder::empty();
    folder.write("message.py", MODULE);
    folder
        .run(&[
            "check",
            "message.py",
            "--interpreter",
            "python3",
            "--baseline",
        ])
        .exits(2)
        .says("stickler init MODULE");
}

/// A module that serves two promise types, and prints to standard output for one of them; an example of
/// the sound type, and some of the other.
fn loud(examples: usize) -> Folder {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "    log.append({\"level\": \"info\"",
        "    if promise[\"promise_type\"] == \"loud\":\n        print(\"wrote it\")\n    \
         log.append({\"level\": \"info\"",
    );
    let text = folder.read("stickler.toml");
    let mut text = text.replace(
        "promise_type = \"message\"",
        "promise_types = [\"message\", \"loud\"]",
    );
    for number in 0..examples {
        text.push_str(&format!(
            "\n[[example]]\nname = \"loud {number}\"\npromise_type = \"loud\"\n\
             promiser = \"{{dir}}/loud{number}\"\nattributes = {{ message = \"a\" }}\n"
        ));
    }
    folder.write("stickler.toml", &text);
    folder
}

#[test]
fn an_expectation_is_limited_to_a_kind() {
    let folder = loud(2);
    let sound = folder.read("stickler.toml");
    let with = |kind: &str, list: &str| {
        let entry = format!(
            "{sound}\n[[{list}]]\nrule = \"PM203\"\nreason = \"loud\"\npromise_type = \"{kind}\"\n"
        );
        folder.write("stickler.toml", &entry);
        folder.run(&["check", "--select", "PM203"])
    };
    with("loud", "xfail").exits(0).says("1 xfail");
    with("loud", "waive").exits(0).says("1 waived");
    with("message", "xfail").exits(1).says("PM203");
    with("other", "xfail")
        .exits(2)
        .says("does not serve the promise type \"other\"");
}

#[test]
fn a_baseline_covers_only_the_failing_example_or_type() {
    let check = ["check", "--select", "PM203"];
    for (examples, limit) in [(1, "example = \"loud 0\""), (2, "promise_type = \"loud\"")] {
        let folder = loud(examples);
        let before = folder.read("stickler.toml");
        folder
            .run(&[&check[..], &["--baseline"]].concat())
            .exits(0)
            .says("1 known failure written");
        let after = folder.read("stickler.toml");
        let added = after.strip_prefix(&before).expect("it was appended");
        let lines: Vec<&str> = added.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), 4, "{added}");
        assert_eq!(lines[3], limit);
        folder.run(&check).exits(0).says("1 xfail");
        // The other type has to be quiet still.
        folder.replace("message.py", "== \"loud\"", "!= \"\"");
        folder.run(&check).exits(1).says("PM203");
    }
}
