//! Turns a session that an agent drove into a plan that runs it again.

use crate::builder::PATH;
use crate::instance::{SCRATCH, scratch_dir};
use std::borrow::Borrow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stickler_judge::View;
use stickler_reading::Exchange;
use stickler_transcript::{Answer, Bytes, Case, Phase, Piece, Plan, PlannedCommand, Send, Step};

/// The case of a recorded session, with a plan that sends what the agent sent. The agent's
/// environment is not recorded, so the module gets a plain one. `None` if there is a plan already,
/// or if the started command is unknown. `last`: the phase of the message that asks a process to
/// end.
pub fn planned(session: &impl View, last: Phase) -> Option<Case> {
    let reading = session.reading();
    let case = session.case();
    let recorded = case.command.as_ref().filter(|_| case.plan.is_none())?;
    let deadlines = &case.deadlines;
    let mut steps = Vec::new();
    for process in 0..reading.processes.len() {
        steps.push(Step::Start {
            process,
            command: 0,
        });
        let own = |exchange: &&Exchange| exchange.process == process;
        for exchange in reading.exchanges.iter().map(Borrow::borrow).filter(own) {
            steps.push(Step::Send(Send {
                process,
                phase: exchange.phase,
                key: exchange.key.clone(),
                item: None,
                provenance: exchange.provenance,
                requires: None,
                pieces: vec![Piece {
                    pause_us: 0,
                    data: exchange.sent[..].into(),
                }],
                answer: if exchange.owed {
                    Answer::Now
                } else {
                    Answer::Optional
                },
                deadline_us: deadlines.of(exchange.phase),
                kill_after_us: None,
                at_write: None,
            }));
        }
        steps.push(Step::CloseInput { process });
        steps.push(Step::AwaitExit {
            process,
            deadline_us: deadlines.of(last),
        });
    }
    let cwd = Path::new(std::ffi::OsStr::from_bytes(&recorded.cwd)).to_owned();
    let command = PlannedCommand {
        argv: recorded
            .argv
            .iter()
            .enumerate()
            .map(|(index, word)| absolute(&cwd, word, index == 0))
            .collect(),
        env: vec![
            ("PATH".into(), PATH.into()),
            ("HOME".into(), format!("{SCRATCH}/home").into()),
            ("TMPDIR".into(), format!("{SCRATCH}/tmp").into()),
            ("LANG".into(), "C.UTF-8".into()),
        ],
        cwd: scratch_dir(0).into(),
        umask: recorded.umask,
        unprivileged: false,
        channel: false,
    };
    Some(Case {
        dirs: vec![scratch_dir(0).into(), scratch_dir(1).into()],
        plan: Some(Plan {
            commands: vec![command],
            steps,
            ..Plan::default()
        }),
        ..case.clone()
    })
}

/// The absolute path of a file that the module's command line names relative to its directory.
fn absolute(cwd: &Path, word: &Bytes, program: bool) -> Bytes {
    let path = Path::new(std::ffi::OsStr::from_bytes(word));
    let named = !program || word.contains(&b'/');
    let whole = cwd.join(path);
    if named && path.is_relative() && whole.is_file() {
        whole.as_os_str().as_bytes().into()
    } else {
        word.clone()
    }
}
