//! `stickler record`, end to end.

use crate::calls::Running;
use crate::calls::{SOON, wait_until};
use crate::cli::{Folder, MODULE, json_lines};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Instant;

/// An agent's messages to the small module.
fn dialogue(folder: &Folder) -> Vec<u8> {
    let promise = format!(
        "\"promise_type\":\"message\",\"promiser\":\"{}/motd\"",
        folder.path().display()
    );
    let mut said = b"cf-agent 3.21.0 v1\n\n".to_vec();
    for operation in ["validate_promise", "evaluate_promise"] {
        said.extend_from_slice(
            format!("{{\"attributes\":{{\"message\":\"hello\"}},\"log_level\":\"info\",\"operation\":\"{operation}\",{promise}}}\n\n").as_bytes(),
        );
    }
    said.extend_from_slice(b"{\"operation\":\"terminate\"}\n\n");
    said
}

/// A recorder between pipes.
fn recorder(folder: &Folder, arguments: &[&str]) -> Running {
    let mut all = vec!["record", "--out", "out.jsonl", "--"];
    all.extend(arguments);
    folder
        .command(&all)
        // A background process may ignore some signals; the recorder must not.
        .through(&["env", "--default-signal"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("stickler starts")
}

/// The events of a recording.
fn events(folder: &Folder, file: &str) -> Vec<serde_json::Value> {
    folder
        .read(file)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn data(events: &[serde_json::Value], name: &str) -> String {
    let of = |event: &&serde_json::Value| event["event"] == name;
    let data = events.iter().filter(of).map(|event| event["data"].as_str());
    data.flatten().collect()
}

/// Whoever sends everything at once waits for no answer, so none comes late.
#[test]
fn a_recording_of_messages_from_a_file_has_answers_like_any_other() {
    let folder = Folder::sound();
    folder.replace(
        "message.py",
        "import os\n",
        "import os\nimport time\ntime.sleep(0.2)\n",
    );
    let mut said = dialogue(&folder);
    for _ in 0..2 {
        let run = [
            "record",
            "--out",
            "out.jsonl",
            "--",
            "python3",
            "message.py",
        ];
        folder.run_with_input(&run, &said).exits(0);
        folder
            .run(&["replay", "out.jsonl"])
            .exits(0)
            .says("evaluate_promise")
            .says_not("stopped waiting")
            .says_not("lives on")
            .says_not("came only when");
        fs::remove_file(folder.path().join("out.jsonl")).expect("a recording");
        let _ = fs::remove_file(folder.path().join("motd"));
        // The same without a farewell.
        let end = said.len() - b"{\"operation\":\"terminate\"}\n\n".len();
        said.truncate(end);
    }
}

#[test]
fn bytes_pass_unchanged_and_are_recorded() {
    let folder = Folder::sound();
    let said = dialogue(&folder);
    let run = [
        "record",
        "--out",
        "out.jsonl",
        "--",
        "python3",
        "message.py",
    ];
    let recorded = folder.run_with_input(&run, &said);
    recorded.exits(0);
    let _ = fs::remove_file(folder.path().join("motd"));
    let mut plain = Command::new("python3")
        .arg("message.py")
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python");
    let mut stdin = plain.stdin.take().expect("a pipe");
    stdin.write_all(&said).expect("it reads");
    drop(stdin);
    let plain = plain.wait_with_output().expect("it ends");
    assert_eq!(recorded.stdout.as_bytes(), plain.stdout);
    let events = events(&folder, "out.jsonl");
    assert_eq!(data(&events, "in").as_bytes(), said);
    assert_eq!(data(&events, "out"), recorded.stdout);
    assert_eq!(events[0]["driver"], "recorded");
    assert_eq!(events[0]["subject"]["name"], "message.py");
    assert_eq!(events.last().expect("an end")["complete"], true);
    let mode = fs::metadata(folder.path().join("out.jsonl")).expect("a file");
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
}

#[test]
fn standard_error_reaches_the_terminal_and_the_record() {
    let folder = Folder::empty();
    let run = [
        "record",
        "--out",
        "o.jsonl",
        "--",
        "sh",
        "-c",
        "echo oops >&2; exit 7",
    ];
    let output = folder.run(&run);
    output.exits(7);
    assert_eq!(output.stderr, "oops\n");
    let events = events(&folder, "o.jsonl");
    assert_eq!(data(&events, "err"), "oops\n");
    let exit = events.iter().find(|event| event["event"] == "exit");
    assert_eq!(exit.expect("an exit")["cause"]["code"], 7);
}

#[test]
fn the_recorder_ends_by_the_signal_that_ended_the_module() {
    for signal in ["KILL", "TERM", "SEGV", "PIPE"] {
        let folder = Folder::empty();
        let kill = format!("kill -{signal} $$");
        let run = ["record", "--out", "o.jsonl", "--", "sh", "-c", &kill];
        let status = folder.command(&run).status().expect("it ends");
        let direct = Command::new("sh").args(["-c", &kill]).status();
        assert_eq!(status.signal(), direct.expect("sh").signal(), "{signal}");
        assert!(status.signal().is_some());
        folder.run(&["judge", "o.jsonl"]).says_not("FAIL");
    }
}

#[test]
fn signals_are_passed_on() {
    for signal in ["TERM", "INT", "HUP"] {
        let folder = Folder::empty();
        let script =
            format!("trap 'echo got; exit 3' {signal}; echo ready; while :; do sleep 0.05; done");
        let mut child = recorder(&folder, &["sh", "-c", &script]);
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n");
        let pid = child.id().to_string();
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &pid])
            .status();
        assert!(sent.expect("kill").success());
        line.clear();
        stdout.read_line(&mut line).expect("a line");
        assert_eq!(line, "got\n", "{signal}");
        assert_eq!(child.wait().expect("an end").code(), Some(3));
        assert!(folder.read("out.jsonl").contains("\"event\":\"killed\""));
    }
}

#[test]
fn a_recording_is_judged_up_to_the_kill() {
    let folder = Folder::sound();
    let said = dialogue(&folder);
    let mut child = recorder(&folder, &["python3", "message.py"]);
    let mut stdin = child.stdin.take().expect("a pipe");
    let end = said.len() - "{\"operation\":\"terminate\"}\n\n".len();
    stdin.write_all(&said[..end]).expect("it reads");
    wait_until("an answer", || {
        fs::read_to_string(folder.path().join("out.jsonl"))
            .is_ok_and(|text| text.contains("repaired"))
    });
    child.kill().expect("killed");
    child.wait().expect("an end");
    drop(stdin);
    // This test sends all messages at once, which no agent does.
    let judge = ["judge", "--strict", "--select", "PM"];
    let judged = folder.run(&[&judge[..], &["--format", "json", "out.jsonl"]].concat());
    judged.exits(0);
    let lines = json_lines(&judged);
    assert_eq!(lines.last().expect("a summary")["exchanges"], 3);
    // A recording may be cut off anywhere in its last line.
    let text = folder.read("out.jsonl");
    for cut in [9, 40, 200, 500] {
        folder.write("cut.jsonl", &text[..text.len() - cut]);
        folder
            .run(&[&judge[..], &["cut.jsonl"]].concat())
            .says("message.py")
            .says_not("FAIL");
    }
}

#[test]
fn ends_that_are_closed_are_closed_on_the_other_side() {
    // The module closes its output and keeps running.
    let folder = Folder::empty();
    let mut child = recorder(&folder, &["sh", "-c", "exec >&-; read line; exit 4"]);
    let mut rest = Vec::new();
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_to_end(&mut rest).expect("the end");
    assert_eq!(child.try_wait().expect("a state"), None);
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("an end").code(), Some(4));
    // The agent closes its end: if the module keeps printing, it gets SIGPIPE.
    let folder = Folder::empty();
    let mut child = recorder(&folder, &["yes"]);
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("an end").signal(), Some(13));
    // The module closes its input: the agent can no longer write.
    let folder = Folder::empty();
    let script = "exec <&-; echo closed; sleep 0.5; exit 5";
    let mut child = recorder(&folder, &["sh", "-c", script]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe"))
        .read_line(&mut line)
        .expect("a line");
    let mut stdin = child.stdin.take().expect("a pipe");
    wait_until("a broken pipe", || stdin.write_all(b"x\n").is_err());
    assert_eq!(child.wait().expect("an end").code(), Some(5));
}

