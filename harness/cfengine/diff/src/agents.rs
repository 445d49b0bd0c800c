//! The two agents on one policy.

use crate::compare::{OUTPUT, compare};
use crate::interpose::Module;
use crate::known::KNOWN;
use crate::room::Agent;
use crate::{Mode, Room, Seen, normal, place};
use std::sync::OnceLock;
use stickler_oracle::{
    AcceptedDifference, Comparison, Difference, Error, InputPlace, RunName, Sides,
};

/// The reference agent and the real one.
#[derive(Debug)]
pub struct Agents {
    room: Room,
    ours: Agent,
    /// `None` if its runs are stored.
    theirs: Option<Agent>,
    /// The modules that either agent starts; `None` if they cannot be recorded.
    modules: OnceLock<Option<Vec<Module>>>,
}

impl Agents {
    /// The name of the real agent.
    pub const PEER: &str = "cf-agent";

    /// The agents in a room. Without the real one, its runs must be stored.
    pub fn new(room: Room, ours: Agent, theirs: Option<Agent>) -> Self {
        Self {
            room,
            ours,
            theirs,
            modules: OnceLock::new(),
        }
    }

    /// The same agents on a policy whose modules have their recorders already.
    #[must_use]
    pub fn on(&self, room: Room) -> Self {
        Self {
            room,
            ours: self.ours.clone(),
            theirs: self.theirs.clone(),
            modules: OnceLock::from(Some(Vec::new())),
        }
    }

    /// The conditions of the runs.
    pub fn room(&self) -> &Room {
        &self.room
    }

    fn modules(&self) -> Result<Option<&[Module]>, Error> {
        if let Some(known) = self.modules.get() {
            return Ok(known.as_deref());
        }
        let mut modules = None;
        if self.room.records() {
            let mut found = self.room.modules(&self.ours)?;
            if let Some(agent) = &self.theirs {
                found.extend(self.room.modules(agent)?);
                found.sort();
                found.dedup();
            }
            modules = Some(found);
        }
        Ok(self.modules.get_or_init(|| modules).as_deref())
    }

    fn seen(&self, agent: &Agent, run: &RunName) -> Result<Seen, Error> {
        let raw = self.room.run(agent, mode(run)?, self.modules()?, &[])?;
        Ok(normal::seen(&raw, self.room.paths()))
    }
}

fn mode(run: &RunName) -> Result<Mode, Error> {
    run.mode.parse().map_err(Error::NotStored)
}

impl Sides for Agents {
    type Seen = Seen;

    fn peer(&self) -> &'static str {
        Self::PEER
    }

    fn known(&self) -> &'static [AcceptedDifference] {
        &KNOWN
    }

    fn options(&self) -> Vec<String> {
        self.room.options.clone()
    }

    fn ours(&self, run: &RunName) -> Result<Seen, Error> {
        let seen = self.seen(&self.ours, run)?;
        if seen.refused {
            // The advice is only for users who run the agent itself.
            let places = seen
                .errors
                .iter()
                .filter(|line| line.trim() != normal::REFUSED);
            let places: Vec<&str> = places.map(String::as_str).collect();
            return Err(Error::Unsupported(format!(
                "the reference agent does not support parts of this policy\n{}\n  nothing was compared",
                places.join("\n")
            )));
        }
        Ok(seen)
    }

    fn theirs(&self, run: &RunName) -> Result<Seen, Error> {
        match &self.theirs {
            Some(agent) => self.seen(agent, run),
            None => Err(Error::NoSide("cf-agent is not installed".to_owned())),
        }
    }

    fn compare(&self, theirs: &Seen, ours: &Seen) -> Comparison {
        compare(theirs, ours)
    }

    fn place(&self, run: &RunName, found: &Difference) -> Result<Option<InputPlace>, Error> {
        if found.aspect != OUTPUT {
            return Ok(None);
        }
        let more = ["--format", "json"];
        let raw = self.room.run(&self.ours, mode(run)?, None, &more)?;
        let events = String::from_utf8_lossy(&raw.stdout);
        Ok(place::of_output(&events, found.first.1))
    }
}
