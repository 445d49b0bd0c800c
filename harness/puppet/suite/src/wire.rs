//! What the session needs to know about the messages of hosts.

use crate::deferred::Deferred;
use crate::player;
use puppet_protocol::{Answer, FRAMING};
use stickler_session::{SessionError, Stage, Wire};
use stickler_transcript::{Framing, Phase, Send, Step};

/// The wire between Stickler and a host.
#[derive(Debug)]
pub struct HostWire;

impl Wire for HostWire {
    fn framing(&self) -> Framing {
        FRAMING
    }

    fn accepts(&self, _: Phase, answer: &[u8]) -> bool {
        matches!(Answer::read(answer), Answer::Result(_))
    }

    fn reply(&self, notification: &[u8]) -> Option<Vec<u8>> {
        puppet_protocol::reply(notification)
    }

    fn plays(&self) -> bool {
        true
    }

    fn play(&self, planned: &Send, stage: &mut dyn Stage) -> Result<bool, SessionError> {
        match Deferred::read(planned) {
            None => stage.step(Step::Send(planned.clone())),
            Some(Ok(deferred)) => player::play(planned, &deferred, stage),
            // A changed or damaged plan, which stands for nothing.
            Some(Err(_)) => {
                stage.omit(&planned.key);
                Ok(true)
            }
        }
    }
}
