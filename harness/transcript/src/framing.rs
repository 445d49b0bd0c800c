//! Where a dialect's messages end.

use crate::{Name, Phase};

/// Reads the name of a message, if it has one.
pub type NameOf = fn(&[u8]) -> Option<Name>;

/// What the session, and readers of its record, need to know about messages.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// The length of the first complete message in a buffer. The second argument is the number of
    /// bytes that were searched before and contain no end.
    pub message_end: fn(&[u8], usize) -> Option<usize>,
    /// Reads the name of a notification; `None` for an answer. A dialect may have none at all.
    pub notification: Option<NameOf>,
    /// The phase of the last message, whose answer an agent need not wait for.
    pub last: Option<Phase>,
}
