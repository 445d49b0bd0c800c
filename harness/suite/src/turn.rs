//! Tells the session layer what a message of this dialect is.

use stickler_session::Wire;
use stickler_transcript::Phase;

/// The promise module protocol, both variants.
pub(crate) struct PromiseWire;

impl Wire for PromiseWire {
    fn message_end(&self, buffer: &[u8], scanned: usize) -> Option<usize> {
        stickler_promise::message_len(buffer, scanned)
    }

    fn accepts(&self, phase: Phase, answer: &[u8]) -> bool {
        stickler_promise::accepts(phase, answer)
    }
}
