//! A planned session: what to start, what to send, when to observe. It is plain data, so that a
//! transcript can contain it and it can be run again.

use crate::{Bytes, FileType, Key, Name, Phase, Provenance};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A planned session, complete enough to run it again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The commands that steps start, by index. Paths are as the subject sees them; placeholders
    /// such as `{dir}` are already replaced.
    pub commands: Vec<PlannedCommand>,
    /// Files that are put into the scratch space before anything starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plants: Vec<Plant>,
    /// Names of programs that stand in for commands. Their changes do not count as the subject's
    /// own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stand_ins: Vec<Bytes>,
    /// What the scratch directory is.
    #[serde(default)]
    pub target: Target,
    /// May the harness choose one CPU for itself and the subject?
    #[serde(default)]
    pub pinned: bool,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// What an oracle does after these steps, in the words of its dialect. It chooses further steps,
    /// which the plan of a held session has instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<Bytes>,
}

impl Plan {
    /// How long its steps pause, in microseconds.
    pub fn pauses_us(&self) -> u64 {
        let pause = |step: &Step| match step {
            Step::Pause { us } => *us,
            Step::Send(send) => send.pieces.iter().map(|piece| piece.pause_us).sum(),
            _ => 0,
        };
        self.steps.iter().map(pause).sum()
    }

    /// Does it kill the subject by the clock? What the subject did by then is never quite the same.
    pub fn kills_by_clock(&self) -> bool {
        let by_clock = |step: &Step| match step {
            Step::Send(send) => send.kill_after_us.is_some(),
            _ => false,
        };
        self.steps.iter().any(by_clock)
    }
}

/// A command line with its environment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlannedCommand {
    /// Program (an absolute path, or a name for `PATH`) and arguments.
    pub argv: Vec<Bytes>,
    /// The whole environment.
    pub env: Vec<(Bytes, Bytes)>,
    /// Working directory.
    pub cwd: Bytes,
    /// File mode creation mask.
    pub umask: u32,
    /// Does it run without the privileges that override file permissions?
    #[serde(default)]
    pub unprivileged: bool,
    /// Does it have a separate channel for messages? It reads from descriptor 3 and writes to
    /// descriptor 4, and its standard input is empty.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub channel: bool,
}

/// A file put into the scratch space before the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plant {
    /// Absolute path in the scratch space.
    pub path: Bytes,
    /// Its content.
    pub content: Bytes,
    /// Permission bits.
    pub mode: u32,
}

/// What the scratch directory of a session is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// An ordinary directory.
    #[default]
    Plain,
    /// A separate file system, so that it can be protected.
    Separate,
    /// A file system that is small enough to be filled.
    Small,
}

/// How the scratch directory refuses writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protection {
    /// Mounted read-only.
    ReadOnly,
    /// No space is left.
    Full,
    /// Owned by another user and not writable.
    Forbidden,
}

/// Whether and when the session waits for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The session waits at once.
    #[default]
    Now,
    /// A later [`Step::Await`] waits for it.
    Later,
    /// No answer is owed (a broken request). The session waits for a short time, and a missing
    /// answer proves nothing.
    Optional,
}

/// A part of a message that is written with one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Pause before it, in microseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pause_us: u64,
    /// The bytes.
    pub data: Bytes,
}

/// What to do about calls that change files, made by a process or its descendants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtWrite {
    /// Count them.
    Count,
    /// Right before the call with this number, from 1, kill all processes that could continue.
    Kill(u32),
    /// Make the call with this number, from 1, fail as on a broken medium (EIO).
    Fail(u32),
}

/// A message to the subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Send {
    /// The number of the process.
    #[serde(default, skip_serializing_if = "is_zero_usize")]
    pub process: usize,
    /// The kind of the message.
    pub phase: Phase,
    /// The key that names the exchange: in a group, exchanges with the same key are compared.
    pub key: Key,
    /// The label of its item (see [`crate::Item`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Name>,
    /// Who could send this.
    pub provenance: Provenance,
    /// Sent only if the exchange with this key was accepted (validation answered `valid`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<Key>,
    /// The bytes, in the pieces in which they are written.
    pub pieces: Vec<Piece>,
    /// Does the session wait for an answer?
    #[serde(default)]
    pub answer: Answer,
    /// How long to wait for the answer, in microseconds.
    pub deadline_us: u64,
    /// Kills the process this long after the last byte was written, in microseconds, if it has not
    /// answered by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill_after_us: Option<u64>,
    /// What to do about calls that change files while the message is answered. If the kernel cannot
    /// announce such calls, nothing is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_write: Option<AtWrite>,
}

impl Send {
    /// All of its bytes.
    pub fn message(&self) -> Vec<u8> {
        let pieces: Vec<&[u8]> = self.pieces.iter().map(|piece| &piece.data[..]).collect();
        pieces.concat()
    }
}

/// A change that the harness makes in the scratch space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "drift", rename_all = "snake_case")]
pub enum Drift {
    /// Replaces the content of an existing file.
    Write {
        /// Which file.
        path: Bytes,
        /// Its new content.
        content: Bytes,
    },
    /// Sets permission bits.
    Mode {
        /// Of what.
        path: Bytes,
        /// Permission bits.
        mode: u32,
    },
    /// Sets owner and group, if that is allowed.
    Owner {
        /// Of what.
        path: Bytes,
        /// User id.
        uid: u32,
        /// Group id.
        gid: u32,
    },
    /// Makes a symbolic link.
    Link {
        /// The path of the link.
        path: Bytes,
        /// What it points to.
        target: Bytes,
    },
    /// Makes a directory.
    Directory {
        /// Where.
        path: Bytes,
    },
    /// Removes a file, link or empty directory.
    Remove {
        /// Which.
        path: Bytes,
    },
    /// Runs a command to its end.
    Command {
        /// Index into [`Plan::commands`].
        command: usize,
        /// The command line, for people.
        words: Vec<Bytes>,
        /// How long it may take, in microseconds.
        deadline_us: u64,
        /// May it fail, since it undoes what the subject may not have done?
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        may_fail: bool,
    },
}

