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
