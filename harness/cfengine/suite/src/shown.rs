//! What a run learns about a promise module.

use crate::keys::AGENTS;
use crate::requests::Requests as _;
use cfengine_protocol::wire::Protocol;
use cfengine_protocol::{Ended, Facts, Session, is_modules_own};
use stickler_suite::{Ask, Capabilities, CaseBuilder, Learned, Setting, Tells, Values, Verbs};
use stickler_transcript::{Facts as Map, Purpose, Send};

/// What a module has shown of itself.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The protocol that its header asked for.
    pub protocol: Option<Protocol>,
}

impl Verbs for Shown {
    fn facts(&self, setting: &Setting<'_>) -> Map {
        let subject = &setting.config.subject;
        Facts {
            promise_types: subject.kinds.clone(),
            executes: subject.executes.clone(),
            open_attributes: subject.open_attributes,
            protocol: self.protocol,
            agents: subject.own.texts(AGENTS).to_vec(),
            ..Facts::default()
        }
        .into_map()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tells: Tells::Validity,
            values: match self.protocol {
                Some(Protocol::Json) => Values::Any,
                _ => Values::Lines,
            },
            many_items: true,
        }
    }

    fn greet(&self, case: &mut CaseBuilder<'_>) {
        case.header();
    }

    fn validate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        let mut send = case.validation(ask.key, ask.item);
        change(&mut send);
        case.send(send);
    }

    fn evaluate(
        &self,
        case: &mut CaseBuilder<'_>,
        ask: Ask<'_>,
        change: &mut dyn FnMut(&mut Send),
    ) {
        let usual = || Purpose::VALIDATE.of(&ask.item.info.label);
        let requires = ask.requires.clone().unwrap_or_else(usual);
        let mut send = case.evaluation(ask.key, requires, ask.item);
        change(&mut send);
        case.send(send);
    }

    fn farewell(&self, case: &mut CaseBuilder<'_>) {
        case.ask_to_end();
    }
}

/// Learns from a session.
pub(crate) fn learn(known: &mut Learned, session: &Session) {
    let (knowledge, shown) = known.parts::<Shown>();
    for exchange in session.headers() {
        let Some(header) = exchange.header() else {
            continue;
        };
        if let Some(protocol) = header.protocol().filter(|_| !knowledge.understood) {
            knowledge.understood = true;
            shown.protocol = Some(protocol);
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
