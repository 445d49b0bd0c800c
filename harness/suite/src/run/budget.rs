//! What the sessions of a run may cost, so that a subject that hangs or floods does not cost more.

use super::lock;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use stickler_judge::AnySession;
use stickler_session::RunOptions;
use stickler_transcript::{
    Case, Change, Driver, Event, Name, Phase, Role, Silence, Step, Transcript,
};

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
    /// How often it hung, by phase, kind of item and kind of hang.
    hangs: Mutex<BTreeMap<(Phase, String, usize), usize>>,
    /// The phases in which it also hung with longer deadlines, with the kind of item.
    proven: Mutex<Vec<(Phase, String)>>,
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
            let most = RECORDS >> 20;
            return Some(format!(
                "prints, logs, sends or writes more than can be kept ({most} MB)"
            ));
        }
        let again = case.groups.iter().any(|member| member.role == Role::Again);
        if again && self.calm.load(Ordering::Relaxed) {
            return None;
        }
        let steps = case.plan.iter().flat_map(|plan| &plan.steps);
        let planned = steps.filter_map(|step| match step {
            Step::Send(send) => Some((send.phase, kind_of(case, send.item.as_ref()))),
            _ => None,
        });
        // An agent may send messages of all phases about all its items.
        let mut kinds: Vec<&str> = case.items.iter().map(|item| &*item.kind).collect();
        kinds.push(kind_of(case, None));
        let agents = case.deadlines.phases();
        let agents = agents.filter(|_| case.driver == Driver::Agent);
        let agents = agents.flat_map(|phase| kinds.iter().map(move |kind| (phase, *kind)));
        planned.chain(agents).find_map(|(phase, kind)| {
            let why = SILENCES
                .into_iter()
                .find(|(why, _, most)| self.hung(phase, kind, *why) >= *most);
            why.map(|(_, does, _)| format!("{does} ({phase})"))
        })
    }

    /// Counts a session.
    pub(super) fn count(&self, session: &AnySession) {
        self.sessions.fetch_add(1, Ordering::Relaxed);
        self.recorded
            .fetch_add(size(session.reading().transcript()), Ordering::Relaxed);
        for (phase, kind, why) in hangs_by_kind(session) {
            let key = (phase, kind.to_owned(), why as usize);
            *lock(&self.hangs).entry(key).or_default() += 1;
        }
        let processes = session.reading().processes();
        let lingering = processes.filter(|process| process.outlived);
        self.lingering
            .fetch_add(lingering.count(), Ordering::Relaxed);
    }

    /// The phase in which this session timed out, if too many sessions have timed out there.
    pub(super) fn late(&self, session: &AnySession) -> Option<Phase> {
        hangs_by_kind(session).find_map(|(phase, kind, why)| {
            let enough = why == Silence::Deadline && self.hung(phase, kind, why) >= HANGS;
            let is_new = || !lock(&self.proven).contains(&(phase, kind.to_owned()));
            (enough && is_new()).then_some(phase)
        })
    }

    /// Notes that a phase in which this session hung also hung with longer deadlines.
    pub(super) fn prove(&self, session: &AnySession, phase: Phase) {
        let hangs = hangs_by_kind(session).filter(|(hung, ..)| *hung == phase);
        let kinds = hangs.map(|(phase, kind, _)| (phase, kind.to_owned()));
        lock(&self.proven).extend(kinds);
    }

    /// The phases in which the subject is known to hang.
    pub(super) fn proven(&self) -> Vec<Phase> {
        let mut phases: Vec<Phase> = lock(&self.proven).iter().map(|(phase, _)| *phase).collect();
        phases.dedup();
        phases
    }

    /// Forgets the hangs of a session in a phase: the machine was busy, not the subject hanging.
    pub(super) fn forgive(&self, session: &AnySession, phase: Phase) {
        for (hung, kind, _) in hangs_by_kind(session) {
            if hung == phase {
                let key = (phase, kind.to_owned(), Silence::Deadline as usize);
                lock(&self.hangs).remove(&key);
            }
        }
    }

    /// The subject hung twice in a row where it starts: no other session gets further.
    pub(super) fn never_starts(&self, phase: Phase) {
        let key = (phase, ALL.to_owned(), Silence::Deadline as usize);
        lock(&self.hangs).insert(key, HANGS);
        lock(&self.proven).push((phase, ALL.to_owned()));
    }

    /// How often the subject hung in a phase, about items of this kind or about none.
    fn hung(&self, phase: Phase, kind: &str, why: Silence) -> usize {
        let hangs = lock(&self.hangs);
        let of = |kind: &str| {
            let key = (phase, kind.to_owned(), why as usize);
            hangs.get(&key).copied().unwrap_or(0)
        };
        match kind {
            ALL => of(ALL),
            kind => of(kind).max(of(ALL)),
        }
    }
}

/// The kind of what is about no item.
const ALL: &str = "";

/// The kind of what an exchange is about.
fn kind_of<'c>(case: &'c Case, item: Option<&Name>) -> &'c str {
    let Some(label) = item else {
        return case.kind.as_deref().unwrap_or(ALL);
    };
    let item = case.items.iter().find(|item| item.label == *label);
    item.map_or(ALL, |item| &item.kind)
}

/// The phases in which a session hung, with the kind of item and how the wait ended.
fn hangs_by_kind(session: &AnySession) -> impl Iterator<Item = (Phase, &str, Silence)> {
    let reading = session.reading();
    reading.hanging().map(|(exchange, why)| {
        let kind = kind_of(session.case(), exchange.item.as_ref());
        (exchange.phase, kind, why)
    })
}

/// The kinds of hangs in words, and after how many the rest is left out.
const SILENCES: [(Silence, &str, usize); 5] = [
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
