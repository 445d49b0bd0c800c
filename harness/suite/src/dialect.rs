//! What a system has to say of itself, so that the suite can test its subjects.

use crate::builder::{CaseBuilder, Setting};
use crate::command::command_line;
use crate::config::Config;
use crate::effort::Effort;
use crate::error::RunError;
use crate::instance::Instance;
use crate::knowledge::Knowledge;
use crate::plans::Batch;
use crate::said::Said;
use crate::vocabulary::Vocabulary;
use std::borrow::Borrow;
use stickler_judge::{Outcome, Rule, View};
use stickler_session::sandbox::Host;
use stickler_session::{RunOptions, SessionError, Wire};
use stickler_transcript::{Bytes, Case, Facts, Relation, Send, Transcript};

/// What a message asks of an item.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// Names the exchange, before the item's label.
    pub key: &'a str,
    /// The item.
    pub item: &'a Instance,
    /// Key of the validation that must have been accepted.
    pub requires: Option<&'a str>,
}

/// How a subject is spoken with. Shared plan families speak through these verbs alone.
pub trait Verbs: Sync {
    /// The dialect's words.
    fn vocabulary(&self) -> &'static Vocabulary;

    /// What the dialect notes about each case.
    fn facts(&self, setting: &Setting<'_>) -> Facts;

    /// Can any value be sent? Else only texts without line ends.
    fn sends_any_value(&self, _knowledge: &Knowledge) -> bool {
        true
    }

    /// What the subject of a command line is called: the file that its last word names.
    fn subject_name(&self, argv: &[Bytes]) -> String {
        argv.last().map_or_else(String::new, |word| {
            let text = word.lossy();
            text.rsplit('/').next().unwrap_or(&text).to_owned()
        })
    }

    /// Says to a fresh process what has to be said before anything else.
    fn greet(&self, case: &mut CaseBuilder<'_>);

    /// Asks whether an item is valid. The subject changes nothing.
    fn validate(&self, case: &mut CaseBuilder<'_>, ask: Ask<'_>, change: &mut dyn FnMut(&mut Send));

    /// Has an item brought about, or looked at where [`Instance::dry`] says so. `change` is called
    /// once: on the message that may change the system. That message has the key of `ask`;
    /// others have keys of their own.
    fn evaluate(&self, case: &mut CaseBuilder<'_>, ask: Ask<'_>, change: &mut dyn FnMut(&mut Send));

    /// Asks the process to end. Its input is closed afterwards.
    fn farewell(&self, case: &mut CaseBuilder<'_>);
}

/// When sessions are planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Nothing is known of the subject.
    First,
    /// It is known how it is spoken with.
    Examples,
    /// It is known what the examples do.
    Suite,
}

/// How somebody else than the plan drives a session.
pub type Drive = dyn Fn(&Host, Case, &RunOptions<'_>) -> Result<Transcript, SessionError>
    + Sync
    + std::marker::Send;

/// A session to hold, or several.
pub enum Planned {
    /// As its case says.
    Case(Case),
    /// Driven by an agent; one without any message is no session.
    Driven(Case, Box<Drive>),
    /// Many small steps: where a subject dies on one, the rest is tried in a fresh process.
    Batch(Batch),
}

impl Planned {
    /// The relations of its sessions.
    pub(crate) fn relations(&self) -> Vec<Relation> {
        match self {
            Planned::Case(case) | Planned::Driven(case, _) => {
                case.groups.iter().map(|member| member.relation).collect()
            }
            Planned::Batch(batch) => vec![batch.relation],
        }
    }
}

/// A system whose programs Stickler tests.
pub trait Dialect: Verbs + Sized {
    /// A session as the dialect's rules see it.
    type Session: View + Clone + std::marker::Send + Sync + 'static;

    /// Its rules for subjects.
    fn rules(&self) -> Vec<&'static Rule<Self::Session>>;

    /// The subject's command line.
    ///
    /// # Errors
    /// Where the description names no subject; the message says what to do.
    fn command_line(&self, config: &Config) -> Result<Vec<Bytes>, RunError> {
        command_line(config)
    }

    /// How its messages are framed.
    fn wire(&self) -> &dyn Wire;

    /// Reads a transcript.
    fn read(&self, transcript: Transcript) -> Self::Session;

    /// Learns from a session what later plans build on.
    fn learn(&self, knowledge: &mut Knowledge, session: &Self::Session);

    /// The sessions of a stage.
    fn plans(&self, setting: &Setting<'_>, stage: Stage, effort: Effort) -> Vec<Planned>;

    /// What is said in an exchange (by index), in lines for people.
    fn said(&self, session: &Self::Session, exchange: usize) -> Said {
        let reading = session.reading();
        let exchanges = &reading.exchanges;
        let heard = exchanges.get(exchange);
        heard.map_or_else(Said::default, |heard| {
            Said::of(heard.borrow(), session.case())
        })
    }

    /// Adds to findings what a real agent would do with the answers that they are about.
    fn remark(
        &self,
        _outcomes: &mut [Outcome],
        _rules: &[&Rule<Self::Session>],
        _sessions: &[Self::Session],
    ) {
    }

    /// Why a rule was not exercised, in words that say what to add. The same reason is the same
    /// text, so that reports can gather it.
    fn not_exercised(&self, code: &str, config: &Config, knowledge: &Knowledge) -> String;
}
