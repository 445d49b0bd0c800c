//! `stickler snap`, end to end.

use crate::cli::{self, Folder, Output};
use crate::common::{Call, STICKLER};

const NAME: &str = "snapshots/message_py__a_new_file.snap";
const NEW: &str = "snapshots/message_py__a_new_file.snap.new";

#[test]
fn a_conversation_is_snapshot_as_text() {
    let folder = Folder::sound();
    folder
        .run(&["snap"])
        .exits(1)
        .says("NEW  message_py__a_new_file.snap  example \"a new file\"")
        .says("1 new in snapshots");
    assert!(!folder.exists(NAME));
    let text = folder.read(NEW);
    insta::with_settings!({ snapshot_path => "../../../snapshots/cli" }, {
        insta::assert_snapshot!(text);
    });
    folder
        .run(&["snap", "--accept"])
        .exits(0)
        .says("accepted  message_py__a_new_file.snap");
    assert_eq!(folder.read(NAME), text);
    assert!(!folder.exists(NEW));
    folder.run(&["snap"]).exits(0).says("1 unchanged");
}

#[test]
fn insta_reads_the_snapshots() {
    let folder = Folder::sound();
    folder.run(&["snap", "--accept"]).exits(0);
    let text = folder.read(NAME);
    let body = text.split_once("\n---\n").expect("a header").1;
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder.path().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("message_py__a_new_file", body));
}

#[test]
fn a_change_is_shown_and_left_for_review() {
    let folder = Folder::sound();
    folder.run(&["snap", "--accept"]).exits(0);
    let before = folder.read(NAME);
    folder.replace("message.py", "Wrote the message", "Wrote a message");
    folder
        .run(&["snap"])
        .exits(1)
        .says("CHANGED")
        .says("  -     info: Wrote the message")
        .says("  +     info: Wrote a message")
        .says("stickler snap --review");
    assert_eq!(folder.read(NAME), before);
    assert!(folder.exists(NEW));
    // Once the text is as before, no difference is pending.
    folder.replace("message.py", "Wrote a message", "Wrote the message");
    folder.run(&["snap"]).exits(0);
    assert!(!folder.exists(NEW));
}

#[test]
fn in_ci_nothing_is_written() {
    let folder = Folder::sound();
    folder
        .run_in_ci(&["snap"])
        .exits(1)
        .says("writes nothing in CI");
    assert_eq!(folder.list("snapshots"), [""; 0]);
}

#[test]
fn values_that_vary_between_runs_are_masked() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "\"Wrote the message\"",
        "\"pid %d wrote /tmp/tmp%s at %s in %f s\" % (os.getpid(), os.urandom(4).hex(), \
         __import__('datetime').datetime.now(), int.from_bytes(os.urandom(3), 'big') / 7)",
    );
    folder.run(&["snap", "--accept"]).exits(0);
    let text = folder.read(NAME);
    assert!(
        text.contains("info: pid […] wrote /tmp/[…] at […] in […] s"),
        "{text}"
    );
    for _ in 0..3 {
        folder.run(&["snap"]).exits(0);
    }
}

#[test]
fn an_authors_own_dates_stay() {
    let folder = Folder::sound();
    folder.replace("stickler.toml", "\"hello\"", "\"since 2024-02-29\"");
    folder.run(&["snap", "--accept"]).exits(0);
    assert!(folder.read(NAME).contains("message = since 2024-02-29"));
}

#[test]
fn secrets_never_reach_a_snapshot() {
    let folder = Folder::sound();
    folder.replace(
        "stickler.toml",
        "path =",
        "sensitive = [\"message\"]\npath =",
    );
    folder.replace("stickler.toml", "\"hello\"", "\"hunter2-hunter2\"");
    folder.run(&["snap", "--accept"]).exits(0);
    let text = folder.read(NAME);
    assert!(
        !text.contains("hunter2") && text.contains("message = REDACTED"),
        "{text}"
    );
}

#[test]
fn a_promise_that_is_rejected_is_snapshot_too() {
    let folder = Folder::sound();
    let text = folder.read("stickler.toml");
    folder.write(
        "stickler.toml",
        &format!("{text}\n[[invalid]]\nname = \"no message\"\npromiser = \"{{dir}}/x\"\n"),
    );
    folder.run(&["snap", "--accept"]).exits(0);
    let text = folder.read("snapshots/message_py__no_message.snap");
    assert!(
        text.contains("error: Attribute 'message' is missing"),
        "{text}"
    );
    assert!(!text.contains("evaluate_promise"), "{text}");
}

