//! What the session needs to know about the messages of hosts.

use crate::driven;
use mgmt_protocol::{Answer, FRAMING, phase};
use stickler_json::Json;
use stickler_session::{SessionError, Stage, Wire};
use stickler_transcript::{Framing, Phase};

/// The wire between Stickler and a host.
#[derive(Debug)]
pub struct HostWire;

impl Wire for HostWire {
    fn framing(&self) -> Framing {
        FRAMING
    }

    fn accepts(&self, phase: Phase, answer: &[u8]) -> bool {
        let answer = Answer::read(answer);
        let holds = match phase {
            phase::AUTOEDGES => answer.member("edges") == Some(&Json::Bool(true)),
            phase::NEXTUIDS => {
                matches!(answer.member("uids"), Some(Json::Array(uids)) if !uids.is_empty())
            }
            phase::TESTUIDS => answer.member("more") == Some(&Json::Bool(true)),
            phase::REVERSED => answer.member("reversed") == Some(&Json::Bool(true)),
            _ => true,
        };
        holds && matches!(answer, Answer::Result(_)) && answer.text("error").is_none()
    }

    fn drive(&self, oracle: &[u8], stage: &mut dyn Stage) -> Result<(), SessionError> {
        driven::drive(oracle, stage)
    }
}
