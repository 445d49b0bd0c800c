//! Messages that depend on earlier answers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use stickler_transcript::{Name, Send};

/// The answers of a session so far, by the keys of their exchanges; of several with one key, the
/// last. An exchange without an answer has none.
pub type Answers = BTreeMap<Name, Vec<u8>>;

/// What becomes of a planned message once the answers before it are known.
#[derive(Debug, PartialEq, Eq)]
pub enum Completed {
    /// It is sent as planned.
    AsPlanned,
    /// This is sent, in one piece.
    Message(Vec<u8>),
    /// After these answers it is not sent.
    Omitted,
}

impl Completed {
    /// The message to send, if one is.
    pub(super) fn apply<'s>(self, send: &'s Send) -> Option<Cow<'s, Send>> {
        match self {
            Completed::AsPlanned => Some(Cow::Borrowed(send)),
            Completed::Message(bytes) => {
                let mut complete = send.clone();
                let pause_us = complete.pieces.first().map_or(0, |piece| piece.pause_us);
                complete.pieces = vec![stickler_transcript::Piece {
                    pause_us,
                    data: bytes.into(),
                }];
                Some(Cow::Owned(complete))
            }
            Completed::Omitted => None,
        }
    }
}
