//! The record of a session with a subject: what was planned, every byte that was sent and received,
//! effects, exits, and remaining processes. It is written and read as JSON Lines with a version
//! ([`VERSION`]).
//!
//! This crate knows no dialect: bytes are only bytes, and a request is a mark in the record. It
//! does I/O only through the given readers and writers.

mod agent;
mod bytes;
mod event;
mod file;
mod file_type;
mod first;
mod framing;
mod key;
mod name;
mod phase;
mod plan;
mod provenance;
mod relation;
mod role;
mod short_name;
mod value;
mod variation;

pub use agent::{AgentRun, Fate, ItemOutcome, Mode};
pub use bytes::Bytes;
pub use event::{
    Call, Case, Change, ChangeKind, Driver, Entry, Event, ExitCause, Facts, Input, Item, Level,
    Membership, Silence, Stream, Subject, Trap, TrapKind, Usage,
};
pub use file::{ReadError, read_transcripts, schema, write_case, write_event, write_transcripts};
pub use file_type::FileType;
pub use framing::{Framing, NameOf};
pub use key::{Key, Purpose};
pub use name::Name;
pub use phase::Phase;
pub use plan::{
    Account, Answer, AtWrite, Deadlines, Declared, Drift, Piece, Plan, PlannedCommand, Plant,
    Protection, Send, Step, Target,
};

pub use provenance::Provenance;
pub use relation::Relation;
pub use role::Role;
pub use value::Value;
pub use variation::Variation;

/// The version of the transcript format. A reader accepts no other.
pub const VERSION: u32 = 3;

/// One complete session: the case, and then the events in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// What was planned, with which subject, and where.
    pub case: Case,
    /// The events, ordered by time. The last one is [`Event::End`]; in a file, outcomes may follow
    /// it.
    pub events: Vec<Event>,
}
