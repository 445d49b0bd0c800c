//! The contents of a transcript: the case, and the events of the session.

use crate::{
    AgentRun, Bytes, Deadlines, Declared, Drift, FileType, ItemOutcome, Key, Name, Phase, Plan,
    PlannedCommand, Protection, Provenance, Relation, Role, Variation,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Facts that a dialect notes about a case; only the dialect reads them.
pub type Facts = serde_json::Map<String, serde_json::Value>;

/// How strict a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Advice.
    May,
    /// Fails a run with `--strict`.
    Should,
    /// Fails a run.
    Must,
}

impl Level {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Level::May => "may",
            Level::Should => "should",
            Level::Must => "must",
        }
    }
}

/// Who drove the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// The conformance suite.
    #[default]
    Suite,
    /// An external agent; rules that need a partner are not exercised.
    Recorded,
    /// The reference agent, which also records its conclusions from the answers.
    Agent,
}

/// What is known about the subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Its name for people: its file name.
    pub name: String,
    /// Globs of paths whose changes do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// Paths that only stand-ins for commands change, never the subject itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<Bytes>,
    /// Created paths that only the subject's own process changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<Bytes>,
}

/// A system call that changes files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Its name in C.
    pub name: String,
    /// The path that it changes, if known; the first one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Bytes>,
    /// The program that made it, if it is not the subject itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Bytes>,
    /// Is this program a stand-in for a command, or did one start it? Only in older transcripts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stand_in: bool,
}

/// An item that a case is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The label by which requests refer to it.
    pub label: Name,
    /// The name of the example from which it was made.
    pub example: String,
    /// Its kind, in the words of its dialect. Empty if it is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Is it the author's unchanged example?
    #[serde(default)]
    pub original: bool,
    /// Does the author declare that the subject must reject it?
    #[serde(default)]
    pub invalid: bool,
    /// The expected outcomes of repeated attempts; the last one repeats. Empty if the author
    /// declares none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<String>,
    /// The classes that the first attempt has to define. Empty if the author declares none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// What was changed in it, for people: `attribute "mode" left out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What was changed in it, for rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variation: Option<Variation>,
    /// The field that was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// How a trap shows that the subject ran or followed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrapKind {
    /// A file appears if the subject runs it.
    Command,
    /// A text appears if the subject evaluates the value.
    Computed,
    /// A path that must stay untouched.
    Escape,
}

/// Something laid out to find out whether the subject runs or follows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trap {
    /// How the trap shows it.
    pub kind: TrapKind,
    /// The path or text to look for.
    pub sign: Bytes,
    /// The text that was sent.
    pub bait: Bytes,
    /// The field in which it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// A session's place in a group of sessions that are judged together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Membership {
    /// Name of the group.
    pub group: String,
    /// How the members are related.
    pub relation: Relation,
    /// The session's role in the group.
    pub role: Role,
}

/// The first event: the planned case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Version of the format.
    pub version: u32,
    /// Name of the case, unique in a run.
    pub id: String,
    /// Its name in files.
    pub dialect: String,
    /// Who drove it.
    #[serde(default)]
    pub driver: Driver,
    /// The subject of the session.
    pub subject: Subject,
    /// What the dialect knows about the subject and the case.
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts,
    /// The items that its requests are about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// The kind that it is about, if it has no items and is about one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The groups that it belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Membership>,
    /// The traps that were laid out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traps: Vec<Trap>,
    /// The scratch directories as the subject sees them; the first one is `{dir}`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dirs: Vec<Bytes>,
    /// How the scratch directory is protected in this case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protection: Option<Protection>,
    /// What is unusual about the subject's environment, each thing in a few words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surroundings: Vec<String>,
    /// Sandbox tier: `overlay`, `copy`, `none`.
    pub tier: String,
    /// What the tier cannot provide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
    /// The deadlines in force.
    #[serde(default)]
    pub deadlines: Deadlines,
    /// The run's seed.
    #[serde(default)]
    pub seed: u64,
    /// The plan; absent if an agent drove the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The started command, if an agent drove the session. Its environment may contain secrets, so
    /// it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<PlannedCommand>,
    /// What the agent that drove the session says about its run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRun>,
}

impl Case {
    /// Did an agent drive the session instead of the suite?
    pub fn is_driven(&self) -> bool {
        self.driver != Driver::Suite
    }

    /// Is an oracle to choose what happens after the planned steps?
    pub fn has_oracle(&self) -> bool {
        let plan = self.plan.as_ref();
        plan.is_some_and(|plan| plan.oracle.is_some())
    }
}

