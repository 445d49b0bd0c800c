//! The processes of a session, and observations outside the exchanges.

use stickler_transcript::{Bytes, Change, ExitCause, Name};

/// One process of the subject.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// How and when it ended.
    pub exit: Option<(u64, ExitCause)>,
    /// Did the harness kill it?
    pub killed: bool,
    /// When the harness closed its standard input.
    pub input_closed_at: Option<u64>,
    /// Did the subject close its standard input?
    pub closed_input: bool,
    /// When the subject closed its standard output before its end.
    pub closed_output_at: Option<u64>,
    /// Did it miss the deadline for its end?
    pub outlived: bool,
    /// When it was started.
    pub started_at: u64,
    /// The number of the first exchange whose answer may belong to an earlier message, because an
    /// extra message may have come.
    pub out_of_step: Option<usize>,
    /// Notifications, if the dialect has them.
    pub notifications: Vec<Notification>,
    /// The waits for notifications.
    pub listened: Vec<Listened>,
}

impl Process {
    /// Notes a wait, and finds the notification that it ended with as the session did: the first that
    /// no earlier wait has heard.
    pub(crate) fn listened(
        &mut self,
        mut listened: Listened,
        from: usize,
        heard: bool,
        acknowledged: bool,
    ) {
        let all = self.notifications.iter_mut().enumerate();
        let is_it = |one: &Notification| {
            let name = listened.name.as_ref();
            !one.heard && name.is_none_or(|name| *name == one.name)
        };
        let mut all = all.skip(from);
        if let Some((place, found)) = all.find(|(_, one)| heard && is_it(one)) {
            found.heard = true;
            found.acknowledged_at = acknowledged.then_some(listened.t);
            listened.heard = Some(place);
        }
        self.listened.push(listened);
    }
}

/// A message that is no answer.
#[derive(Clone, Debug)]
pub struct Notification {
    /// When it was complete.
    pub t: u64,
    /// Its name.
    pub name: Name,
    /// The number of the exchange during which it came, if any.
    pub exchange: Option<usize>,
    /// Its bytes.
    pub message: Bytes,
    /// Has a wait ended with it?
    pub heard: bool,
    /// When it was acknowledged.
    pub acknowledged_at: Option<u64>,
}

/// A moment that the plan named.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// Its name.
    pub name: Name,
    /// When it was.
    pub t: u64,
    /// How many notifications each process had sent.
    pub(crate) counts: Vec<usize>,
}

/// A wait for a notification.
#[derive(Clone, Debug)]
pub struct Listened {
    /// When it ended.
    pub t: u64,
    /// The name of the awaited notification; any if absent.
    pub name: Option<Name>,
    /// The mark after which it had to come.
    pub since: Option<Mark>,
    /// The place of the notification among those of its process; none came within the time if absent.
    pub heard: Option<usize>,
    /// How long it took, in microseconds.
    pub waited_us: u64,
}

/// A point at which effects were recorded.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Its name in the plan.
    pub point: String,
    /// The numbers of the exchanges since the previous observation.
    pub exchanges: Vec<usize>,
    /// The changes since the previous observation, without those that never count.
    pub changes: Vec<Change>,
    /// Were there more changes than are recorded?
    pub truncated: bool,
}

/// Processes that outlived the subject.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Their command lines.
    pub processes: Vec<String>,
    /// Does one of them still hold the protocol's standard output?
    pub holds_stdout: bool,
    /// Does one of them still hold the protocol's standard input?
    pub holds_stdin: bool,
}
