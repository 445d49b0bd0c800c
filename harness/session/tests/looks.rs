//! A session that looks at files only after announced calls sees what one sees that always looks.

#![expect(clippy::unwrap_used, reason = "tests")]

use stickler_session::sandbox::{Host, HostOptions, Tier};
use stickler_session::{Looks, RunOptions, Wire};
use stickler_transcript::{
    Answer, Case, Change, Event, Framing, Phase, Piece, Plan, PlannedCommand, Provenance, Send,
    Step,
};

/// Changes files in each way that differs to the kernel. Writing to a mapped file is left out: in
/// memory, that changes no time stamp, so no look is sure to see it.
const SUBJECT: &str = r#"
import ctypes, mmap, os, subprocess, sys, threading
place = sys.argv[1] + "/"
held = area = None
def write(name, text):
    with open(place + name, "w") as file:
        file.write(text)
for line in sys.stdin:
    what = line.strip()
    if what == "read":
        os.listdir(place)
        open("/etc/passwd").read()
        open("/dev/null", "w").write("x")
    elif what == "write": write("a", "one")
    elif what == "append":
        with open(place + "a", "a") as file: file.write("more")
    elif what == "hold": held = os.open(place + "held", os.O_CREAT | os.O_RDWR)
    elif what == "write held": os.write(held, b"x")
    elif what == "close held": os.close(held)
    elif what == "map":
        write("mapped", "....")
        file = os.open(place + "mapped", os.O_RDWR)
        area = mmap.mmap(file, 4)
        os.close(file)
    elif what == "mode": os.chmod(place + "a", 0o600 ^ os.stat(place + "a").st_mode & 0o077)
    elif what == "times": os.utime(place + "a", (1, 1))
    elif what == "rename": os.rename(place + "a", place + "b")
    elif what == "link": os.symlink("nowhere", place + "link")
    elif what == "folder": os.mkdir(place + "folder")
    elif what == "remove": os.unlink(place + "b")
    elif what == "child": subprocess.run(["sh", "-c", "echo x > " + place + "child"])
    elif what == "thread":
        thread = threading.Thread(target=write, args=("thread", "x"))
        thread.start(); thread.join()
    print("done", flush=True)
"#;

const ASKED: &[&str] = &[
    "read",
    "write",
    "read",
    "append",
    "read",
    "mode",
    "times",
    "rename",
    "remove",
    "link",
    "folder",
    "child",
    "thread",
    "hold",
    "write held",
    "read",
    "write held",
    "close held",
    "read",
    "write",
    "map",
    "read",
];

struct Lines;

impl Wire for Lines {
    fn framing(&self) -> Framing {
        Framing {
            message_end: |bytes, from| {
                let rest = bytes.get(from..)?;
                Some(from + rest.iter().position(|byte| *byte == b'\n')? + 1)
            },
            last: None,
            notification: None,
        }
    }

    fn accepts(&self, _: Phase, _: &[u8]) -> bool {
        true
    }
}

/// What each observation saw, without what differs from run to run.
fn seen(looks: Looks, asked: &[&str]) -> Vec<Vec<(String, String, Option<u64>)>> {
    let host = Host::probe(Some(Tier::Overlay), HostOptions::default()).unwrap();
    let observe = |point: &str| Step::Observe {
        point: point.into(),
    };
    let mut steps = vec![
        observe("start"),
        Step::Start {
            process: 0,
            command: 0,
        },
    ];
    for (number, what) in asked.iter().enumerate() {
        steps.push(Step::Send(Send {
            process: 0,
            phase: Phase::OTHER,
            key: stickler_transcript::Key::parse(&format!("{number}")),
            item: None,
            provenance: Provenance::Agent,
            requires: None,
            pieces: vec![Piece {
                pause_us: 0,
                data: format!("{what}\n").into(),
            }],
            answer: Answer::Now,
            deadline_us: 10_000_000,
            kill_after_us: None,
            at_write: None,
        }));
        steps.push(observe(what));
    }
    let argv = ["/usr/bin/python3", "-c", SUBJECT, "/tmp/stickler/dir"];
    let plan = Plan {
        commands: vec![PlannedCommand {
            argv: argv.map(Into::into).to_vec(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: "/".into(),
            umask: 0o022,
            unprivileged: false,
            channel: false,
        }],
        steps,
        ..Plan::default()
    };
    let case = Case {
        plan: Some(plan),
        ..Case::default()
    };
    let options = RunOptions {
        looks,
        ..RunOptions::default()
    };
    let transcript = stickler_session::run(&host, case, &Lines, &options).unwrap();
    let answers = transcript.events.iter();
    let answers = answers.filter(|event| matches!(event, Event::Out { .. }));
    assert_eq!(answers.count(), asked.len(), "{:#?}", transcript.events);
    let told = |change: &Change| {
        let size = change.after.as_ref().map(|entry| entry.size);
        (
            change.path.lossy().into_owned(),
            format!("{:?}", change.kind),
            size,
        )
    };
    let effects = transcript.events.iter().filter_map(|event| match event {
        Event::Effects { changes, .. } => Some(changes.iter().map(told).collect()),
        _ => None,
    });
    effects.collect()
}

#[test]
fn every_way_to_change_files_is_seen() {
    let always = seen(Looks::Always, ASKED);
    let touched = seen(Looks::Touched { ours: None }, ASKED);
    for (number, (always, touched)) in always.iter().zip(&touched).enumerate() {
        let what = number.checked_sub(1).and_then(|at| ASKED.get(at));
        assert_eq!(always, touched, "{what:?}");
    }
    let changing = always.iter().filter(|changes| !changes.is_empty()).count();
    assert!(changing >= 12, "{always:#?}");
}
