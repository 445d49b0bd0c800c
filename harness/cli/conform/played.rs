//! Plays situations, and keeps what came of them.

use super::choice::Choice;
use crate::bar::Bar;
use serde_json::Value;
use std::sync::atomic::Ordering;
use stickler_conform::{
    Difference, Played, Ran, Settings, Standing, Stored, Table, differing, standing,
};
use stickler_face::conform::cannot_run;
use stickler_face::{Face, Failure};
use stickler_judge::AnySession;
use stickler_suite::{Observer, RunEvent};

/// If more situations differ, they are played again side by side: a busy machine is no likely reason.
const FEW: usize = 24;

/// If more situations differ, none is played again.
const MANY: usize = 100;

/// What came of all situations.
pub(super) struct Run {
    /// Each situation that was begun.
    pub(super) ran: Ran,
    /// The release that it behaves as.
    pub(super) standing: Option<Standing>,
    /// Those in which it differs from that one.
    pub(super) differing: Vec<(usize, Vec<Difference>)>,
    /// Those that agreed only when they were played again.
    pub(super) later: Vec<usize>,
    /// What was seen in earlier tries.
    pub(super) earlier: Vec<(usize, Value)>,
}

/// Plays the situations, those that differ again.
pub(super) fn play(
    table: &dyn Table,
    picked: &[usize],
    how: &Choice,
    bar: &Bar,
) -> Result<Run, Failure> {
    bar.tell(RunEvent::Planned(picked.len()));
    let done = |name: &str| bar.tell(RunEvent::Done(name));
    let settings = |jobs| Settings {
        jobs,
        time: how.time,
        done: &done,
        stop: bar.stop(),
    };
    let failed = |error: anyhow::Error| cannot_run(&error);
    let mut ran = stickler_conform::run(table, picked, &settings(how.jobs)).map_err(failed)?;
    let standing = standing(table, &ran).map_err(failed)?;
    let (mut later, mut earlier) = (Vec::new(), Vec::new());
    let mut differing_now = Vec::new();
    if let Some(standing) = &standing {
        differing_now = differing(table, &ran, &standing.release).map_err(failed)?;
        // A busy machine must make no difference.
        for _ in 0..table.tries() {
            let again: Vec<usize> = differing_now
                .iter()
                .map(|(at, _)| *at)
                .filter(|at| !table.waits(*at) && !hung(&ran, *at))
                .collect();
            // So many differ in earnest.
            if again.is_empty() || again.len() > MANY || bar.stop().load(Ordering::Relaxed) {
                break;
            }
            let jobs = if again.len() > FEW { how.jobs } else { 1 };
            let once_more = stickler_conform::run(
                table,
                &again,
                &Settings {
                    time: None,
                    ..settings(jobs)
                },
            );
            let once_more = once_more.map_err(failed)?;
            let still = differing(table, &once_more, &standing.release).map_err(failed)?;
            for (at, played) in once_more {
                if played.is_err() {
                    continue;
                }
                if !still.iter().any(|(other, _)| *other == at) {
                    later.push(at);
                }
                if let Some(Ok(before)) = ran.insert(at, played) {
                    earlier.push((at, before.seen));
                }
            }
            differing_now = differing(table, &ran, &standing.release).map_err(failed)?;
        }
    }
    let standing = stickler_conform::standing(table, &ran).map_err(failed)?;
    if let Some(standing) = &standing {
        differing_now = differing(table, &ran, &standing.release).map_err(failed)?;
    }
    Ok(Run {
        ran,
        standing,
        differing: differing_now,
        later,
        earlier,
    })
}

fn hung(ran: &Ran, at: usize) -> bool {
    let played = ran.get(&at).and_then(|one| one.as_ref().ok());
    played.is_some_and(Played::hangs)
}

/// All conversations as the rules read them. Those of the user's own situations keep what was recorded of these: it is
/// nowhere else.
pub(super) fn sessions(face: &dyn Face, played: &Run, own: &[Value]) -> Vec<AnySession> {
    let dialect = face.dialect();
    let release = played.standing.as_ref().map(|one| one.release.clone());
    let all = played.ran.values();
    let mut all: Vec<_> = all.filter_map(|played| played.as_ref().ok()).collect();
    // What takes long to play again is no good example.
    all.sort_by_key(|played| played.hangs());
    all.into_iter()
        .flat_map(|played| &played.sessions)
        .map(|transcript| {
            let mut transcript = transcript.clone();
            if let Some(mut stored) = Stored::of(&transcript.case) {
                stored.release.clone_from(&release);
                let name = &stored.situation["name"];
                if let Some(line) = own.iter().find(|line| line["name"] == *name) {
                    stored.situation = line.clone();
                }
                stored.note(&mut transcript.case);
            }
            dialect.read(transcript)
        })
        .collect()
}

/// The situations of the user's own files.
pub(super) fn own_situations(more: &[(String, String)]) -> Vec<Value> {
    let lines = more.iter().flat_map(|(_, text)| text.lines());
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
