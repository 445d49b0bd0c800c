//! Tells the session layer where a message of this dialect ends.

use crate::driven;
use cfengine_protocol::phase;
use stickler_session::{SessionError, Stage, Wire};
use stickler_transcript::{Framing, Phase};

/// The most bytes that a module may print as its header.
const HEADER_LIMIT: u64 = 256 << 10;

/// The promise module protocol, in both variants.
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

    fn drive(&self, oracle: &[u8], stage: &mut dyn Stage) -> Result<(), SessionError> {
        driven::drive(oracle, stage)
    }
}