impl Drift {
    /// The path that is changed; `None` if a command changes something.
    pub fn path(&self) -> Option<&Bytes> {
        match self {
            Drift::Command { .. } => None,
            Drift::Write { path, .. }
            | Drift::Mode { path, .. }
            | Drift::Owner { path, .. }
            | Drift::Link { path, .. }
            | Drift::Directory { path }
            | Drift::Remove { path } => Some(path),
        }
    }
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// Runs a command to its end; it must succeed.
    Run {
        /// Index into [`Plan::commands`].
        command: usize,
        /// How long it may take, in microseconds.
        deadline_us: u64,
    },
    /// Starts a command that runs in the background, and waits until it is ready.
    Service {
        /// Index into [`Plan::commands`].
        command: usize,
        /// Ready when a connection to this address succeeds (`host:port`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ready: Option<String>,
        /// How long it may take, in microseconds.
        deadline_us: u64,
    },
    /// Kills all services.
    StopServices,
    /// Starts all services of earlier steps once more. One that does not start stays away.
    RestartServices,
    /// Starts the subject as process number `process`.
    Start {
        /// Number that later steps use.
        process: usize,
        /// Index into [`Plan::commands`].
        command: usize,
    },
    /// Sends a message.
    Send(Send),
    /// Waits for the answer of a message sent with [`Answer::Later`].
    Await {
        /// From which process.
        process: usize,
    },
    /// Records the effects since the last observation.
    Observe {
        /// A name for the point.
        point: String,
    },
    /// Lets time pass, and reads what the subject prints.
    Pause {
        /// How long, in microseconds.
        us: u64,
    },
    /// Closes the subject's standard input.
    CloseInput {
        /// Of which process.
        process: usize,
    },
    /// Closes the harness's end of the subject's standard output.
    CloseOutput {
        /// Of which process.
        process: usize,
    },
    /// Names this moment, so that later steps can wait for what came after it.
    Mark {
        /// The name; a later mark with the same name replaces it.
        mark: Name,
    },
    /// Waits for a notification from the process that no earlier step has heard.
    Listen {
        /// Which process.
        process: usize,
        /// The name of the notification; any if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<Name>,
        /// Only one that came after this mark counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Name>,
        /// Is it acknowledged at once? The subject may wait for that.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        acknowledge: bool,
        /// How long it may take, in microseconds.
        deadline_us: u64,
    },
    /// Waits until the process has ended.
    AwaitExit {
        /// Which process.
        process: usize,
        /// How long it may take, in microseconds.
        deadline_us: u64,
    },
    /// Kills the process at once.
    Kill {
        /// Which process.
        process: usize,
    },
    /// Protects the scratch directory against writes.
    Protect {
        /// In which way.
        how: Protection,
    },
    /// Changes files without the subject's knowledge.
    Drift(Drift),
    /// Measures memory and descriptors.
    Sample {
        /// Of which process.
        process: usize,
    },
    /// Looks whether what the author declared holds after an exchange.
    Verify {
        /// The key of the exchange.
        key: Key,
        /// What the author declared.
        declared: Box<Declared>,
    },
}

/// A user or a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Account {
    /// By its number.
    Number(u32),
    /// By a name that the machine does not have: it is looked up in the sandbox.
    Name(String),
}

/// What an author declares to hold after the evaluation of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "declared", rename_all = "snake_case")]
pub enum Declared {
    /// Something is at a path.
    Creates {
        /// Absolute path as the subject sees it.
        path: Bytes,
        /// Its type, if declared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<FileType>,
        /// Its permission bits, if declared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
        /// Its owner, if declared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<Account>,
        /// Its group, if declared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<Account>,
        /// Its content or, for a link, its target, if declared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Bytes>,
    },
    /// Nothing is at a path.
    Absent {
        /// Absolute path as the subject sees it.
        path: Bytes,
    },
    /// A command succeeds.
    Succeeds {
        /// Index into [`Plan::commands`].
        command: usize,
        /// The command line, for people.
        words: Vec<Bytes>,
        /// How long it may take, in microseconds.
        deadline_us: u64,
    },
}

/// How long the subject may take for a message of each phase, in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Deadlines(BTreeMap<Phase, u64>);

impl Deadlines {
    /// The deadline of a phase that has no own deadline, in microseconds.
    pub const USUAL_US: u64 = 2_000_000;

    /// The deadline of a phase, in microseconds.
    pub fn of(&self, phase: Phase) -> u64 {
        let known = self.0.get(&phase).or_else(|| self.0.get(&Phase::OTHER));
        known.copied().unwrap_or(Self::USUAL_US)
    }

    /// The phases that have their own deadline.
    pub fn phases(&self) -> impl Iterator<Item = Phase> {
        self.0.keys().copied()
    }

    /// Is no deadline set?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the deadline of a phase; that of [`Phase::OTHER`] applies to all phases without an own
    /// deadline.
    pub fn set(&mut self, phase: Phase, us: u64) {
        self.0.insert(phase, us);
    }
}

impl<const N: usize> From<[(Phase, u64); N]> for Deadlines {
    fn from(deadlines: [(Phase, u64); N]) -> Self {
        Self(deadlines.into())
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero_usize(n: &usize) -> bool {
    *n == 0
}
