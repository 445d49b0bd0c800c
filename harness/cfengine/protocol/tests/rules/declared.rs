//! PM407, PM408: what the author declared holds, or does not.

use crate::common::{Dialogue, file, messages, simple, verdict};
use stickler_transcript::{Account, Declared, Entry, Event, FileType};

/// After an evaluation with this result, this was found where that was declared.
fn verified(
    result: &str,
    declared: Declared,
    found: Option<Entry>,
    failed: Option<&str>,
) -> Dialogue {
    simple("valid", result).with(|t| Event::Verified {
        t,
        key: stickler_transcript::Key::parse("e:e1"),
        declared: Box::new(declared),
        found: found.map(Box::new),
        failed: failed.map(str::to_owned),
    })
}

fn creates(mode: Option<u32>, owner: Option<u32>, content: Option<&str>) -> Declared {
    Declared::Creates {
        path: "/tmp/stickler/dir/x".into(),
        kind: Some(FileType::File),
        mode,
        owner: owner.map(Account::Number),
        group: owner.map(Account::Number),
        content: content.map(Into::into),
    }
}

#[test]
fn each_declared_part_of_a_file_counts() {
    let all = || creates(Some(0o644), Some(0), Some("a\nb\n"));
    let found =
        |entry: Option<Entry>| messages("PM407", vec![verified("repaired", all(), entry, None)]);
    let other = |change: fn(&mut Entry)| {
        let mut entry = file("a\nb\n");
        change(&mut entry);
        found(Some(entry))
    };
    let says = |what: &str| {
        vec![format!(
            "`repaired`, but `{{dir}}/x` is not as the author declared: {what}"
        )]
    };
    assert_eq!(found(Some(file("a\nb\n"))), Vec::<String>::new());
    assert_eq!(found(None), says("nothing is there"));
    assert_eq!(
        other(|entry| entry.kind = FileType::Directory),
        says("it is a directory instead of a file")
    );
    assert_eq!(
        other(|entry| entry.mode = 0o600),
        says("its mode is 0600 instead of 0644")
    );
    assert_eq!(
        other(|entry| entry.uid = 7),
        says("its owner is 7 instead of 0")
    );
    assert_eq!(
        other(|entry| entry.gid = 7),
        says("its group is 7 instead of 0")
    );
    assert_eq!(
        other(|entry| entry.content = Some("a\nc\n".into())),
        says("it has `c⏎` instead of `b⏎` in line 2")
    );
    // What is not declared does not count.
    let little = verified(
        "kept",
        creates(None, None, None),
        Some(file("anything")),
        None,
    );
    assert_eq!(verdict("PM407", vec![little]), (1, vec![]));
}

#[test]
fn a_path_that_should_be_absent_fails() {
    let absent = || Declared::Absent {
        path: "/tmp/stickler/dir/old".into(),
    };
    let there = verified("kept", absent(), Some(file("x")), None);
    assert_eq!(
        messages("PM407", vec![there]),
        ["`kept`, but `{dir}/old` is not as the author declared: a file is there"]
    );
    assert_eq!(
        verdict("PM407", vec![verified("kept", absent(), None, None)]),
        (1, vec![])
    );
}

#[test]
fn a_declared_command_has_to_succeed() {
    let command = || Declared::Succeeds {
        command: 1,
        words: vec!["test".into(), "-s".into(), "/x".into()],
        deadline_us: 1,
    };
    let failed = verified("repaired", command(), None, Some("exit status 1"));
    assert_eq!(
        messages("PM408", vec![failed]),
        ["`repaired`, but `test -s /x` fails: exit status 1"]
    );
    assert_eq!(
        verdict("PM408", vec![verified("repaired", command(), None, None)]),
        (1, vec![])
    );
}

#[test]
fn other_outcomes_promise_nothing() {
    let command = Declared::Succeeds {
        command: 1,
        words: vec!["false".into()],
        deadline_us: 1,
    };
    let session = verified("not_kept", command, None, Some("exit status 1"));
    assert_eq!(verdict("PM408", vec![session]), (0, vec![]));
    let session = verified("not_kept", creates(None, None, None), None, None);
    assert_eq!(verdict("PM407", vec![session]), (0, vec![]));
}
