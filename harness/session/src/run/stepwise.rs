//! A session whose plan grows: with each step, or by what an oracle chooses.

use super::play::{Playbook, Playing};
use super::{RunOptions, Session, Wire};
use crate::SessionError;
use crate::effects::Snapshot;
use crate::sandbox::Host;
use crate::stage::Stage;
use std::sync::Arc;
use stickler_transcript::{Case, Deadlines, Event, Plan, Step, Transcript, VERSION};

/// Runs the plan of `case`, which must have one, and returns the transcript.
///
/// # Errors
/// If the sandbox or a pipe cannot be made, if the plan is inconsistent, or if a command from the
/// author's configuration fails. What the subject does is never an error.
pub fn run(
    host: &Host,
    case: Case,
    wire: &dyn Wire,
    options: &RunOptions<'_>,
) -> Result<Transcript, SessionError> {
    Stepwise::open(host, case, wire, options)?.close()
}

/// A session whose plan grows step by step: the next step may depend on what came back.
pub struct Stepwise<'r> {
    case: Case,
    plan: Plan,
    session: Session<'r>,
    complete: bool,
    opening: Opening,
}

/// How much of a session came before its [`Stepwise::mark`].
#[derive(Default)]
struct Opening {
    events: usize,
    steps: usize,
    exchanges: usize,
    recorded: u64,
    /// What files were like.
    files: Option<Arc<Snapshot>>,
}

impl<'r> Stepwise<'r> {
    /// Opens a session and executes the steps planned so far, and what the oracle chooses then.
    ///
    /// # Errors
    /// As [`run`].
    pub fn open(
        host: &Host,
        mut case: Case,
        wire: &'r dyn Wire,
        options: &'r RunOptions<'r>,
    ) -> Result<Self, SessionError> {
        let mut plan = case
            .plan
            .take()
            .ok_or_else(|| SessionError::Plan("the case has no plan".into()))?;
        let oracle = plan.oracle.take();
        case.version = VERSION;
        case.tier = host.tier().to_string();
        case.lacks = host.lacks();
        let mut session = Session::open(host, &plan, &case.deadlines, wire, options)?;
        let complete = session.steps(&plan, 0)?;
        let mut stepwise = Self {
            case,
            plan,
            session,
            complete,
            opening: Opening::default(),
        };
        if let Some(oracle) = oracle {
            wire.drive(&oracle, &mut stepwise.stage())?;
        }
        Ok(stepwise)
    }

    /// The session for an oracle, which chooses further steps of the plan.
    pub fn stage(&mut self) -> impl Stage + use<'_, 'r> {
        Playing {
            session: &mut self.session,
            plan: Playbook::Grows(&mut self.plan, &mut self.complete),
        }
    }

    /// What came so far is the opening: [`Stepwise::drain`] keeps it.
    pub fn mark(&mut self) {
        self.opening = Opening {
            events: self.session.events.len(),
            steps: self.plan.steps.len(),
            exchanges: self.session.exchanges,
            recorded: self.session.recorded,
            files: self.session.observed.clone(),
        };
    }

    /// The harness has taken back all changes since the opening. `is_sure`: all files are as they were then, so that
    /// nobody need look at them. Otherwise they are looked at, and count as the opening's.
    ///
    /// # Errors
    /// As [`run`].
    pub fn restored(&mut self, is_sure: bool) -> Result<(), SessionError> {
        if is_sure && self.opening.files.is_some() {
            self.session.observed.clone_from(&self.opening.files);
            self.session.touched.restored();
            return Ok(());
        }
        self.session.observe("restored")?;
        self.opening.files.clone_from(&self.session.observed);
        Ok(())
    }

    /// How many events the opening has.
    pub fn opening(&self) -> usize {
        self.opening.events
    }

    /// Takes what happened since the opening out of the record, so that a session of any length
    /// needs little memory. The result is the opening and the rest as the session of `case`.
    pub fn drain(&mut self, case: Case) -> Transcript {
        let opening = self.opening.events.min(self.session.events.len());
        let mut events = self.session.events[..opening].to_vec();
        events.extend(self.session.events.drain(opening..));
        self.forget();
        Transcript {
            case: self.dressed(case),
            events,
        }
    }

    /// Forgets what happened since the opening.
    pub fn forget(&mut self) {
        self.session.events.truncate(self.opening.events);
        self.plan.steps.truncate(self.opening.steps);
        self.session.exchanges = self.opening.exchanges;
        self.session.recorded = self.opening.recorded;
        self.session.accepted.clear();
        if let Some(answers) = &mut self.session.answers {
            answers.clear();
        }
    }

    /// The case with what this session knows about the sandbox.
    fn dressed(&self, case: Case) -> Case {
        Case {
            version: self.case.version,
            tier: self.case.tier.clone(),
            lacks: self.case.lacks.clone(),
            ..case
        }
    }

    /// Ends the session, whose record is then that of `case`.
    ///
    /// # Errors
    /// As [`run`].
    pub fn close_as(self, case: Case) -> Result<Transcript, SessionError> {
        let case = self.dressed(case);
        let events = self.close()?.events;
        Ok(Transcript { case, events })
    }

    /// Is the process still there to answer?
    pub fn is_live(&self, process: usize) -> bool {
        self.session.is_live(process)
    }

    /// Executes one more step; false if the process that it is about has failed.
    ///
    /// # Errors
    /// As [`run`].
    pub fn step(&mut self, step: Step) -> Result<bool, SessionError> {
        self.stage().step(step)
    }

    /// The deadlines in force.
    pub fn deadlines(&self) -> &Deadlines {
        &self.case.deadlines
    }

    /// What has happened so far.
    pub fn events(&self) -> &[Event] {
        &self.session.events
    }

    /// Ends the session.
    ///
    /// # Errors
    /// As [`run`].
    pub fn close(mut self) -> Result<Transcript, SessionError> {
        self.session.close(self.complete)?;
        if self.session.stopped {
            return Err(SessionError::Stopped);
        }
        // A check keeps hundreds of sessions in memory.
        self.session.events.shrink_to_fit();
        Ok(Transcript {
            case: Case {
                plan: Some(self.plan),
                ..self.case
            },
            events: self.session.events,
        })
    }
}
