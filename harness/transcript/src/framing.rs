//! Where a dialect's messages end.

use crate::Phase;

/// What the session, and readers of its record, need to know about messages.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// The length of the first complete message in a buffer. The second argument is the number of
    /// bytes that were searched before and contain no end.
    pub message_end: fn(&[u8], usize) -> Option<usize>,
    /// Is this message a notification instead of an answer? `None` if the dialect has none.
    pub notifies: Option<fn(&[u8]) -> bool>,
    /// The phase of the last message, whose answer an agent need not wait for.
    pub last: Option<Phase>,
}
