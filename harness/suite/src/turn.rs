//! Tells the session layer what a message of this dialect is.

use stickler_session::Wire;
use stickler_transcript::Phase;

/// The promise module protocol, both variants.
pub(crate) struct PromiseWire;

impl Wire for PromiseWire {
    fn message_end(&self, buffer: &[u8], scanned: usize) -> Option<usize> {
        cfengine_protocol::message_len(buffer, scanned)
    }

    fn accepts(&self, phase: Phase, answer: &[u8]) -> bool {
        cfengine_protocol::accepts(phase, answer)
    }
}
