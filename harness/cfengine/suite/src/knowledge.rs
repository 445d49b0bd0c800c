//! What a run learns about a promise module.

use cfengine_protocol::wire::Protocol;
use cfengine_protocol::{Ended, Facts, Session, is_modules_own};
use stickler_suite::Knowledge;

/// The protocol that the module's header asked for.
pub fn protocol(knowledge: &Knowledge) -> Option<Protocol> {
    Facts::of(&knowledge.facts).protocol
}

/// Learns from a session.
pub(crate) fn learn(knowledge: &mut Knowledge, session: &Session) {
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        if let Some(protocol) = header.protocol().filter(|_| !knowledge.understood) {
            knowledge.understood = true;
            knowledge.facts = Facts {
                protocol: Some(protocol),
                ..Facts::default()
            }
            .into_map();
        }
        knowledge.dry |= header.action_policy();
        // An answer after the end of input says nothing about the start time.
        let in_time = !matches!(exchange.ended, Ended::Silent(_));
        if let Some(answered) = exchange.answered_at.filter(|_| in_time) {
            let process = session.process(exchange);
            knowledge.started(answered.saturating_sub(process.started_at));
        }
    }
    knowledge.usable |= session.responses().next().is_some();
    let valid = session
        .validations()
        .filter(|exchange| exchange.is("valid"));
    knowledge
        .valid
        .extend(valid.filter_map(|exchange| exchange.item.clone()));
    for exchange in session.evaluations() {
        knowledge.evaluated(exchange, exchange.is("repaired"), |path| {
            is_modules_own(session, path)
        });
    }
}