#[test]
fn a_snapshot_that_no_example_has_is_stale() {
    let folder = Folder::sound();
    folder.run(&["snap", "--accept"]).exits(0);
    folder.write("snapshots/other_module__x.snap", "---\n---\nx\n");
    folder.replace("stickler.toml", "a new file", "a fresh file");
    folder
        .run(&["snap"])
        .exits(1)
        .says("STALE  message_py__a_new_file.snap");
    assert!(folder.exists(NAME));
    folder
        .run(&["snap", "--accept"])
        .exits(0)
        .says("removed   message_py__a_new_file.snap");
    // Snapshots of another module stay unchanged.
    assert_eq!(
        folder.list("snapshots"),
        ["message_py__a_fresh_file.snap", "other_module__x.snap"]
    );
}

#[test]
fn examples_with_similar_names_get_separate_snapshot_files() {
    let folder = Folder::sound();
    let text = folder.read("stickler.toml");
    let second = text
        .split_once("[[example]]")
        .expect("an example")
        .1
        .replace("a new file", "a new file!");
    folder.write("stickler.toml", &format!("{text}\n[[example]]{second}"));
    folder
        .run(&["snap", "--accept", "--snapshots", "elsewhere"])
        .exits(0);
    assert_eq!(
        folder.list("elsewhere"),
        [
            "message_py__a_new_file-2.snap",
            "message_py__a_new_file.snap"
        ]
    );
    folder
        .run(&["snap", "--snapshots", "elsewhere"])
        .exits(0)
        .says("2 unchanged");
}

#[test]
fn snap_answers_usage_errors_with_a_remedy() {
    let folder = Folder::sound();
    folder
        .run(&["snap", "--review"])
        .exits(2)
        .says("needs a terminal")
        .says("--accept");
    folder.run(&["snap", "--review", "--accept"]).exits(2);
    folder.write(NAME, "hello\n");
    folder
        .run(&["snap"])
        .exits(2)
        .says("is not a snapshot")
        .says(NAME);
    let bare = Folder::empty();
    bare.run(&["snap"]).exits(2).says("no module is named");
    bare.write("message.py", cli::MODULE);
    bare.run(&["snap", "message.py", "--interpreter", "python3"])
        .exits(4)
        .says("there is no example");
    bare.run(&[
        "snap",
        "message.py",
        "--interpreter",
        "python3",
        "--promiser",
        "{dir}/x",
        "--attribute",
        "message=hi",
    ])
    .exits(1)
    .says("message_py__command_line.snap");
}

/// Answers questions with keys, on a pseudo-terminal of Python.
const TYPIST: &str = r#"
import os, pty, sys
keys = list(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
out = b""
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    out += data
    if data.endswith(b"q quit ") and keys:
        os.write(fd, keys.pop(0).encode())
sys.stdout.buffer.write(out)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"#;

fn type_keys(folder: &Folder, keys: &str) -> Output {
    let output = Call::of("/usr/bin/python3")
        .args(["-c", TYPIST, keys, STICKLER, "snap", "--review"])
        .current_dir(folder.path())
        .env_remove("CI")
        .env_remove("TF_BUILD")
        .env("NO_COLOR", "1")
        .env("TERM", "xterm")
        .output()
        .expect("python runs");
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_review_asks_for_each_difference() {
    let folder = Folder::sound();
    type_keys(&folder, "r")
        .exits(1)
        .says("1 of 1")
        .says("rejected");
    assert_eq!(folder.list("snapshots"), [""; 0]);
}

#[test]
fn a_review_accepts_skips_and_quits() {
    let folder = Folder::sound();
    type_keys(&folder, "s").exits(1).says("skipped");
    assert_eq!(
        folder.list("snapshots"),
        ["message_py__a_new_file.snap.new"]
    );
    type_keys(&folder, "q").exits(1).says("quit");
    type_keys(&folder, "\u{3}").exits(1).says("quit");
    type_keys(&folder, "a").exits(0).says("1 accepted");
    assert_eq!(folder.list("snapshots"), ["message_py__a_new_file.snap"]);
    type_keys(&folder, "").exits(0).says("1 unchanged");
}
