//! What `stickler check` tells at a terminal while the run goes on.

use crate::calls::wait_until;
use crate::cli::Folder;
use crate::common::{Call, STICKLER, Screen, on_terminal};
use std::fs::File;
use std::io::Write;
use std::process::Stdio;

/// A module that fails, and takes so long that its failure is told before the end.
fn slow() -> Folder {
    let folder = Folder::noisy();
    let slow = "def main():\n    import time\n    time.sleep(0.2)\n";
    folder.replace("message.py", "def main():\n", slow);
    folder
}

/// A check for one rule, which takes so long that a failure is sure before its end, on any machine.
fn check(folder: &Folder, rule: &str, arguments: &[&str]) -> Screen {
    let mut all = vec!["check", "--time", "none", "--quick", "--select", rule];
    all.extend(arguments);
    on_terminal(folder.path(), &all)
}

#[test]
fn a_failure_is_shown_before_the_report() {
    let screen = check(&slow(), "PM203", &[]);
    assert_eq!(screen.code, Some(1), "{}", screen.stdout);
    assert_eq!(screen.told(), ["PM203"], "{}", screen.stderr);
    let line = "so far: FAIL  PM203  must  example \"a new file\": ";
    let (_, after) = screen.stderr.split_once(line).expect("a line");
    // The run went on.
    assert!(after.contains("left"), "{after}");
    assert!(!screen.stdout.contains("so far"), "{}", screen.stdout);
    assert!(screen.stdout.contains("FAIL  PM203"), "{}", screen.stdout);
}

#[test]
fn known_failures_are_not_shown_early() {
    for list in ["waive", "xfail"] {
        let folder = slow();
        let text = folder.read("stickler.toml");
        let declared = format!("{text}\n[[{list}]]\nrule = \"PM203\"\nreason = \"known\"\n");
        folder.write("stickler.toml", &declared);
        let screen = check(&folder, "PM203", &[]);
        assert_eq!(screen.told(), [""; 0], "{list}: {}", screen.stderr);
    }
}

#[test]
fn a_secret_is_not_shown_early() {
    let folder = slow();
    folder.replace("message.py", "print(\"wrote it\")", "print(text)");
    folder.replace("stickler.toml", "\"hello\"", "\"open sesame\"");
    let named = "path = \"message.py\"\nsensitive = [\"message\"]";
    folder.replace("stickler.toml", "path = \"message.py\"", named);
    let screen = check(&folder, "PM203", &[]);
    assert!(screen.told().contains(&"PM203"), "{}", screen.stderr);
    assert!(!screen.stderr.contains("open sesame"), "{}", screen.stderr);
}

#[test]
fn nothing_is_shown_early_without_a_terminal() {
    let folder = slow();
    let screen = check(&folder, "PM203", &["--format", "json"]);
    assert_eq!(screen.told(), [""; 0], "{}", screen.stderr);
    assert!(screen.stdout.contains("\"rule\":\"PM203\""));
    let output = folder.run(&["check", "--quick", "--select", "PM203"]);
    output.exits(1).says("PM203").says_not("so far");
}

#[test]
fn a_warning_is_shown_early_if_it_fails_the_run() {
    let folder = slow();
    folder.replace("message.py", "    print(\"wrote it\")\n", "");
    // The answer names another promiser, which is a `should`.
    folder.replace(
        "message.py",
        "request.get(\"promiser\", \"\"), \"log\"",
        "\"x\", \"log\"",
    );
    let screen = check(&folder, "PM302", &[]);
    assert_eq!(screen.told(), [""; 0], "{}", screen.stderr);
    let screen = check(&folder, "PM302", &["--strict"]);
    assert!(screen.told().contains(&"PM302"), "{}", screen.stderr);
}

#[test]
fn the_interrupt_key_ends_the_run_and_reports_the_findings_so_far() {
    let folder = slow();
    let screen = folder.path().join("screen");
    let check = format!(
        // A test that runs in the background may have been told to ignore the key.
        "env --default-signal=INT {} check --time none > {}",
        STICKLER,
        folder.path().join("out").display()
    );
    let mut terminal = Call::of("script")
        .args(["--quiet", "--return", "--flush", "--command", &check])
        .arg(&screen)
        .env_remove("CI")
        .env("NO_COLOR", "1")
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(File::create("/dev/null").expect("it is there"))
        .spawn()
        .expect("script runs");
    wait_until("the failure is shown", || {
        let seen = std::fs::read(&screen).unwrap_or_default();
        String::from_utf8_lossy(&seen).contains("so far: FAIL  PM203")
    });
    let mut keys = terminal.stdin.take().expect("piped");
    keys.write_all(b"\x03").expect("Ctrl-C is typed");
    let status = terminal.wait().expect("it ends");
    drop(keys);
    let report = folder.read("out");
    // 128 and the number of the signal, as shells say it.
    assert_eq!(status.code(), Some(130), "{report}");
    assert!(report.contains("FAIL  PM203"), "{report}");
    assert!(report.contains("interrupted before"), "{report}");
}
