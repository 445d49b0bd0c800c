//! The standard output between two requests.

use crate::compare;
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::message_end;
use crate::wire::response::{Line, LineKind, Response};
use crate::words::{cut, shown, visible};
use stickler_judge::{Relation, Variant};
use stickler_transcript::{Call, Case, ExitCause};

/// No answer: the process ended.
pub(crate) const EXITS: Variant = Variant::new("exits");
/// No answer in time, or endless output.
pub(crate) const HANGS: Variant = Variant::new("hangs");
/// No answer: standard output was closed.
pub(crate) const CLOSES_OUTPUT: Variant = Variant::new("closes-output");

/// The kind of a part of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An answer: it has a JSON object, an operation or a result.
    Answer,
    /// Only log lines.
    Logs,
    /// Other lines with a key and a value.
    Pairs,
    /// Empty lines.
    Empty,
    /// Anything else.
    Text,
}

/// A message, a partial message, or empty lines between messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'e> {
    pub(crate) bytes: &'e [u8],
    pub(crate) kind: Kind,
    /// Does it contain free text?
    pub(crate) printed: bool,
}

/// Splits output at empty lines.
pub(crate) fn parts(output: &[u8], protocol: Protocol) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = output;
    while !rest.is_empty() {
        let empty = rest
            .iter()
            .take_while(|byte| matches!(byte, b'\n' | b'\r'))
            .count();
        if empty > 0 {
            parts.push(Part {
                bytes: &rest[..empty],
                kind: Kind::Empty,
                printed: false,
            });
            rest = &rest[empty..];
            continue;
        }
        let end = message_end(rest).map_or(rest.len(), |end| end.len);
        parts.push(part(&rest[..end], protocol));
        rest = &rest[end..];
    }
    parts
}

fn part(message: &[u8], protocol: Protocol) -> Part<'_> {
    let response = Response::analyse(message, protocol);
    let answers = response.object.is_some()
        || response.lines.iter().any(|line| match &line.kind {
            LineKind::KeyValue { key, .. } => matches!(&key[..], b"operation" | b"result"),
            _ => false,
        });
    let printed = response.lines.iter().any(Line::is_free_text);
    let kind = if answers {
        Kind::Answer
    } else if printed {
        Kind::Text
    } else if response.lines.iter().any(|line| line.kind == LineKind::Log) {
        Kind::Logs
    } else {
        Kind::Pairs
    };
    Part {
        bytes: message,
        kind,
        printed,
    }
}

/// Did the same process get a message before that needs no answer? A late answer to it would count
/// as part of this exchange.
pub(crate) fn after_broken(session: &Session, exchange: &Exchange) -> bool {
    session.exchanges.iter().any(|other| {
        other.process == exchange.process && other.number < exchange.number && !other.owed
    })
}

/// What an exchange printed, without the output after the end of input, which no agent reads. After
/// `terminate` the agent still reads.
pub(crate) fn counted<'s>(session: &Session, exchange: &'s Exchange) -> &'s [u8] {
    let closed = session.process(exchange).input_closed_at;
    let terminated = session
        .exchanges
        .iter()
        .any(|other| other.process == exchange.process && other.phase == phase::TERMINATE);
    let Some(closed) = closed.filter(|_| !terminated) else {
        return &exchange.output;
    };
    let before: usize = exchange
        .pieces
        .iter()
        .filter(|(t, _)| *t <= closed)
        .map(|(_, length)| length)
        .sum();
    exchange.output.get(..before).unwrap_or(&exchange.output)
}

/// Did a process send more messages than there were requests? Then its answers may belong to other
/// requests.
pub(crate) fn shifts(session: &Session, process: usize) -> bool {
    session
        .exchanges
        .iter()
        .filter(|exchange| exchange.process == process && exchange.owed)
        .filter(|exchange| !after_broken(session, exchange))
        .any(|exchange| {
            let protocol = session.protocol(exchange).unwrap_or(Protocol::Line);
            let output = counted(session, exchange);
            if exchange.phase == phase::HEADER {
                let after = exchange.header().map_or(output.len(), |header| header.len);
                return !output.get(after..).unwrap_or_default().is_empty();
            }
            let parts = parts(output, protocol);
            exchange.message.is_some() && parts.len() > 1 && !ends(exchange, &parts, protocol)
        })
}