/// The announcement of a message: the `in` events that follow belong to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// Time since the session began, in microseconds.
    pub t: u64,
    /// The number of the process.
    pub process: usize,
    /// Number of the exchange in the session, from 1.
    pub exchange: usize,
    /// The kind of the message.
    pub phase: Phase,
    /// The key that names the exchange in a group.
    pub key: Key,
    /// The label of the item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Name>,
    /// Who could send it.
    pub provenance: Provenance,
    /// Must it be answered?
    pub owed: bool,
}

/// A stream of the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard input.
    Stdin,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Why the harness stopped waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Silence {
    /// The deadline passed.
    Deadline,
    /// The subject and all its descendants have read everything and wait for more.
    Input,
    /// The subject prints endlessly.
    Flood,
    /// Too many processes.
    Processes,
    /// Too much memory.
    Memory,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitCause {
    /// By itself, with this status.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Unknown: the sandbox ended with it.
    Lost,
}

/// What a process used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time in user mode, microseconds.
    pub user_us: u64,
    /// CPU time in the kernel, microseconds.
    pub system_us: u64,
    /// Peak resident size, KiB.
    pub max_rss_kib: u64,
}

/// A file system entry at an observation point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its type.
    pub kind: FileType,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Size in bytes.
    pub size: u64,
    /// Digest of the content of a regular file (blake3, hex).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The content, up to 64 KiB; or the target of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Bytes>,
}

/// How a file system entry changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Created,
    /// Its content differs.
    Changed,
    /// The same content was written again.
    Rewritten,
    /// It was deleted.
    Deleted,
    /// Its permission bits differ.
    Mode,
    /// Its owner or group differs.
    Owner,
    /// Its extended attributes differ.
    Xattr,
    /// The link points elsewhere.
    Link,
}

impl ChangeKind {
    /// What happened to the path, in words that follow it. Nothing of one that is new: its sign says so.
    pub fn words(self) -> &'static str {
        match self {
            ChangeKind::Created => "",
            ChangeKind::Changed => "changed",
            ChangeKind::Rewritten => "same content written again",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Mode => "other mode",
            ChangeKind::Owner => "other owner",
            ChangeKind::Xattr => "other extended attributes",
            ChangeKind::Link => "the link leads elsewhere",
        }
    }

    /// The sign before the path.
    pub fn sign(self) -> &'static str {
        match self {
            ChangeKind::Created => "+",
            ChangeKind::Deleted => "-",
            _ => "±",
        }
    }
}

/// An effect: a change of one file system entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Absolute path as the subject sees it.
    pub path: Bytes,
    /// What happened.
    pub kind: ChangeKind,
    /// The entry before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Entry>,
    /// The entry after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Entry>,
}

impl fmt::Display for Change {
    /// The effect on one line, such as `created /etc/x (file, 0644, 0:0, "text")`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = format!("{:?}", self.kind).to_lowercase();
        write!(f, "{kind} {}", self.path.lossy())?;
        let Some(entry) = &self.after else {
            return Ok(());
        };
        let kind = format!("{:?}", entry.kind).to_lowercase();
        write!(
            f,
            " ({kind}, {:04o}, {}:{}",
            entry.mode, entry.uid, entry.gid
        )?;
        match (&entry.content, &entry.digest) {
            (Some(content), _) => write!(f, ", \"{}\")", content.escape_ascii()),
            (None, Some(digest)) => write!(f, ", blake3 {digest})"),
            (None, None) => f.write_str(")"),
        }
    }
}

