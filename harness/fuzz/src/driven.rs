//! Sessions in which the dialect's agent, and not the campaign, decides what to send and when: it
//! gets a program made from items that the campaign made up.

use crate::input::InputItem;
use crate::space::Space;
use stickler_judge::AnySession;
use stickler_session::RunOptions;
use stickler_suite::{Bench, RunError};

/// What the agent is to bring about.
#[derive(Clone, Debug)]
pub struct Programme {
    /// The items.
    pub items: Vec<InputItem>,
    /// What chooses order, conditions and repetitions.
    pub number: u64,
}

impl Programme {
    /// Has the agent carry it out in a fresh process. `None` if the agent can send none of the
    /// items.
    ///
    /// # Errors
    /// If no session can start, or if the user ends the campaign.
    pub fn run(
        &self,
        bench: &Bench<'_>,
        space: &Space<'_>,
        options: &RunOptions<'_>,
    ) -> Result<Option<AnySession>, RunError> {
        let items = self.items.iter().enumerate();
        let items: Vec<_> = items
            .map(|(at, item)| space.instance(item, at + 1))
            .collect();
        let Some(case) = bench.dialect.driven(space.setting, &items, self.number) else {
            return Ok(None);
        };
        let wire = bench.dialect.wire();
        let transcript = stickler_session::run(bench.host, case, wire, options)?;
        Ok(Some(bench.dialect.read(transcript)))
    }

    /// The same with one item less, for each item.
    pub fn smaller(&self) -> Vec<Self> {
        let one = self.items.len() > 1;
        let each = 0..self.items.len();
        each.filter(|_| one)
            .map(|at| {
                let mut smaller = self.clone();
                smaller.items.remove(at);
                smaller
            })
            .collect()
    }
}
