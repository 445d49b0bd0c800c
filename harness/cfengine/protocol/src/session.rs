//! A transcript as rules see it: exchanges with parsed requests and answers.

use crate::facts::Facts;
use crate::memo::Memo;
use crate::message_len;
use crate::output::shifts;
use crate::phase;
use crate::release::{self, Release};
use crate::turn::skip_empty_lines;
use crate::wire::header::{Header, Protocol};
use crate::wire::request::Request;
use crate::wire::response::Response;
use std::borrow::Borrow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use stickler_reading::Reading;
use stickler_transcript::{Framing, Phase, Transcript};

pub use stickler_reading::{Ended, Left, Observation, Writes};

/// Where messages end.
pub const FRAMING: Framing = Framing {
    message_end: message_len,
    notification: None,
    last: Some(phase::TERMINATE),
};

/// A request and what came back.
#[derive(Clone, Debug)]
pub struct Exchange {
    heard: stickler_reading::Exchange,
    /// The parsed request, as far as it is readable. `None` for headers and broken messages.
    pub request: Option<Arc<Request>>,
    /// The answer, analysed (for the header see [`Exchange::header`]).
    pub response: Option<Arc<Response>>,
    /// The process sent an extra message, so its answers may belong to other requests. Then
    /// `response` and `effects` are empty, and keys do not find the exchange.
    pub shifted: bool,
}

/// One process of the module.
#[derive(Clone, Debug)]
pub struct Process {
    seen: stickler_reading::Process,
    /// The protocol that its header asks for; otherwise the agents' default.
    pub protocol: Option<Protocol>,
    /// Does its header advertise `action_policy`?
    pub action_policy: bool,
}

/// Both types extend the neutral types with what this dialect reads.
macro_rules! wraps {
    ($own:ty, $field:ident, $seen:ty) => {
        impl Deref for $own {
            type Target = $seen;
            fn deref(&self) -> &$seen {
                &self.$field
            }
        }
        impl DerefMut for $own {
            fn deref_mut(&mut self) -> &mut $seen {
                &mut self.$field
            }
        }
        impl Borrow<$seen> for $own {
            fn borrow(&self) -> &$seen {
                &self.$field
            }
        }
    };
}

wraps!(Exchange, heard, stickler_reading::Exchange);
wraps!(Process, seen, stickler_reading::Process);

/// The answer to the agent's header. `None` for other messages, or if no line came.
fn header(exchange: &stickler_reading::Exchange) -> Option<Header<'_>> {
    (exchange.phase == phase::HEADER)
        .then(|| Header::analyse(&exchange.output))
        .flatten()
}

impl Process {
    fn of(
        number: usize,
        seen: stickler_reading::Process,
        exchanges: &[stickler_reading::Exchange],
        known: Option<Protocol>,
    ) -> Process {
        let own = exchanges.iter().filter(|one| one.process == number);
        let last = own.filter_map(header).last();
        let asked = last.as_ref().and_then(Header::protocol);
        Process {
            seen,
            // If a header names no protocol, an agent continues with the line protocol.
            protocol: Some(asked.or(known).unwrap_or(Protocol::Line)),
            action_policy: last.is_some_and(|header| header.action_policy()),
        }
    }
}

impl Exchange {
    fn of(heard: stickler_reading::Exchange, process: &Process, memo: &Memo) -> Exchange {
        let protocol = process.protocol.unwrap_or(Protocol::Line);
        let (mut request, mut response) = (None, None);
        if heard.phase != phase::HEADER {
            if heard.owed {
                request = memo.request(&heard.sent, protocol);
            }
            if let Some(end) = heard.message {
                // Empty lines before the answer are a separate defect.
                let start = end - skip_empty_lines(&heard.output[..end]).len();
                let answer = heard.output.part(start..end);
                response = Some(memo.response(&answer, protocol));
            }
        }
        Exchange {
            heard,
            request,
            response,
            shifted: false,
        }
    }

    /// The answer to the agent's header. `None` for other messages, or if no line came.
    pub fn header(&self) -> Option<Header<'_>> {
        header(self)
    }

    /// The answer's result, if it is text.
    pub fn result(&self) -> Option<&[u8]> {
        self.response.as_ref()?.result.text()
    }

    /// Does the answer have this result?
    pub fn is(&self, result: &str) -> bool {
        self.result() == Some(result.as_bytes())
    }

    /// Is this a request for one of the three operations (not a header, not broken)?
    pub fn is_request(&self) -> bool {
        matches!(
            self.phase,
            phase::VALIDATE | phase::EVALUATE | phase::TERMINATE
        ) && self.owed
    }

    /// Does the request ask for warnings instead of changes?
    pub fn warns(&self) -> bool {
        self.policy() == Some(b"warn")
    }

    /// The request's `action_policy`.
    pub fn policy(&self) -> Option<&[u8]> {
        self.request.as_ref()?.action_policy()
    }

    /// The log messages of the answer: level and text.
    pub fn logs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.response
            .iter()
            .flat_map(|response| &response.logs)
            .map(|log| (log.level.as_slice(), log.message.as_slice()))
    }

    /// The names of the result classes, if they are well-formed.
    pub fn classes(&self) -> Vec<Vec<u8>> {
        self.response
            .as_ref()
            .and_then(|response| response.result_classes.as_ref())
            .map(|classes| classes.names.clone())
            .unwrap_or_default()
    }
}

