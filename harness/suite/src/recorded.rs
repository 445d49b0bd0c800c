//! Turns a session that an agent drove into a plan that runs it again.

use crate::builder::PATH;
use crate::instance::{SCRATCH, scratch_dir};
use crate::vocabulary::Vocabulary;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stickler_judge::AnySession;
use stickler_reading::Exchange;
use stickler_transcript::{Answer, Bytes, Case, Event, Piece, Plan, PlannedCommand, Send, Step};

/// The case of a recorded session, with a plan that sends what the agent sent. The agent's
/// environment is not recorded, so the module gets a plain one. `None` if there is a plan already,
/// or if the started command is unknown.
pub fn planned(session: &AnySession, words: &Vocabulary) -> Option<Case> {
    let reading = session.reading();
    let case = session.case();
    let recorded = case.command.as_ref().filter(|_| case.plan.is_none())?;
    let deadlines = &case.deadlines;
    let mut pauses = pauses(session, words.awaited);
    let mut steps = Vec::new();
    for process in 0..reading.processes().count() {
        steps.push(Step::Start {
            process,
            command: 0,
        });
        let own = |exchange: &&Exchange| exchange.process == process;
        for exchange in reading.exchanges().filter(own) {
            steps.extend(pauses.remove(&exchange.number).unwrap_or_default());
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
            deadline_us: deadlines.of(words.closing),
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

/// How much longer than in the recording something is waited for, at least, in microseconds.
const MARGIN_US: u64 = 200_000;

/// How long something is waited for, at most, in microseconds.
const MOST_US: u64 = 10_000_000;

/// What the agent did before each exchange beside sending, by the exchange's number: it named moments, and waited for
/// what the subject told by itself.
fn pauses(session: &AnySession, awaited: &[&str]) -> BTreeMap<usize, Vec<Step>> {
    let reading = session.reading();
    let exchanges = || reading.exchanges();
    let mut found: Vec<(u64, Option<usize>, Step)> = Vec::new();
    for event in &reading.transcript().events {
        if let Event::Marked { t, mark } = event {
            let mark = mark.clone();
            found.push((*t, None, Step::Mark { mark }));
        }
    }
    for (process, state) in reading.processes().enumerate() {
        let told = state.notifications.iter();
        for told in told.filter(|told| awaited.contains(&&*told.name)) {
            // What came before an answer was not waited for.
            let last = exchanges().find(|one: &&Exchange| Some(one.number) == told.exchange);
            let since = last.and_then(|last| last.answered_at).unwrap_or(told.t);
            let waited = told.t.saturating_sub(since);
            let step = Step::Listen {
                process,
                name: Some(told.name.clone()),
                since: None,
                acknowledge: false,
                deadline_us: (4 * waited + MARGIN_US).min(MOST_US),
            };
            found.push((told.t, Some(process), step));
        }
    }
    found.sort_by_key(|(t, ..)| *t);
    let mut pauses: BTreeMap<usize, Vec<Step>> = BTreeMap::new();
    for (t, process, step) in found {
        let next = exchanges().find(|one: &&Exchange| {
            one.sent_at >= t && process.is_none_or(|process| process == one.process)
        });
        // Nothing follows from what comes last.
        if let Some(next) = next {
            pauses.entry(next.number).or_default().push(step);
        }
    }
    pauses
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