/// Is the first part an answer to `terminate`? Nothing follows that.
fn ends(exchange: &Exchange, parts: &[Part<'_>], protocol: Protocol) -> bool {
    exchange.phase == phase::TERMINATE
        && parts.first().is_some_and(|part| {
            let answer = Response::analyse(part.bytes, protocol);
            answer.operation.is("terminate")
        })
}

/// Is the session a variant in a group of one of these relations?
pub(crate) fn is_variant(session: &Session, relations: &[Relation]) -> bool {
    session.case().groups.iter().any(|membership| {
        relations.contains(&membership.relation) && !membership.role.is_reference()
    })
}

/// Did the module answer completely, without waiting for the end of input?
pub(crate) fn in_time(exchange: &Exchange) -> bool {
    exchange.message.is_some() && !exchange.late
}

/// Why there is no answer, in words that follow a subject, such as "makes the module exit (exit
/// status 1)". `None` if there is an answer, or if none was owed or possible.
pub(crate) fn unanswered(exchange: &Exchange) -> Option<String> {
    match exchange.ended {
        Ended::Exited(cause) => Some(format!("makes the module exit ({})", exit_words(cause))),
        Ended::ClosedOutput => Some("is not answered: standard output was closed".into()),
        Ended::Silent(_) => Some("is not answered in time".into()),
        Ended::Answered | Ended::Killed | Ended::NoAnswer => None,
    }
}

/// The kind of defect when there is no answer in time.
pub(crate) fn unanswered_variant(exchange: &Exchange) -> Variant {
    match exchange.ended {
        Ended::Exited(_) => EXITS,
        Ended::ClosedOutput => CLOSES_OUTPUT,
        Ended::Silent(_) | Ended::Answered | Ended::Killed | Ended::NoAnswer => HANGS,
    }
}

/// How the variant's answer differs from the baseline's; a missing answer counts too. `None` if it
/// does not differ, or if the baseline has no answer in time.
pub(crate) fn answer_differs(baseline: &Exchange, variant: &Exchange) -> Option<String> {
    if !in_time(baseline) {
        return None;
    }
    if !in_time(variant) {
        return match variant.ended {
            Ended::Exited(cause) => Some(format!(
                "no answer, the process ended ({})",
                exit_words(cause)
            )),
            Ended::ClosedOutput | Ended::Silent(_) => Some("no answer in time".into()),
            Ended::Answered | Ended::Killed | Ended::NoAnswer => None,
        };
    }
    compare::difference(baseline, variant)
}

/// The kind of defect when the variant's answer differs from the baseline's or is missing.
pub(crate) fn answer_variant(baseline: &Exchange, variant: &Exchange) -> Variant {
    if in_time(variant) {
        compare::difference_variant(baseline, variant)
    } else {
        unanswered_variant(variant)
    }
}

/// A call that changes files, in words, such as "`rename` of `{dir}/a` by `mv`".
pub(crate) fn call_words(call: &Call, case: &Case) -> String {
    let mut words = format!("`{}`", call.name);
    if let Some(path) = &call.path {
        words += &format!(" of `{}`", shown(path, case, 80));
    }
    if let Some(program) = &call.program {
        words += &format!(" by `{}`", cut(&visible(program), 40));
    }
    words
}

/// How a process ended, in words.
pub(crate) fn exit_words(cause: ExitCause) -> String {
    match cause {
        ExitCause::Code(code) => format!("exit status {code}"),
        ExitCause::Signal(signal) => format!("signal {signal}"),
        ExitCause::Lost => "lost with its sandbox".into(),
    }
}