/// One event of a session. Times (`t`) are microseconds since the session began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A process of the subject was started.
    Start {
        /// When.
        t: u64,
        /// Its number.
        process: usize,
    },
    /// A message begins.
    Request(Input),
    /// Bytes that were written to the subject's standard input.
    In {
        /// When.
        t: u64,
        /// Which process.
        process: usize,
        /// The bytes.
        data: Bytes,
    },
    /// Bytes from the subject's standard output.
    Out {
        /// When.
        t: u64,
        /// Which process.
        process: usize,
        /// The bytes.
        data: Bytes,
    },
    /// Bytes from the standard output of a subject that has a separate channel for messages.
    Printed {
        /// When.
        t: u64,
        /// Which process.
        process: usize,
        /// The bytes.
        data: Bytes,
    },
    /// Bytes from the subject's standard error.
    Err {
        /// When.
        t: u64,
        /// Which process.
        process: usize,
        /// The bytes.
        data: Bytes,
    },
    /// Nothing was sent for a planned message: the exchange that it requires was not accepted, or the
    /// agent had no reason to send it.
    Unsent {
        /// When.
        t: u64,
        /// The key of the message.
        key: Key,
    },
    /// A stream was closed.
    Closed {
        /// When.
        t: u64,
        /// Which process.
        process: usize,
        /// Which stream.
        stream: Stream,
        /// Did the harness close it, and not the subject?
        by_harness: bool,
    },
    /// The harness stopped waiting.
    Silent {
        /// When.
        t: u64,
        /// The process.
        process: usize,
        /// Why.
        why: Silence,
        /// How long it had waited, in microseconds.
        waited_us: u64,
    },
    /// The harness, or the agent, sent a signal.
    Killed {
        /// When.
        t: u64,
        /// The process.
        process: usize,
    },
    /// How many calls that change files were made since the previous message, without those of
    /// stand-ins for commands.
    Writes {
        /// When.
        t: u64,
        /// The process that made them, itself or through its descendants.
        process: usize,
        /// How many.
        count: u32,
        /// Which of them was made to fail, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<u32>,
        /// The call that failed, or that was about to begin when the process was killed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<Box<Call>>,
        /// Paths that only stand-ins for commands changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        foreign: Vec<Bytes>,
        /// Paths that only the process itself changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        own: Vec<Bytes>,
    },
    /// A process of the subject ended.
    Exit {
        /// When.
        t: u64,
        /// Which.
        process: usize,
        /// How.
        cause: ExitCause,
        /// What it used.
        usage: Usage,
    },
    /// Changes since the previous observation.
    Effects {
        /// When.
        t: u64,
        /// The point's name in the plan.
        point: String,
        /// What changed.
        changes: Vec<Change>,
        /// Were there more changes than are recorded?
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
    },
    /// What was found where an author declared something.
    Verified {
        /// When.
        t: u64,
        /// The key of the exchange after which it was looked.
        key: Key,
        /// What the author declared.
        declared: Box<Declared>,
        /// What is at the path; nothing, if it is missing or a command was declared.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        found: Option<Box<Entry>>,
        /// Why a declared command did not succeed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<String>,
    },
    /// Memory and descriptors of a process.
    Sample {
        /// When.
        t: u64,
        /// Which process.
        process: usize,
        /// Requests sent so far.
        requests: usize,
        /// Resident size, KiB.
        rss_kib: u64,
        /// Open descriptors.
        descriptors: usize,
    },
    /// The harness changed a file.
    Drifted {
        /// When.
        t: u64,
        /// What was done.
        drift: Box<Drift>,
        /// Why it could not be done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<String>,
        /// Was no process there but the subject's own, before a command and after it? Then it ended none.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        alone: bool,
    },
    /// The harness protected the scratch directory against writes.
    Protected {
        /// When.
        t: u64,
        /// In which way.
        how: Protection,
    },
    /// The plan named this moment.
    Marked {
        /// When.
        t: u64,
        /// The name.
        mark: Name,
    },
    /// The plan waited for a notification.
    Listened {
        /// When the wait ended.
        t: u64,
        /// The process.
        process: usize,
        /// The name of the awaited notification; any if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<Name>,
        /// Only one that came after this mark counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Name>,
        /// Did one come within the time?
        heard: bool,
        /// Was it acknowledged?
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        acknowledged: bool,
        /// How long the harness waited, in microseconds.
        waited_us: u64,
    },
    /// Processes that outlived the subject.
    Left {
        /// When.
        t: u64,
        /// Their command lines.
        processes: Vec<String>,
        /// Does one of them still hold the subject's standard output?
        holds_stdout: bool,
        /// Does one of them still hold the subject's standard input?
        holds_stdin: bool,
    },
    /// The agent's conclusion about an item. Only an agent that keeps the record itself can tell.
    Outcome(Box<ItemOutcome>),
    /// The record has reached its limit; what follows is missing.
    Full {
        /// When.
        t: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The session could not continue for a reason that the subject did not cause.
    Trouble {
        /// When.
        t: u64,
        /// What went wrong.
        message: String,
    },
    /// The session is over.
    End {
        /// When.
        t: u64,
        /// Were all steps executed?
        complete: bool,
    },
}

impl Event {
    /// When it happened, in microseconds since the session began.
    pub fn time(&self) -> u64 {
        match self {
            Event::Request(input) => input.t,
            Event::Outcome(outcome) => outcome.t,
            Event::Start { t, .. }
            | Event::In { t, .. }
            | Event::Out { t, .. }
            | Event::Printed { t, .. }
            | Event::Err { t, .. }
            | Event::Unsent { t, .. }
            | Event::Closed { t, .. }
            | Event::Silent { t, .. }
            | Event::Killed { t, .. }
            | Event::Writes { t, .. }
            | Event::Exit { t, .. }
            | Event::Effects { t, .. }
            | Event::Verified { t, .. }
            | Event::Sample { t, .. }
            | Event::Drifted { t, .. }
            | Event::Protected { t, .. }
            | Event::Marked { t, .. }
            | Event::Listened { t, .. }
            | Event::Left { t, .. }
            | Event::Full { t, .. }
            | Event::Trouble { t, .. }
            | Event::End { t, .. } => *t,
        }
    }
}
