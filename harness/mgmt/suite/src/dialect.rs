//! The dialect of mgmt resources.

use crate::shown::{self, Shown};
use crate::vocabulary::VOCABULARY;
use crate::wire::HostWire;
use crate::{fitting, host, plans, said};
use mgmt_protocol::rules::RULES;
use mgmt_protocol::{Session, needs};
use std::path::Path;
use stickler_judge::{AnySession, Need, Rule};
use stickler_session::Wire;
use stickler_suite::config::Config;
use stickler_suite::{
    Dialect, Effort, Learned, Planned, PlanningStage, Preparing, RunError, Said, Setting,
    Vocabulary,
};
use stickler_transcript::{Bytes, Case, Relation, Transcript};

/// The dialect between mgmt's engine and resources.
#[derive(Debug, Default)]
pub struct Mgmt;

impl Dialect for Mgmt {
    fn vocabulary(&self) -> &'static Vocabulary {
        &VOCABULARY
    }

    fn rules(&self) -> Vec<&'static Rule> {
        RULES.iter().collect()
    }

    fn claims(&self, folder: &Path) -> Option<String> {
        host::claims(folder)
    }

    fn prepare(&self, config: &Config, preparing: &Preparing<'_>) -> Result<Vec<Bytes>, RunError> {
        host::command_line(config, preparing)
    }

    fn renewed(
        &self,
        argv: &[Bytes],
        preparing: &Preparing<'_>,
    ) -> Result<Option<Vec<Bytes>>, RunError> {
        host::renewed(argv, preparing)
    }

    fn wire(&self) -> &dyn Wire {
        &HostWire
    }

    fn read(&self, transcript: Transcript) -> AnySession {
        AnySession::new(Session::new(transcript))
    }

    fn unknown(&self) -> Learned {
        Learned::new(Shown::default())
    }

    fn learn(&self, known: &mut Learned, session: &AnySession) {
        shown::learn(known, session.typed());
    }

    fn refuses(&self, config: &Config, known: &Learned) -> Option<String> {
        fitting::mistake(config, known.own())
    }

    fn names(&self, setting: &Setting<'_>, known: &Learned) -> Vec<Case> {
        plans::names(known.own(), setting)
    }

    fn plans(
        &self,
        setting: &Setting<'_>,
        known: &Learned,
        stage: PlanningStage,
        effort: Effort,
    ) -> Vec<Planned> {
        plans::plans(known.own(), setting, stage, effort)
    }

    fn own_relations(&self) -> Vec<Relation> {
        plans::relations()
    }

    fn said(&self, session: &AnySession, exchange: usize) -> Said {
        let session: &Session = session.typed();
        let call = session.exchanges.get(exchange);
        call.map_or_else(Said::default, |call| said::said(session, call))
    }

    fn failures(&self, session: &AnySession) -> usize {
        let session: &Session = session.typed();
        let calls = session.exchanges.iter();
        calls
            .filter(|call| call.panic().is_some() || call.error().is_some())
            .count()
    }

    fn has(&self, need: &Need, config: &Config, known: &Learned) -> bool {
        let shown: &Shown = known.own();
        match *need {
            needs::EXAMPLE => !config.examples.is_empty(),
            needs::DECLARED => !config.examples.is_empty() || !config.invalid.is_empty(),
            needs::COPY => shown.some_kind(config, |kind| kind.has_method("Copy")),
            needs::RACE => host::has_race(config),
            needs::ENGINE => host::has_engine(config),
            needs::CONTEXT => !shown.ends_with_init,
            needs::SENDABLE => shown.some_kind(config, |kind| kind.has_trait("sendable")),
            needs::RECVABLE => shown.some_kind(config, |kind| kind.has_trait("recvable")),
            needs::REFRESHABLE => shown.some_kind(config, |kind| kind.has_trait("refreshable")),
            needs::GROUPABLE => shown.some_kind(config, |kind| kind.has_trait("groupable")),
            needs::REVERSIBLE => shown.some_kind(config, |kind| {
                kind.has_method("Interrupt") || kind.has_method("Reversed")
            }),
            needs::EDGEABLE => shown.some_kind(config, |kind| kind.has_trait("edgeable")),
            _ => true,
        }
    }
}
