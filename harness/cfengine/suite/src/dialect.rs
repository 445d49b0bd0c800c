//! The dialect of promise modules.

use crate::keys::KEYS;
use crate::said::said;
use crate::shown::{self, Shown};
use crate::wire::PromiseWire;
use crate::{deployed, plans};
use cfengine_protocol::agents::all_rules;
use cfengine_protocol::rules::RULES;
use cfengine_protocol::wire::Protocol;
use cfengine_protocol::{Memo, Session, needs, phase, relation};
use stickler_judge::{AnySession, Finding, Need, Rule};
use stickler_session::Wire;
use stickler_suite::config::Config;
use stickler_suite::{
    Dialect, Effort, Instance, Learned, Pace, Planned, PlanningStage, Said, Setting, Vocabulary,
};
use stickler_transcript::{Case, Relation, Transcript};

/// The vocabulary of promise modules.
pub static VOCABULARY: Vocabulary = Vocabulary {
    dialect: "promise-module",
    schema: "stickler.schema.json",
    subject: "module",
    subjects: "promise modules",
    never: "the module never does this",
    not_understood: "no usable header",
    unsent: "nothing was evaluated, since validation did not accept the promise",
    item: "promise",
    kind: "promise type",
    kind_key: "promise_type",
    kinds_key: "promise_types",
    identity_key: "promiser",
    label_key: "name",
    attributes_key: "attributes",
    outcomes: cfengine_protocol::WORDS,
    phases: &[
        (phase::HEADER, Pace::Quick),
        (phase::VALIDATE, Pace::Quick),
        (phase::EVALUATE, Pace::Work),
        (phase::TERMINATE, Pace::Quick),
    ],
    opening: Some(phase::HEADER),
    validation: phase::VALIDATE,
    closing: phase::TERMINATE,
    channel: false,
    awaited: &[],
    ignore: &[],
    answer_names: &["operation", "result"],
    typed: false,
    keys: KEYS,
    relations: &[relation::OWN],
    has_rule: |code| all_rules().any(|rule| rule.code == code),
};

/// The dialect between CFEngine agents and promise modules.
#[derive(Debug, Default)]
pub struct PromiseModules {
    memo: Memo,
}

impl Dialect for PromiseModules {
    fn vocabulary(&self) -> &'static Vocabulary {
        &VOCABULARY
    }

    fn rules(&self) -> Vec<&'static Rule> {
        // In the suite, Stickler itself is the agent, so rules for agents do not apply.
        RULES.iter().collect()
    }

    fn wire(&self) -> &dyn Wire {
        &PromiseWire
    }

    fn read(&self, transcript: Transcript) -> AnySession {
        AnySession::new(Session::with(transcript, &self.memo))
    }

    fn unknown(&self) -> Learned {
        Learned::new(Shown::default())
    }

    fn learn(&self, known: &mut Learned, session: &AnySession) {
        shown::learn(known, session.typed());
    }

    fn plans(
        &self,
        setting: &Setting<'_>,
        _: &Learned,
        stage: PlanningStage,
        effort: Effort,
    ) -> Vec<Planned> {
        plans::plans(setting, stage, effort)
    }

    fn own_relations(&self) -> Vec<Relation> {
        plans::relations()
    }

    fn driven(&self, setting: &Setting<'_>, items: &[Instance], number: u64) -> Option<Case> {
        plans::made_up(setting, items, number)
    }

    fn said(&self, session: &AnySession, exchange: usize) -> Said {
        let session: &Session = session.typed();
        let heard = session.exchanges.get(exchange);
        heard.map_or_else(Said::default, |heard| said(session, heard))
    }

    fn remark(&self, finding: &Finding, sessions: &[AnySession]) -> Option<String> {
        deployed::told(finding, sessions)
    }

    fn has(&self, need: &Need, config: &Config, known: &Learned) -> bool {
        let (common, own) = (&known.common, known.own::<Shown>());
        match *need {
            needs::EXAMPLE => !config.examples.is_empty(),
            needs::JSON_BASED => own.protocol != Some(Protocol::Line),
            needs::LINE_BASED => own.protocol == Some(Protocol::Line),
            needs::SECOND_TYPE => config.subject.kinds.len() > 1,
            needs::ACTION_POLICY => common.dry,
            needs::NO_ACTION_POLICY => !common.dry,
            needs::REPAIRED => !common.repaired.is_empty(),
            _ => true,
        }
    }
}