#[test]
fn a_process_left_behind_does_not_hold_the_recorder() {
    let folder = Folder::empty();
    let began = Instant::now();
    let run = [
        "record",
        "--out",
        "o.jsonl",
        "--",
        "sh",
        "-c",
        "sleep 600 & exit 6",
    ];
    let status = folder.command(&run).status().expect("it ends");
    assert_eq!(status.code(), Some(6));
    assert!(began.elapsed() < SOON);
}

#[test]
fn a_flood_passes_and_only_so_much_is_recorded() {
    let folder = Folder::empty();
    let script = "head -c 20000000 /dev/zero | tr '\\0' x";
    let output = folder.run(&[
        "record", "--limit", "1", "--out", "o.jsonl", "--", "sh", "-c", script,
    ]);
    output.exits(0);
    assert_eq!(output.stdout.len(), 20_000_000);
    let text = folder.read("o.jsonl");
    assert!(text.len() < 1_200_000, "{}", text.len());
    let full = events(&folder, "o.jsonl")
        .into_iter()
        .find(|event| event["event"] == "full");
    assert_eq!(full.expect("the limit")["limit"], 1 << 20);
    assert!(text.contains("\"complete\":false"));
    folder.run(&["judge", "o.jsonl"]).says_not("FAIL");
}

