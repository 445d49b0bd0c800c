//! The session as a stage: an oracle makes messages when it is their turn, or chooses what happens
//! after the planned steps.

use super::Session;
use crate::SessionError;
use crate::stage::Stage;
use stickler_transcript::{Event, ItemOutcome, Key, Phase, Plan, Step};

/// A session that an oracle plays in.
pub(super) struct Playing<'s, 'r> {
    pub(super) session: &'s mut Session<'r>,
    pub(super) plan: Playbook<'s>,
}

/// What becomes of the plan.
pub(super) enum Playbook<'s> {
    /// It keeps the planned message, whatever is sent for it.
    Stays(&'s Plan),
    /// It gets each step. The flag says whether all were done.
    Grows(&'s mut Plan, &'s mut bool),
}

impl Stage for Playing<'_, '_> {
    fn answer(&self, key: &Key) -> Option<&[u8]> {
        self.session.answers.as_ref()?.get(key).map(Vec::as_slice)
    }

    fn number(&self) -> usize {
        self.session.exchanges + 1
    }

    fn deadline_us(&self, phase: Phase) -> u64 {
        self.session.deadlines.of(phase)
    }

    fn events(&self) -> &[Event] {
        &self.session.events
    }

    fn is_live(&self, process: usize) -> bool {
        self.session.is_live(process)
    }

    fn step(&mut self, step: Step) -> Result<bool, SessionError> {
        match (&mut self.plan, step) {
            (Playbook::Stays(_), Step::Send(send)) => self.session.transmit(&send),
            (Playbook::Stays(plan), step) => self.session.step(plan, &step),
            (Playbook::Grows(plan, complete), step) => {
                plan.steps.push(step);
                let done = self.session.steps(plan, plan.steps.len() - 1)?;
                **complete &= done;
                Ok(done)
            }
        }
    }

    fn omit(&mut self, key: &Key) {
        let t = self.session.now();
        let key = key.clone();
        self.session.events.push(Event::Unsent { t, key });
    }

    fn conclude(&mut self, outcome: ItemOutcome) {
        let t = self.session.now();
        let outcome = ItemOutcome { t, ..outcome };
        self.session.events.push(Event::Outcome(Box::new(outcome)));
    }
}
