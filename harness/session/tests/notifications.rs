//! A plan waits for a notification with a name, since a moment, and acknowledges it.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::time::{Duration, Instant};
use stickler_reading::{Listened, Reading};
use stickler_session::sandbox::{Host, HostOptions};
use stickler_session::{RunOptions, SessionError, Wire};
use stickler_transcript::{
    Answer, Case, Framing, Key, Name, Phase, Piece, Plan, PlannedCommand, Provenance, Send, Step,
    Transcript,
};

/// Each line that it reads is a script. What it prints is an answer, or begins with `news`.
const SUBJECT: &str = r#"while read -r line; do eval "$line"; done"#;

const FRAMING: Framing = Framing {
    message_end: |bytes, from| {
        let rest = bytes.get(from..)?;
        Some(from + rest.iter().position(|byte| *byte == b'\n')? + 1)
    },
    last: None,
    notification: Some(|line| {
        let name = line.strip_prefix(b"news ")?.trim_ascii_end();
        Some(String::from_utf8_lossy(name).into_owned().into())
    }),
};

struct Lines;

impl Wire for Lines {
    fn framing(&self) -> Framing {
        FRAMING
    }

    fn accepts(&self, _: Phase, _: &[u8]) -> bool {
        true
    }

    fn acknowledge(&self, _: &[u8]) -> Option<Vec<u8>> {
        Some(b"echo news acknowledged\n".to_vec())
    }
}

fn ask(script: &str, answer: Answer) -> Step {
    Step::Send(Send {
        process: 0,
        phase: Phase::OTHER,
        key: Key::parse(script),
        item: None,
        provenance: Provenance::Agent,
        requires: None,
        pieces: vec![Piece {
            pause_us: 0,
            data: format!("{script}\n").into(),
        }],
        answer,
        deadline_us: 10_000_000,
        kill_after_us: None,
        at_write: None,
    })
}

fn mark(mark: &str) -> Step {
    Step::Mark { mark: mark.into() }
}

fn listen(name: &str, since: Option<&str>, acknowledge: bool) -> Step {
    Step::Listen {
        process: 0,
        name: (!name.is_empty()).then(|| name.into()),
        since: since.map(Name::from),
        acknowledge,
        deadline_us: if name == "never" || since == Some("vain") {
            100_000
        } else {
            10_000_000
        },
    }
}

fn session(steps: Vec<Step>) -> Reading {
    Reading::of(run(steps, RunOptions::default()).unwrap(), FRAMING)
}

fn run(steps: Vec<Step>, options: RunOptions<'_>) -> Result<Transcript, SessionError> {
    let start = Step::Start {
        process: 0,
        command: 0,
    };
    let plan = Plan {
        commands: vec![PlannedCommand {
            argv: ["/bin/sh", "-c", SUBJECT].map(Into::into).to_vec(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: "/".into(),
            umask: 0o022,
            unprivileged: false,
            channel: false,
        }],
        steps: [vec![start], steps].concat(),
        ..Plan::default()
    };
    let case = Case {
        plan: Some(plan),
        ..Case::default()
    };
    let host = Host::probe(None, HostOptions::default()).unwrap();
    stickler_session::run(&host, case, &Lines, &options)
}

#[test]
fn a_session_ends_in_the_middle_once_its_time_is_over() {
    let began = Instant::now();
    let options = RunOptions {
        until: Some(began + Duration::from_millis(200)),
        ..RunOptions::default()
    };
    let steps = vec![ask("sleep 60; echo yes", Answer::Now)];
    assert!(matches!(run(steps, options), Err(SessionError::Stopped)));
    assert!(began.elapsed() < Duration::from_secs(5));
    let ended = RunOptions {
        until: Some(began + Duration::from_secs(60)),
        ..RunOptions::default()
    };
    assert!(run(vec![ask("echo yes", Answer::Now)], ended).is_ok());
}

/// The names of the notifications that the waits ended with.
fn heard(reading: &Reading) -> Vec<Option<&str>> {
    let process = &reading.processes[0];
    let name = |one: &Listened| Some(&*process.notifications[one.heard?].name);
    process.listened.iter().map(name).collect()
}

#[test]
fn a_wait_ends_with_the_first_unheard_notification_of_its_name() {
    let reading = session(vec![
        ask(
            "echo news b; echo news a; echo news b; echo yes",
            Answer::Now,
        ),
        listen("a", None, false),
        listen("b", None, false),
        listen("", None, false),
        listen("never", None, false),
    ]);
    assert_eq!(heard(&reading), [Some("a"), Some("b"), Some("b"), None]);
    let listened = &reading.processes[0].listened;
    let places: Vec<_> = listened.iter().map(|one| one.heard).collect();
    assert_eq!(places, [Some(1), Some(0), Some(2), None]);
    assert!(listened[3].waited_us >= 100_000, "{listened:?}");
}

#[test]
fn a_notification_before_the_mark_does_not_end_the_wait() {
    let reading = session(vec![
        ask("echo news a; echo yes; echo news a", Answer::Now),
        ask("echo yes", Answer::Now),
        mark("vain"),
        listen("a", Some("vain"), false),
        mark("now"),
        ask("echo yes; sleep 0.1; echo news a", Answer::Later),
        // The notification comes behind an answer that no step has read yet.
        listen("a", Some("now"), false),
        Step::Await { process: 0 },
        listen("a", None, false),
    ]);
    assert_eq!(heard(&reading), [None, Some("a"), Some("a")]);
    let process = &reading.processes[0];
    let places: Vec<_> = process.listened.iter().map(|one| one.heard).collect();
    assert_eq!(places, [None, Some(2), Some(0)]);
    let since = process.listened[1].since.as_ref().unwrap();
    assert_eq!(&*since.name, "now");
    assert!(process.notifications[2].t > since.t);
    let answers = reading.exchanges.iter().map(|one| one.output.to_vec());
    assert!(answers.into_iter().all(|answer| answer == b"yes\n"));
    assert!(reading.complete);
}

#[test]
fn a_subject_may_wait_until_its_notification_is_acknowledged() {
    let reading = session(vec![
        ask(
            "echo news a; read -r line; eval \"$line\"; echo yes",
            Answer::Later,
        ),
        listen("a", None, true),
        listen("acknowledged", None, false),
        Step::Await { process: 0 },
    ]);
    assert_eq!(heard(&reading), [Some("a"), Some("acknowledged")]);
    let notifications = &reading.processes[0].notifications;
    assert!(notifications[0].acknowledged_at.is_some());
    assert!(notifications[1].acknowledged_at.is_none());
    assert_eq!(&reading.exchanges[0].output[..], b"yes\n");
}

#[test]
fn a_wait_ends_with_the_process() {
    let began = std::time::Instant::now();
    let reading = session(vec![ask("exit 3", Answer::Later), listen("a", None, false)]);
    assert_eq!(heard(&reading), [None]);
    assert!(began.elapsed().as_secs() < 9);
}