#[test]
fn no_recording_is_overwritten() {
    let folder = Folder::empty();
    for _ in 0..3 {
        folder
            .run(&["record", "--out", "a.jsonl", "--", "true"])
            .exits(0);
        folder
            .run(&["record", "--out", "b-{n}.jsonl", "--", "true"])
            .exits(0);
    }
    assert_eq!(
        folder.list("."),
        [
            "a-2.jsonl",
            "a-3.jsonl",
            "a.jsonl",
            "b-1.jsonl",
            "b-2.jsonl",
            "b-3.jsonl"
        ]
    );
    folder
        .run(&["record", "--out", "nowhere/a.jsonl", "--", "true"])
        .exits(2)
        .says("nowhere/a.jsonl")
        .says("needs an existing folder");
    folder
        .run(&["record", "--out", "c.jsonl", "--", "./nothing"])
        .exits(3)
        .says("./nothing: cannot be started");
    folder.run(&["record", "--out", "d.jsonl"]).exits(2);
}

/// A policy with a promise of the small module's type.
fn policy(folder: &Folder, path: &str) -> String {
    let policy = folder.write(
        "policy.cf",
        &format!(
            "promise agent message {{ path => \"{path}\"; }}\n\
             bundle agent main {{ message: \"{0}/motd\" message => \"hello\"; \"{0}/other\" message => \"x\", meta => {{ \"t\" }}; }}\n",
            folder.path().display()
        ),
    );
    fs::set_permissions(&policy, fs::Permissions::from_mode(0o600)).expect("a mode");
    policy.display().to_string()
}

fn wrapped(folder: &Folder) -> String {
    let run = [
        "record",
        "--wrap",
        "message.py",
        "--interpreter",
        "python3",
        "--out",
        "recorded.sh",
    ];
    folder.run(&run).exits(0).says("without `interpreter`");
    folder.path().join("recorded.sh").display().to_string()
}

#[test]
fn a_wrapped_module_is_recorded_and_judged() {
    let folder = Folder::sound();
    let policy = policy(&folder, &wrapped(&folder));
    folder
        .run(&["agent", "-KIf", &policy])
        .exits(0)
        .says("Wrote the message");
    folder.run(&["agent", "-KIf", &policy]).exits(0);
    assert_eq!(
        folder.list("recordings"),
        ["message-1.jsonl", "message-2.jsonl"]
    );
    let judged = folder.run(&[
        "judge",
        "--strict",
        "--select",
        "PM",
        "recordings/message-1.jsonl",
        "recordings/message-2.jsonl",
    ]);
    judged.exits(0).says("message.py").says("recorded");
}

#[test]
fn findings_of_a_recorded_module_name_the_request() {
    let folder = Folder::noisy();
    let policy = policy(&folder, &wrapped(&folder));
    folder.run(&["agent", "-KIf", &policy]);
    let file = "recordings/message-1.jsonl";
    let judged = folder.run(&["judge", "--select", "PM", file]);
    judged.exits(1).says("FAIL  PM203").says("wrote it");
    assert!(
        judged.stdout.contains("  3 →") || judged.stdout.contains("3"),
        "{}",
        judged.all()
    );
    // It can be replayed, before and after the fix.
    let _ = fs::remove_file(folder.path().join("motd"));
    folder
        .run(&["replay", file])
        .exits(1)
        .says("still failing  PM203");
    folder.write("message.py", MODULE);
    folder.run(&["replay", file]).exits(0).says("fixed  PM203");
}

#[test]
fn a_recorded_conversation_is_snapshot() {
    let folder = Folder::sound();
    let policy = policy(&folder, &wrapped(&folder));
    folder.run(&["agent", "-KIf", &policy]);
    let file = "recordings/message-1.jsonl";
    let snap = |more: &[&str]| {
        let mut run = vec!["snap", "--recorded", file];
        run.extend(more);
        folder.run(&run)
    };
    snap(&["--accept"]).exits(0);
    snap(&[]).exits(0);
    assert_eq!(folder.list("snapshots").len(), 1);
    folder.replace(file, "Wrote the message", "Wrote a message");
    snap(&[]).exits(1).says("Wrote a message");
}

#[test]
fn any_path_can_be_wrapped() {
    let folder = Folder::sound();
    let odd = folder.path().join("it's $HOME \"of\" {n} \\ `x`");
    fs::create_dir(&odd).expect("a folder");
    let module = odd.join("the module.py");
    fs::write(&module, MODULE).expect("written");
    let wrapper = odd.join("wrap.sh");
    let output = folder
        .command(&["record", "--interpreter", "python3", "--wrap"])
        .arg(&module)
        .arg("--out")
        .arg(&wrapper)
        .output()
        .expect("stickler runs");
    assert!(output.status.success(), "{output:?}");
    let status = Command::new(&wrapper)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .expect("it runs");
    assert!(status.success());
    assert!(odd.join("recordings/the module-1.jsonl").exists());
    let status = Command::new(&wrapper)
        .env("STICKLER_RECORDINGS", folder.path().join("else where"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .expect("it runs");
    assert!(status.success());
    assert_eq!(folder.list("else where"), ["the module-1.jsonl"]);
    // A wrapper is not overwritten.
    let again = folder
        .command(&["record", "--wrap"])
        .arg(&module)
        .arg("--out")
        .arg(&module)
        .output();
    assert!(!again.expect("stickler runs").status.success());
    assert_eq!(fs::read_to_string(&module).expect("it is there"), MODULE);
}
