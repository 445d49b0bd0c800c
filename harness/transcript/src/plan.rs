//! A planned session: what to start, what to send, when to look. Plain data,
//! so that it can stand in a transcript and be run again.

use crate::{Bytes, Name, Phase, Provenance};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A planned session, complete enough to run it again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The commands that steps start, by index. Paths are as the subject sees
    /// them; `{dir}` and its like are replaced already.
    pub commands: Vec<PlannedCommand>,
    /// Files that lie in the scratch space before anything starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plants: Vec<Plant>,
    /// Names of programs that stand in for commands: what they change, the subject does not
    /// change by itself.
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
}

/// A command line with its surroundings.
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
    /// Run without the privileges that overrule file permissions.
    #[serde(default)]
    pub unprivileged: bool,
    /// It is spoken with on descriptors 3, which it reads from, and 4, which it writes to;
    /// standard input is empty then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub channel: bool,
}

/// A file put into the scratch space before the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plant {
    /// Absolute path in the scratch space.
    pub path: Bytes,
    /// What it holds.
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
    /// A file system of its own, so that it can be protected.
    Separate,
    /// A file system small enough to be filled.
    Small,
}

/// How the scratch directory refuses writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protection {
    /// Mounted read-only.
    ReadOnly,
    /// No space is left.
    Full,
    /// Owned by another user and closed for writing.
    Forbidden,
}

/// Whether and when an answer is awaited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Waited for at once.
    #[default]
    Now,
    /// A later [`Step::Await`] waits for it.
    Later,
    /// None is owed (a broken request): waited for a short while, its absence
    /// proves nothing.
    Optional,
}

/// A part of a message, written with one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Pause before it, in microseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pause_us: u64,
    /// The bytes.
    pub data: Bytes,
}

/// What to do about calls that change files, by a process or what it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtWrite {
    /// Count them.
    Count,
    /// Right before the call of this number, from 1, kill all that could go on.
    Kill(u32),
    /// The call of this number, from 1, fails as on a medium that is broken (EIO).
    Fail(u32),
}

/// A message to the subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Send {
    /// To which process.
    #[serde(default, skip_serializing_if = "is_zero_usize")]
    pub process: usize,
    /// What kind of message it is.
    pub phase: Phase,
    /// Names the exchange: in a group, exchanges with the same key are compared.
    pub key: Name,
    /// The label of the item that it is about (see [`crate::Item`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Name>,
    /// Who could send this.
    pub provenance: Provenance,
    /// Sent only when the exchange of this key was answered with acceptance
    /// (validation said `valid`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<Name>,
    /// The bytes, in the pieces in which they are written.
    pub pieces: Vec<Piece>,
    /// Is an answer awaited?
    #[serde(default)]
    pub answer: Answer,
    /// How long to wait for the answer, in microseconds.
    pub deadline_us: u64,
    /// Kill the process this long after the last byte was written, in
    /// microseconds, if it has not answered by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill_after_us: Option<u64>,
    /// What to do about calls that change files while the message is answered.
    /// Where the kernel can't announce them, nothing is done.
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

/// A change that the harness itself makes in the scratch space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "drift", rename_all = "snake_case")]
pub enum Drift {
    /// Replaces the content of a file, keeping the file.
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
    /// Sets owner and group, where that is allowed.
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
        /// Where the link lies.
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
}

impl Drift {
    /// What is changed.
    pub fn path(&self) -> &Bytes {
        match self {
            Drift::Write { path, .. }
            | Drift::Mode { path, .. }
            | Drift::Owner { path, .. }
            | Drift::Link { path, .. }
            | Drift::Directory { path }
            | Drift::Remove { path } => path,
        }
    }
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    /// Runs a command to its end; it has to succeed.
    Run {
        /// Index into [`Plan::commands`].
        command: usize,
        /// How long it may take, in microseconds.
        deadline_us: u64,
    },
    /// Starts a command that runs beside the session and waits until it is ready.
    Service {
        /// Index into [`Plan::commands`].
        command: usize,
        /// Ready when a connection to this address succeeds (`host:port`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ready: Option<String>,
        /// How long it may take, in microseconds.
        deadline_us: u64,
    },
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
    /// Reads the effects since the last observation.
    Observe {
        /// A name for the point.
        point: String,
    },
    /// Lets time pass, taking what the subject prints.
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
    /// Waits until the process has sent a notification that nobody has waited for yet.
    Listen {
        /// Which process.
        process: usize,
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
    /// Ends the process at once.
    Kill {
        /// Which process.
        process: usize,
    },
    /// Closes the scratch directory for writing.
    Protect {
        /// In which way.
        how: Protection,
    },
    /// Changes files behind the subject's back.
    Drift(Drift),
    /// Measures memory and descriptors.
    Sample {
        /// Of which process.
        process: usize,
    },
}

/// How long the subject may take for a message of each phase, in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Deadlines(BTreeMap<Phase, u64>);

impl Deadlines {
    /// The deadline of a phase without one of its own, in microseconds.
    pub const USUAL_US: u64 = 2_000_000;

    /// The deadline of a phase, in microseconds.
    pub fn of(&self, phase: Phase) -> u64 {
        let known = self.0.get(&phase).or_else(|| self.0.get(&Phase::OTHER));
        known.copied().unwrap_or(Self::USUAL_US)
    }

    /// The phases that have one of their own.
    pub fn phases(&self) -> impl Iterator<Item = Phase> {
        self.0.keys().copied()
    }

    /// Is none set?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the deadline of a phase; that of [`Phase::OTHER`] holds for all phases without
    /// one of their own.
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
    reason = "serde asks for a reference"
)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_zero_usize(n: &usize) -> bool {
    *n == 0
}
