//! What the session needs to know about the messages of hosts.

use mgmt_protocol::{Answer, FRAMING};
use stickler_session::Wire;
use stickler_transcript::{Framing, Phase};

/// The wire between Stickler and a host.
#[derive(Debug)]
pub struct HostWire;

impl Wire for HostWire {
    fn framing(&self) -> Framing {
        FRAMING
    }

    fn accepts(&self, _: Phase, answer: &[u8]) -> bool {
        let answer = Answer::read(answer);
        matches!(answer, Answer::Result(_)) && answer.text("error").is_none()
    }
}
