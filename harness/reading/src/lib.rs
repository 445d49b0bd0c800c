//! A transcript as exchanges, processes and observations, for any dialect.
//!
//! A [`Reading`] contains what was sent, what came back, and what changed in between. The dialect
//! interprets the messages: it wraps [`Exchange`] and [`Process`] in its own types
//! ([`Reading::map`]) and adds what it parses.

mod any;
mod declared;
mod effects;
mod entries;
mod exchange;
pub mod foreign;
mod gathered;
mod process;
mod reader;
mod reading;
pub mod sections;
pub mod words;

pub use any::AnyReading;
pub use declared::{Broken, Look, looks, otherwise};
pub use effects::{
    CALLS, FAILED, Observed, above, command_failed, is_harness, never_counts, within,
};
pub use entries::{entry_difference, kind_words, same_content, same_entry};
pub use exchange::{Ended, Exchange, Writes};
pub use gathered::Gathered;
pub use process::{Left, Listened, Mark, Notification, Observation, Process};
pub use reading::Reading;
