//! What the deployed agent would do with the answers of findings. Only here the judge, which knows
//! no agent, meets the agent, which knows no rule.

use cfengine_agent::{Asked, Behind, Reply, reactions};
use cfengine_policy::text;
use cfengine_protocol::wire::Protocol;
use cfengine_protocol::words::{cut, shown, visible};
use cfengine_protocol::{Ended, Exchange, Facts, Session, phase};
use stickler_judge::{AnySession, Finding, Provenance, RunPlace};
use stickler_transcript::Silence;

/// The longest promiser and the longest remark, in characters.
const PROMISER: usize = 60;
const TOLD: usize = 480;

/// What the agent would do with the answer that a finding is about.
pub(crate) fn told(finding: &Finding, sessions: &[AnySession]) -> Option<String> {
    let RunPlace { session, exchange } = finding.place;
    let session: &Session = sessions.get(session)?.typed();
    let exchange = session.exchanges.get(exchange?.checked_sub(1)?)?;
    // No agent sends such a request, so none reads its answer.
    if exchange.provenance == Provenance::Beyond {
        return None;
    }
    let case = session.case();
    let request = exchange.request.as_deref();
    let bytes = |field: Option<&Vec<u8>>| field.map(|bytes| shown(bytes, case, PROMISER));
    let text = |field| bytes(field).unwrap_or_default();
    let reply = Reply {
        asked: asked(session, exchange)?,
        protocol: session.protocol(exchange).unwrap_or(Protocol::Line),
        output: in_time(session, exchange),
        behind: behind(exchange)?,
        module: &case.subject.name,
        kind: &text(request.and_then(|request| request.promise_type.as_ref())),
        promiser: &text(request.and_then(|request| request.promiser.as_ref())),
        file: &text(request.and_then(|request| request.filename.as_ref())),
        line: request
            .and_then(|request| request.line_number)
            .and_then(|line| u32::try_from(line).ok())
            .unwrap_or_default(),
        warns: exchange.warns(),
    };
    let releases = Facts::of(&case.facts).releases();
    let told = reactions(&reply, &releases);
    Some(cut(&visible(&text::encode(&told)), TOLD))
}

fn asked(session: &Session, exchange: &Exchange) -> Option<Asked> {
    Some(match exchange.phase {
        phase::HEADER => Asked::Header,
        phase::VALIDATE => Asked::Validate,
        phase::EVALUATE => Asked::Evaluate,
        phase::TERMINATE => Asked::Terminate {
            lingers: session.process(exchange).outlived,
        },
        _ => return None,
    })
}

/// The output up to the moment when the harness closed the input. The agent would not have closed
/// it, so it would not see later output.
fn in_time<'s>(session: &Session, exchange: &'s Exchange) -> &'s [u8] {
    let closed = session.process(exchange).input_closed_at;
    let Some(closed) = closed.filter(|_| exchange.late) else {
        return &exchange.output;
    };
    let pieces = exchange.pieces.iter().filter(|(t, _)| *t <= closed);
    let length = pieces.map(|(_, length)| length).sum();
    exchange.output.get(..length).unwrap_or(&exchange.output)
}

/// What would follow the output. `None` if the harness ended the process.
fn behind(exchange: &Exchange) -> Option<Behind> {
    match exchange.ended {
        Ended::Answered | Ended::Silent(Silence::Deadline | Silence::Input) => {
            Some(Behind::Nothing)
        }
        Ended::Exited(_) | Ended::ClosedOutput => Some(Behind::End),
        Ended::Silent(Silence::Flood) => Some(Behind::Flood),
        Ended::Silent(Silence::Processes | Silence::Memory) | Ended::Killed | Ended::NoAnswer => {
            None
        }
    }
}
