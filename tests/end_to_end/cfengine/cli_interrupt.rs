//! `stickler check`, interrupted before it is done.

use crate::calls::{Running, processes_of, wait_for_processes, wait_until};
use crate::cli::Folder;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::ExitStatusExt;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// A module that hangs would take much longer, and each wait for it too.
const AT_ONCE: Duration = Duration::from_secs(25);

/// Starts a check of a slow module.
fn slow(folder: &Folder, seconds: &str, option: &[&str]) -> Running {
    folder.replace(
        "message.py",
        "    path, text = ",
        &format!("    import time\n    time.sleep({seconds})\n    path, text = "),
    );
    folder
        .command(&[&["check", "--jobs", "1"], option].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("stickler starts")
}

/// Waits until some of its sessions have run.
fn some_sessions(folder: &Folder) {
    wait_for_processes(&folder.path().join("message.py"), 5);
}

/// Waits until its first example is evaluated.
fn first_example(folder: &Folder) {
    let module = folder.path().join("message.py");
    let module = module.to_str().expect("text");
    // The process of another session would be gone.
    wait_until("the module hangs", || {
        let before = processes_of(module);
        std::thread::sleep(Duration::from_secs(2));
        !before.is_disjoint(&processes_of(module))
    });
}

fn ask(child: &Running) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    kill_process(pid.expect("a process"), Signal::TERM).expect("sent");
}

fn end(child: Running) -> Output {
    child.wait_with_output().expect("stickler ends")
}

#[test]
fn an_interrupted_check_reports_findings_and_obeys_the_signal() {
    let folder = Folder::noisy();
    let child = slow(&folder, "0.4", &["--format", "json"]);
    some_sessions(&folder);
    ask(&child);
    let output = end(child);
    assert_eq!(output.status.signal(), Some(15));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let last: serde_json::Value =
        serde_json::from_str(stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["event"], "summary");
    assert_eq!(last["interrupted"], true);
    assert_eq!(last["not_exercised"], 0, "{last}");
    assert_ne!(last["skipped"], 0, "{last}");
    assert!(last["exit"] == 1 || last["exit"] == 5, "{last}");
    let hint = last["hints"][0].as_str().expect("a hint");
    assert!(hint.starts_with("interrupted before "), "{hint}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("interrupt again to exit at once"),
        "{stderr}"
    );
}

#[test]
fn comparisons_do_not_fail_because_the_run_was_interrupted() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "            file.write(text)\n",
        "            file.write(text)\n        import time\n        with open(path + \".log\", \"a\") as file:\n            file.write(\"%d\\n\" % time.time_ns())\n",
    );
    let child = slow(&folder, "0.1", &["--format", "json"]);
    some_sessions(&folder);
    ask(&child);
    // As `timeout` does.
    ask(&child);
    let output = end(child);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let lines = stdout.lines();
    let lines: Vec<serde_json::Value> = lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let last = lines.last().expect("the report, although two signals came");
    assert_eq!(last["event"], "summary");
    let failed = lines.iter().filter(|line| line["verdict"] == "fail");
    let failed: Vec<_> = failed.map(ToString::to_string).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn no_baseline_is_written_of_a_part() {
    let folder = Folder::noisy();
    let before = folder.read("stickler.toml");
    let child = slow(&folder, "0.4", &["--baseline"]);
    some_sessions(&folder);
    ask(&child);
    let output = end(child);
    assert_eq!(output.status.signal(), Some(15));
    assert_eq!(folder.read("stickler.toml"), before);
}

#[test]
fn a_module_that_hangs_holds_nothing_up_and_is_not_left_behind() {
    let folder = Folder::noisy();
    let child = slow(&folder, "3600", &["--format", "json"]);
    first_example(&folder);
    let asked = Instant::now();
    ask(&child);
    let output = end(child);
    assert!(asked.elapsed() < AT_ONCE, "{:?}", asked.elapsed());
    assert_eq!(output.status.signal(), Some(15));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let last: serde_json::Value =
        serde_json::from_str(stdout.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["interrupted"], true);
    assert_eq!(last["flaky"], 0, "{last}");
    gone(&folder);
}

#[test]
fn the_second_time_it_ends_at_once() {
    let folder = Folder::sound();
    // A process that writes to a pipe without a reader blocks.
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join("report"))
        .status();
    assert!(made.expect("mkfifo runs").success());
    let mut child = slow(&folder, "3600", &["--output", "json=report"]);
    let own = format!("/proc/{}/status", child.id());
    wait_until("it catches the signal", || {
        let status = std::fs::read_to_string(&own).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        caught.is_some_and(|mask| mask >> (Signal::TERM.as_raw() - 1) & 1 == 1)
    });
    // The first time, it would write its report, but nobody reads that. Signals that come too soon are one.
    let mut asked = 0;
    wait_until("it ends", || {
        let ended = child.try_wait().expect("waited").is_some();
        if !ended {
            ask(&child);
            asked += 1;
            std::thread::sleep(Duration::from_millis(500));
        }
        ended
    });
    assert!(asked >= 2, "asked {asked} times");
    let output = end(child);
    assert_eq!(output.status.signal(), Some(15));
    assert_eq!(output.stdout, b"");
    gone(&folder);
}

/// Waits until no process of the module is left.
fn gone(folder: &Folder) {
    let module = folder.path().join("message.py");
    let module = module.to_str().expect("text");
    wait_until("the module ends", || processes_of(module).is_empty());
}
