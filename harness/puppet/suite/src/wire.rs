//! What the session needs to know about the messages of hosts.

use puppet_protocol::{Answer, FRAMING, complete};
use stickler_session::{Answers, Completed, Wire};
use stickler_transcript::{Framing, Phase, Send};

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

    fn completes(&self) -> bool {
        true
    }

    fn complete(&self, planned: &Send, answers: &Answers) -> Completed {
        let message = planned.message();
        if puppet_protocol::unfinished(&message).is_none() {
            return Completed::AsPlanned;
        }
        let answer = |key: &str| answers.get(key).map(Vec::as_slice);
        match complete(&message, answer) {
            Some(line) => Completed::Message(line),
            None => Completed::Omitted,
        }
    }
}
