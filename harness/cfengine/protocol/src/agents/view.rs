//! A session as rules for agents see it. It is empty if no agent drove the session.

use crate::phase;
use crate::session::{Exchange, Session};
use crate::stated::promise_of;
use crate::wire::header::{Header, Protocol, ProtocolVersion};
use crate::wire::request::Request;
use stickler_transcript::{Event, Fate, ItemOutcome, Mode, Phase};

/// The module's processes.
pub(super) fn processes(session: &Session) -> impl Iterator<Item = usize> {
    let count = if session.case().is_driven() {
        session.processes.len()
    } else {
        0
    };
    0..count
}

/// All messages.
pub(super) fn all(session: &Session) -> impl Iterator<Item = &Exchange> {
    session
        .exchanges
        .iter()
        .filter(|_| session.case().is_driven())
}

/// The messages to one process.
pub(super) fn exchanges(session: &Session, process: usize) -> impl Iterator<Item = &Exchange> {
    all(session).filter(move |one| one.process == process)
}

/// The messages of a phase.
pub(super) fn of(session: &Session, phase: Phase) -> impl Iterator<Item = &Exchange> {
    all(session).filter(move |one| one.phase == phase)
}

/// Validations and evaluations.
pub(super) fn requests(session: &Session) -> impl Iterator<Item = (&Exchange, &Request)> {
    all(session)
        .filter(|one| matches!(one.phase, phase::VALIDATE | phase::EVALUATE))
        .filter_map(|one| Some((one, one.request.as_deref()?)))
}

/// Messages after the header to processes that speak this protocol.
pub(super) fn messages(session: &Session, protocol: Protocol) -> impl Iterator<Item = &Exchange> {
    all(session)
        .filter(|one| one.phase != phase::HEADER)
        .filter(move |one| is_usable(session, one.process))
        .filter(move |one| session.protocol(one) == Some(protocol))
        // The last message may be incomplete.
        .filter(|one| session.complete || !session.is_last(one))
}

/// Did a process answer with a header that an agent can work with?
pub(super) fn is_usable(session: &Session, process: usize) -> bool {
    let header = exchanges(session, process).find(|one| one.phase == phase::HEADER);
    // Only blanks separate fields, and the header is one line.
    let is_plain = |one: &&Exchange| {
        let header = &one.output[..one.message.unwrap_or(one.output.len())];
        let lines = header.iter().filter(|byte| **byte == b'\n').count();
        lines <= 2
            && !header.starts_with(b"\n")
            && !header
                .iter()
                .any(|byte| byte.is_ascii_control() && *byte != b'\n')
    };
    header
        .filter(is_plain)
        .and_then(Exchange::header)
        .is_some_and(|header| usable(&header))
}

fn usable(header: &Header<'_>) -> bool {
    let protocols = [Protocol::Json, Protocol::Line]
        .into_iter()
        .filter(|protocol| header.asks_for(*protocol));
    header.word_count() >= 4
        && matches!(header.protocol_version(), ProtocolVersion::Number(..=1))
        && protocols.count() == 1
}

/// The agent's conclusions about promises, if it keeps the record itself.
pub(super) fn outcomes(session: &Session) -> impl Iterator<Item = &ItemOutcome> {
    session
        .transcript
        .events
        .iter()
        .filter(|_| session.case().is_driven())
        .filter_map(|event| match event {
            Event::Outcome(outcome) => Some(&**outcome),
            _ => None,
        })
}

/// The requests behind an outcome: those about its promise since the previous outcome.
pub(super) fn about<'s>(
    session: &'s Session,
    outcome: &'s ItemOutcome,
) -> impl Iterator<Item = &'s Exchange> {
    let before = outcomes(session)
        .take_while(|other| !std::ptr::eq(*other, outcome))
        .last()
        .map_or(0, |other| other.t);
    requests(session)
        .filter(move |(one, _)| before <= one.sent_at && one.sent_at <= outcome.t)
        .filter(|(_, request)| request.promiser.as_deref() == Some(&outcome.identity[..]))
        .map(|(one, _)| one)
}

/// Did the agent run in a mode that may change nothing?
pub(super) fn is_dry(session: &Session) -> bool {
    let agent = session.case().agent.as_ref();
    agent.is_some_and(|agent| agent.mode != Mode::Normal)
}

/// The promises that the agent had to send and did not, if it is known what it had to send.
pub(super) fn unsent(session: &Session) -> Vec<&str> {
    let facts = &session.facts;
    let ended = facts.agent_ended.as_deref();
    if !facts.all_promised || !ended.is_some_and(|ended| ended.starts_with("exit")) {
        return Vec::new();
    }
    let sent: Vec<String> = requests(session)
        .map(|(_, request)| promise_of(request))
        .collect();
    // One that was changed on the way is missing as well, but it was sent.
    if sent.iter().any(|one| !facts.promised.contains(one)) {
        return Vec::new();
    }
    let promised = facts.promised.iter().filter(|one| !sent.contains(one));
    promised.map(String::as_str).collect()
}

/// Is an answer nothing but an object on its last line, or lines with keys, in printable text? An agent may take any other
/// for broken, and the rest of it for the next answer.
pub(super) fn is_clean(one: &Exchange) -> bool {
    let Some(end) = one.message else { return false };
    let Ok(answer) = std::str::from_utf8(&one.output) else {
        return false;
    };
    if one.shifted || end < answer.len() || answer.chars().any(|c| c.is_control() && c != '\n') {
        return false;
    }
    let answer = answer.strip_suffix('\n').unwrap_or(answer);
    let answer = answer.strip_suffix('\n').unwrap_or(answer);
    let is_object = |text: &str| stickler_json::parse(text.as_bytes()).is_ok();
    match answer.rsplit_once('\n').unwrap_or(("", answer)) {
        (logs, last) if last.starts_with('{') => {
            logs.lines().all(|line| line.starts_with("log_")) && is_object(last)
        }
        _ => !answer.is_empty() && answer.lines().all(|line| line.contains('=')),
    }
}

/// Does nothing come behind a process's header?
pub(super) fn is_header_alone(all: &[&Exchange]) -> bool {
    let mut headers = all.iter().filter(|one| one.phase == phase::HEADER);
    headers.all(|one| one.message.is_none_or(|end| end == one.output.len()))
}

/// Was each answer before this message clean?
pub(super) fn was_clean(all: &[&Exchange], before: usize) -> bool {
    let answered = all
        .iter()
        .filter(|one| one.number < before && one.phase != phase::HEADER);
    let mut answered = answered.filter(|one| one.phase != phase::TERMINATE);
    answered.all(|one| is_clean(one))
}

/// The class name that an agent derives from a name.
pub(super) fn canonified(name: &[u8]) -> Vec<u8> {
    name.iter()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b':' => *byte,
            _ => b'_',
        })
        .collect()
}

/// The outcome that an answer requires. `None` if the answer has no usable result.
pub(super) fn due(phase: Phase, result: Option<&[u8]>) -> Option<Fate> {
    match (phase, result?) {
        (phase::VALIDATE, b"invalid" | b"error") | (phase::EVALUATE, b"not_kept" | b"error") => {
            Some(Fate::Failed)
        }
        (phase::EVALUATE, b"kept") => Some(Fate::Unchanged),
        (phase::EVALUATE, b"repaired") => Some(Fate::Changed),
        _ => None,
    }
}
