//! A transcript as exchanges, processes and observations, whatever the dialect.
//!
//! A [`Reading`] says what was sent, what came back and what changed meanwhile. What the
//! messages mean is the dialect's to say: it wraps [`Exchange`] and [`Process`] in types of its
//! own ([`Reading::map`]) and adds what it reads in them.

mod effects;
mod exchange;
mod gathered;
mod process;
mod reader;
mod reading;
pub mod words;

pub use effects::{AFTER_FAILURE, CALLS, above, is_harness, never_counts, within};
pub use exchange::{Ended, Exchange, Writes};
pub use gathered::Gathered;
pub use process::{Left, Notification, Observation, Process};
pub use reading::Reading;
