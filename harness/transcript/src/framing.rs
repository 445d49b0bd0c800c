//! How a dialect's messages are told apart.

use crate::Phase;

/// What the session and those who read its record have to know of a wire.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    /// The length of the first whole message in a buffer, of which so many bytes were looked
    /// through before and hold no end.
    pub message_end: fn(&[u8], usize) -> Option<usize>,
    /// Is a message no answer, but news that nobody asked for? `None` where there are no such.
    pub notifies: Option<fn(&[u8]) -> bool>,
    /// The phase of the message to which an agent need not wait for an answer.
    pub last: Option<Phase>,
}
