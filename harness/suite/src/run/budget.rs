//! What the sessions of a run may cost, so that a subject that hangs or floods does not cost more.

use super::lock;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use stickler_judge::View;
use stickler_reading::Process;
use stickler_session::RunOptions;
use stickler_transcript::{Case, Change, Driver, Event, Phase, Role, Silence, Step, Transcript};

/// After this many hangs of one kind, the rest is left out.
const HANGS: usize = 3;
/// The same for hangs that are detected at once.
const QUICK_HANGS: usize = 12;
/// The total size of all records, in bytes, after which the rest is left out. A run with many small
/// records may exceed it.
const RECORDS: usize = 40 << 20;
/// The size of a small record, in bytes.
const SMALL_RECORD: usize = 96 << 10;
/// The total size after which only contents of small files are recorded.
const FULL_RECORDS: usize = 16 << 20;
/// From then on, how much content an observation records, in bytes.
const FEW_CONTENTS: u64 = 16 << 10;

/// What the sessions of a run have cost.
#[derive(Default)]
pub(super) struct Budget {
    /// Did the plain examples run without a hang? Then their repetitions are never left out,
    /// because they show what differs from run to run.
    calm: AtomicBool,
    hangs: Mutex<BTreeMap<(Phase, usize), usize>>,
    /// The phases in which the subject also hung with longer deadlines.
    proven: Mutex<Vec<Phase>>,
    /// Processes that the harness had to end.
    lingering: AtomicUsize,
    /// The number of sessions so far, and the total size of their records.
    sessions: AtomicUsize,
    recorded: AtomicUsize,
}

impl Budget {
    /// Notes that the plain examples have run.
    pub(super) fn settle(&self) {
        let calm = lock(&self.hangs).values().all(|count| *count == 0);
        self.calm.store(calm, Ordering::Relaxed);
    }

    /// The options for a session, given what others have used.
    pub(super) fn sparing<'o>(&self, mut options: RunOptions<'o>) -> RunOptions<'o> {
        options.lingers = self.lingering.load(Ordering::Relaxed) >= HANGS;
        if self.recorded.load(Ordering::Relaxed) >= FULL_RECORDS {
            options.limits.contents = FEW_CONTENTS;
        }
        options
    }

    /// Why a case is left out, if its phases have hung too often or the records are too large.
    pub(super) fn hopeless(&self, case: &Case) -> Option<String> {
        let recorded = self.recorded.load(Ordering::Relaxed);
        let many = self.sessions.load(Ordering::Relaxed) * SMALL_RECORD;
        if recorded >= RECORDS.max(many) {
            return Some("prints or writes more than can be kept".into());
        }
        let again = case.groups.iter().any(|member| member.role == Role::Again);
        if again && self.calm.load(Ordering::Relaxed) {
            return None;
        }
        let steps = case.plan.iter().flat_map(|plan| &plan.steps);
        let planned = steps.filter_map(|step| match step {
            Step::Send(send) => Some(send.phase),
            _ => None,
        });
        // An agent may send messages of all phases.
        let agents = case.deadlines.phases();
        let agents = agents.filter(|_| case.driver == Driver::Agent);
        planned.chain(agents).find_map(|phase| {
            let why = KINDS
                .into_iter()
                .find(|(kind, _, most)| self.hung(phase, *kind) >= *most);
            why.map(|(_, does, _)| format!("{does} ({phase})"))
        })
    }

    /// Counts a session.
    pub(super) fn count(&self, session: &impl View) {
        self.sessions.fetch_add(1, Ordering::Relaxed);
        self.recorded
            .fetch_add(size(&session.reading().transcript), Ordering::Relaxed);
        for (phase, why) in session.reading().hangs() {
            *lock(&self.hangs).entry((phase, why as usize)).or_default() += 1;
        }
        let processes = session.reading().processes.iter().map(Borrow::borrow);
        let lingering = processes.filter(|process: &&Process| process.outlived);
        self.lingering
            .fetch_add(lingering.count(), Ordering::Relaxed);
    }

    /// The phase in which this session timed out, if too many sessions have timed out there.
    pub(super) fn late(&self, session: &impl View) -> Option<Phase> {
        session.reading().hangs().find_map(|(phase, why)| {
            let enough = why == Silence::Deadline && self.hung(phase, why) >= HANGS;
            (enough && !self.proven().contains(&phase)).then_some(phase)
        })
    }

    /// Notes that a phase also hung with longer deadlines.
    pub(super) fn prove(&self, phase: Phase) {
        lock(&self.proven).push(phase);
    }

    /// The phases in which the subject is known to hang.
    pub(super) fn proven(&self) -> Vec<Phase> {
        lock(&self.proven).clone()
    }

    /// Forgets the hangs of a phase: the machine was busy, not the subject hanging.
    pub(super) fn forgive(&self, phase: Phase) {
        lock(&self.hangs).remove(&(phase, Silence::Deadline as usize));
    }

    /// The subject hung twice in a row where it starts: no other session gets further.
    pub(super) fn never_starts(&self, phase: Phase) {
        lock(&self.hangs).insert((phase, Silence::Deadline as usize), HANGS);
        self.prove(phase);
    }

    fn hung(&self, phase: Phase, why: Silence) -> usize {
        let hangs = lock(&self.hangs);
        hangs.get(&(phase, why as usize)).copied().unwrap_or(0)
    }
}

/// The kinds of hangs in words, and after how many the rest is left out.
const KINDS: [(Silence, &str, usize); 5] = [
    (Silence::Deadline, "hangs", HANGS),
    (Silence::Input, "waits for more input", QUICK_HANGS),
    (Silence::Flood, "prints endlessly", HANGS),
    (Silence::Processes, "starts processes endlessly", HANGS),
    (Silence::Memory, "takes memory endlessly", HANGS),
];

/// The approximate size of a record, in bytes.
pub(crate) fn size(transcript: &Transcript) -> usize {
    let events = transcript.events.iter().map(|event| match event {
        Event::In { data, .. } | Event::Err { data, .. } | Event::Printed { data, .. } => {
            data.len()
        }
        Event::Out { data, .. } => stickler_session::weight(data),
        Event::Effects { changes, .. } => changes.iter().map(change_size).sum(),
        _ => 0,
    });
    events.sum()
}

/// A reading holds up to three copies of a change, which share paths and contents.
fn change_size(change: &Change) -> usize {
    let entries = || [&change.before, &change.after].into_iter().flatten();
    let contents = entries().filter_map(|entry| entry.content.as_deref());
    let digests = entries().filter_map(|entry| entry.digest.as_deref());
    let copied = size_of::<Change>() + digests.map(str::len).sum::<usize>();
    3 * copied + change.path.len() + contents.map(<[u8]>::len).sum::<usize>()
}
