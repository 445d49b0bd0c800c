//! Tells the session layer what a message of this dialect is.

use cfengine_protocol::phase;
use stickler_session::Wire;
use stickler_transcript::{Framing, Phase};

/// Bytes that a module may print in answer to a header.
const HEADER_LIMIT: u64 = 256 << 10;

/// The promise module protocol, both variants.
pub(crate) struct PromiseWire;

impl Wire for PromiseWire {
    fn framing(&self) -> Framing {
        cfengine_protocol::FRAMING
    }

    fn accepts(&self, phase: Phase, answer: &[u8]) -> bool {
        cfengine_protocol::accepts(phase, answer)
    }

    fn limit(&self, phase: Phase, usual: u64) -> u64 {
        if phase == phase::HEADER {
            HEADER_LIMIT
        } else {
            usual
        }
    }
}
