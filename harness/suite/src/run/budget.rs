//! What the sessions of a run may cost, so that a subject that hangs or floods costs no more.

use super::lock;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use stickler_judge::View;
use stickler_reading::Process;
use stickler_session::RunOptions;
use stickler_transcript::{Case, Change, Driver, Event, Phase, Role, Silence, Step, Transcript};

/// Hangs of one kind after which the rest is left out.
const HANGS: usize = 3;
/// The same for hangs that are seen at once.
const QUICK_HANGS: usize = 12;
/// Records of all sessions together, in bytes, after which the rest is left out,
/// unless there are just many: then each is small.
const RECORDS: usize = 40 << 20;
/// A small record, in bytes.
const SMALL_RECORD: usize = 96 << 10;
/// Records after which contents of files are kept of small ones alone.
const FULL_RECORDS: usize = 16 << 20;
/// What is then kept of an observation's contents, in bytes.
const FEW_CONTENTS: u64 = 16 << 10;

/// What the sessions of a run have cost.
#[derive(Default)]
pub(super) struct Budget {
    /// The examples themselves have run without a hang: what repeats them is never left out,
    /// since it tells what differs by nature.
    calm: AtomicBool,
    hangs: Mutex<BTreeMap<(Phase, usize), usize>>,
    /// The phases in which it hung once more, waited for with patience.
    proven: Mutex<Vec<Phase>>,
    /// Processes that did not end by themselves.
    lingering: AtomicUsize,
    /// Sessions so far, and the size of their records.
    sessions: AtomicUsize,
    recorded: AtomicUsize,
}

impl Budget {
    /// The examples themselves have run.
    pub(super) fn settle(&self) {
        let calm = lock(&self.hangs).values().all(|count| *count == 0);
        self.calm.store(calm, Ordering::Relaxed);
    }

    /// What a session may use, given what others have used.
    pub(super) fn sparing<'o>(&self, mut options: RunOptions<'o>) -> RunOptions<'o> {
        options.lingers = self.lingering.load(Ordering::Relaxed) >= HANGS;
        if self.recorded.load(Ordering::Relaxed) >= FULL_RECORDS {
            options.limits.contents = FEW_CONTENTS;
        }
        options
    }

    /// After three hangs of a kind the rest is left out.
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
        // An agent comes to send each of them.
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

    /// The phase in which this session came to its deadline, as too many have.
    pub(super) fn late(&self, session: &impl View) -> Option<Phase> {
        session.reading().hangs().find_map(|(phase, why)| {
            let enough = why == Silence::Deadline && self.hung(phase, why) >= HANGS;
            (enough && !self.proven().contains(&phase)).then_some(phase)
        })
    }

    /// A phase's hang was seen again, with patience.
    pub(super) fn prove(&self, phase: Phase) {
        lock(&self.proven).push(phase);
    }

    /// The phases in which the subject is known to hang.
    pub(super) fn proven(&self) -> Vec<Phase> {
        lock(&self.proven).clone()
    }

    /// The deadlines of a phase were missed for want of a processor.
    pub(super) fn forgive(&self, phase: Phase) {
        lock(&self.hangs).remove(&(phase, Silence::Deadline as usize));
    }

    fn hung(&self, phase: Phase, why: Silence) -> usize {
        let hangs = lock(&self.hangs);
        hangs.get(&(phase, why as usize)).copied().unwrap_or(0)
    }
}

/// What hangs are, in words, and after how many the rest is left out.
const KINDS: [(Silence, &str, usize); 5] = [
    (Silence::Deadline, "hangs", HANGS),
    (Silence::Input, "waits for more input", QUICK_HANGS),
    (Silence::Flood, "prints endlessly", HANGS),
    (Silence::Processes, "starts processes endlessly", HANGS),
    (Silence::Memory, "takes memory endlessly", HANGS),
];

/// About how many bytes a record takes.
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

fn change_size(change: &Change) -> usize {
    let entries = [&change.before, &change.after].into_iter().flatten();
    let contents = entries.filter_map(|entry| entry.content.as_deref());
    size_of::<Change>() + change.path.len() + contents.map(<[u8]>::len).sum::<usize>()
}
