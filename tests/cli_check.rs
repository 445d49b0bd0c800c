//! `stickler check` and its neighbours, end to end: what has no file of its own.

mod cli;

use cli::Folder;
use std::process::Stdio;

#[test]
fn a_setup_command_that_is_not_there_is_named() {
    let folder = Folder::sound();
    folder.replace(
        "stickler.toml",
        "promiser = ",
        "setup = [[\"no-such-command\", \"{dir}\"]]\npromiser = ",
    );
    folder
        .run(&["check", "--quick"])
        .exits(2)
        .says("for the example \"a new file\": no-such-command ")
        .says("cannot be started: No such file")
        .says_not("--interpreter");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::empty();
    for arguments in [
        &["rules"][..],
        &["explain", "PM203"],
        &["policy", "order", "--component", "agent"],
    ] {
        let mut child = folder
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("stickler starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("stickler ends");
        assert!(output.status.success(), "{arguments:?}: {}", output.status);
        assert_eq!(output.stderr, b"", "{arguments:?}");
    }
}