/// A session of a promise module, ready to be judged.
#[derive(Clone, Debug)]
pub struct Session {
    reading: Reading<Exchange, Process>,
    /// What the dialect knows about the module and the case.
    pub facts: Facts,
}

impl Deref for Session {
    type Target = Reading<Exchange, Process>;
    fn deref(&self) -> &Self::Target {
        &self.reading
    }
}

impl Session {
    /// The deadline for an answer, and the setting that changes it, in words.
    pub(crate) fn deadline(&self, exchange: &Exchange) -> String {
        let us = self.case().deadlines.of(exchange.phase);
        format!("{} s (`deadlines.{}`)", us as f64 / 1e6, exchange.phase)
    }

    /// Reads a transcript.
    pub fn new(transcript: Transcript) -> Session {
        Session::with(transcript, &Memo::default())
    }

    /// Reads one of many transcripts.
    pub fn with(transcript: Transcript, memo: &Memo) -> Session {
        let transcript = crate::requests::found(transcript);
        let facts = Facts::of(&transcript.case.facts);
        let known = facts.protocol;
        let reading = Reading::of(transcript, FRAMING).map(
            |number, seen, exchanges| Process::of(number, seen, exchanges, known),
            |heard, process| Exchange::of(heard, process, memo),
        );
        let mut session = Session { reading, facts };
        session.set_apart();
        session
    }

    /// The protocol of an exchange's process.
    pub fn protocol(&self, exchange: &Exchange) -> Option<Protocol> {
        self.process(exchange).protocol
    }

    /// The release whose messages the exchange's process got, as their header says; the nearest measured one.
    pub fn release(&self, exchange: &Exchange) -> Option<&'static Release> {
        let mut headers = self.headers();
        let header = headers.find(|header| header.process == exchange.process)?;
        let mut words = std::str::from_utf8(&header.sent).ok()?.split(' ');
        (words.next() == Some("cf-agent")).then(|| words.next().map(Release::nearest))?
    }

    /// Does text beyond ASCII arrive as one character for each byte?
    pub fn gets_bytes(&self, exchange: &Exchange) -> bool {
        self.protocol(exchange) == Some(Protocol::Json)
            && self
                .release(exchange)
                .is_some_and(|release| release.escapes_bytes)
    }

    /// The agents for which the module is meant and for which this holds, by their versions.
    pub fn agents(&self, holds: impl Fn(&Release) -> bool) -> String {
        let all = self.facts.releases();
        let some: Vec<&Release> = all.iter().copied().filter(|it| holds(it)).collect();
        release::names(&some, &all)
    }

    /// Answered validations.
    pub fn validations(&self) -> impl Iterator<Item = &Exchange> {
        self.answered(phase::VALIDATE)
    }

    /// Answered evaluations.
    pub fn evaluations(&self) -> impl Iterator<Item = &Exchange> {
        self.answered(phase::EVALUATE)
    }

    /// Answered exchanges of a phase.
    pub fn answered(&self, phase: Phase) -> impl Iterator<Item = &Exchange> {
        self.exchanges
            .iter()
            .filter(move |exchange| exchange.phase == phase && exchange.response.is_some())
    }

    /// All answered exchanges except headers.
    pub fn responses(&self) -> impl Iterator<Item = (&Exchange, &Response)> {
        self.exchanges
            .iter()
            .filter_map(|exchange| Some((exchange, exchange.response.as_deref()?)))
    }

    /// The header exchanges, one per process.
    pub fn headers(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges
            .iter()
            .filter(|exchange| exchange.phase == phase::HEADER)
    }

    /// Marks the exchanges of processes that sent an extra message, and indexes the others by their
    /// keys.
    fn set_apart(&mut self) {
        let shifted: Vec<bool> = (0..self.processes.len())
            .map(|process| shifts(self, process))
            .collect();
        for exchange in &mut self.reading.exchanges {
            if exchange.phase != phase::HEADER && shifted[exchange.process] {
                exchange.shifted = true;
                exchange.response = None;
                exchange.effects = None;
            }
        }
        self.reading.index(|exchange| !exchange.shifted);
    }
}
