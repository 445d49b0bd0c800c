//! What a dialect has to provide so that the suite can test its subjects.

use crate::command::command_line;
use crate::config::Config;
use crate::effort::Effort;
use crate::error::RunError;
use crate::instance::Instance;
use crate::learned::Learned;
use crate::plans::Batch;
use crate::prepare::{Preparing, sources};
use crate::said::Said;
use crate::setting::Setting;
use crate::vocabulary::Vocabulary;
use std::path::{Path, PathBuf};
use stickler_judge::{AnySession, Finding, Need, Rule};
use stickler_session::Wire;
use stickler_session::sandbox::Limits;
use stickler_transcript::{Bytes, Case, Membership, Relation, Transcript, Value};

/// When the suite plans sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanningStage {
    /// Nothing is known about the subject.
    First,
    /// The suite knows how to talk to the subject.
    Examples,
    /// The suite knows what the examples do.
    Suite,
}

/// One session to run, or several.
pub enum Planned {
    /// One session. If an oracle is to drive it, and sends no message, the session is dropped.
    Case(Case),
    /// Many small steps. If the subject dies on one, the rest runs in a fresh process.
    Batch(Batch),
}

/// The plan family in the name of a case: `drift` of `drift/e1`.
pub(crate) fn family(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

impl Planned {
    /// The relations of its sessions.
    pub(crate) fn relations(&self) -> Vec<Relation> {
        match self {
            Planned::Case(case) => case.groups.iter().map(|member| member.relation).collect(),
            Planned::Batch(batch) => vec![batch.relation],
        }
    }

    /// The roles of its session in groups; none for a batch.
    pub(crate) fn members(&self) -> &[Membership] {
        match self {
            Planned::Case(case) => &case.groups,
            Planned::Batch(_) => &[],
        }
    }

    /// The name of its plan family, with which the names of its sessions begin.
    pub(crate) fn family(&self) -> &str {
        let id = match self {
            Planned::Case(case) => &case.id,
            Planned::Batch(batch) => &batch.id,
        };
        family(id)
    }

    /// The kind of the items that it is about; empty if it is about none, or if that is unknown.
    pub(crate) fn kind(&self) -> &str {
        match self {
            Planned::Case(case) => {
                let of_item = case.items.first().map(|item| &item.kind);
                of_item.or(case.kind.as_ref()).map_or("", String::as_str)
            }
            Planned::Batch(batch) => &batch.origin.kind,
        }
    }

    /// About how much it does.
    pub(crate) fn steps(&self) -> u64 {
        let steps = match self {
            Planned::Case(case) => case.plan.as_ref().map_or(1, |plan| plan.steps.len()),
            Planned::Batch(batch) => batch.variants.len() * 4,
        };
        steps as u64
    }

    /// The groups of its sessions.
    pub(crate) fn groups(&self) -> Vec<String> {
        match self {
            Planned::Case(case) if case.groups.is_empty() => {
                vec![case.id.clone()]
            }
            Planned::Case(case) => case
                .groups
                .iter()
                .map(|member| member.group.clone())
                .collect(),
            Planned::Batch(batch) => vec![batch.group()],
        }
    }
}

/// A system whose programs Stickler tests. All sessions that it gets are those that it has read itself.
pub trait Dialect: Sync {
    /// The dialect's words.
    fn vocabulary(&self) -> &'static Vocabulary;

    /// Its rules for subjects.
    fn rules(&self) -> Vec<&'static Rule>;

    /// Why a folder is a subject of this dialect, if it is one: what it holds.
    fn claims(&self, _folder: &Path) -> Option<String> {
        None
    }

    /// Makes the subject ready to be started, and returns its command line.
    ///
    /// # Errors
    /// If the description names no subject, or if it cannot be made ready; the message says what to do.
    fn prepare(&self, config: &Config, _: &Preparing<'_>) -> Result<Vec<Bytes>, RunError> {
        command_line(config)
    }

    /// The command line of a stored session, made ready to be started again. `None` if it can be started as it is.
    ///
    /// # Errors
    /// If the subject cannot be made ready; the message says what to do.
    fn renewed(&self, _argv: &[Bytes], _: &Preparing<'_>) -> Result<Option<Vec<Bytes>>, RunError> {
        Ok(None)
    }

    /// The files and folders from which the subject is made: after a change in one of them, it is
    /// another subject.
    fn sources(&self, config: &Config) -> Vec<PathBuf> {
        sources(config)
    }

    /// What a subject may use in its sandbox.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// How its messages are framed.
    fn wire(&self) -> &dyn Wire;

    /// Reads a transcript.
    fn read(&self, transcript: Transcript) -> AnySession;

    /// What is known about a subject before its first session.
    fn unknown(&self) -> Learned;

    /// The relations of the sessions that no shared family plans.
    fn own_relations(&self) -> Vec<Relation>;

    /// Learns from a session what later plans build on.
    fn learn(&self, known: &mut Learned, session: &AnySession);

    /// The sessions that show which names and values a description may have, once the first ones have been held. Nothing
    /// of an example is sent. Commands without a whole suite hold them.
    fn names(&self, _setting: &Setting<'_>, _known: &Learned) -> Vec<Case> {
        Vec::new()
    }

    /// Why the suite cannot go on with this description, given what the first sessions have shown.
    fn refuses(&self, _config: &Config, _known: &Learned) -> Option<String> {
        None
    }

    /// Values in a description that a session shows to be secret.
    fn secrets(&self, _config: &Config, _session: &AnySession) -> Vec<Value> {
        Vec::new()
    }

    /// Makes a stored case whole for this machine: fills masked secrets in again, as far as the
    /// description has them, and names the dialect's own programs where they are here.
    fn unmask(&self, _config: &Config, _case: &mut Case) {}

    /// The sessions of a stage.
    fn plans(
        &self,
        setting: &Setting<'_>,
        known: &Learned,
        stage: PlanningStage,
        effort: Effort,
    ) -> Vec<Planned>;

    /// A session in which an agent brings about these items, in an order, under conditions and as
    /// often as `number` chooses. `None` if there is no agent, or if it could send none of them.
    fn driven(&self, _setting: &Setting<'_>, _items: &[Instance], _number: u64) -> Option<Case> {
        None
    }

    /// What the snapshot of a session is called: it must not depend on where the subject lies.
    fn snapshot_name(&self, session: &AnySession) -> String {
        session.case().subject.name.clone()
    }

    /// What an exchange (by index) says, as lines for people.
    fn said(&self, session: &AnySession, exchange: usize) -> Said {
        let heard = session.reading().exchange_at(exchange);
        heard.map_or_else(Said::default, |heard| Said::of(heard, session.case()))
    }

    /// What this machine lacks to run the subject, as the usual sessions show it: rules that nothing exercised
    /// are skipped with it.
    fn lacking(&self, _sessions: &[AnySession]) -> Option<String> {
        None
    }

    /// What a real agent would do with the answer that a finding is about.
    fn remark(&self, _finding: &Finding, _sessions: &[AnySession]) -> Option<String> {
        None
    }

    /// A case with an agent that keeps to the specification where deployed ones do not. `None` if the
    /// dialect knows none, or if the case has no use for it.
    fn specified(&self, _case: &Case) -> Option<Case> {
        None
    }

    /// How many requests of a session the subject failed at.
    fn failures(&self, _session: &AnySession) -> usize {
        0
    }

    /// Does a rule judge what the author declares? What no deployed agent meets in the usual evaluation of an example
    /// is then a failure, whatever the specification would forgive.
    fn judges_declarations(&self, _code: &str) -> bool {
        false
    }

    /// The name of what deployed agents have in common, and a case with each version of it, for those
    /// that do not keep to the specification.
    fn deployed(&self, _case: &Case) -> (&'static str, Vec<(&'static str, Case)>) {
        ("", Vec::new())
    }

    /// Is there what rules need?
    fn has(&self, need: &Need, config: &Config, known: &Learned) -> bool;
}
