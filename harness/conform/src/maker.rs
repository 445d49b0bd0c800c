//! What a dialect provides to fuzz an agent: situations that it makes up, and an agent that plays them.

use crate::{Difference, Played};
use serde_json::Value;
use std::ffi::OsString;

/// Makes situations, and plays them with the agent under test and with the reference agent.
pub trait Maker: Sync {
    /// The agent as reports name it: `cf-agent 3.21.0`.
    fn agent(&self) -> String;

    /// The release that the reference agent follows.
    fn release(&self) -> &str;

    /// A situation by this name. The same seed and parent give the same one. `parent` is one that showed something new.
    fn make(&self, name: &str, seed: u64, parent: Option<&Value>) -> Value;

    /// A situation in which a module never answers.
    fn silent(&self, name: &str, seed: u64) -> Value;

    /// Does an agent only wait in it?
    fn waits(&self, situation: &Value) -> bool;

    /// Smaller situations, those that leave out most first.
    fn smaller(&self, situation: &Value) -> Vec<Value>;

    /// Does this rule judge how agents end?
    fn judges_ends(&self, rule: &str) -> bool;

    /// Plays a situation, also with the reference agent if they are to be compared. Only the agent under test gets these
    /// variables.
    ///
    /// # Errors
    ///
    /// If the agent can't be run at all, or was interrupted.
    fn play(
        &self,
        situation: &Value,
        compared: bool,
        variables: &[(OsString, OsString)],
    ) -> anyhow::Result<Tried>;
}

/// What came of a situation.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The situation, with what the reference agent did as what was recorded.
    pub situation: Value,
    /// What the agent under test did.
    pub played: Played,
    /// Where it differs from the reference agent.
    pub differences: Vec<Difference>,
    /// What it did, each as a few words: its exit, its messages, which requests follow which. A word that no situation
    /// showed before is something new.
    pub shown: Vec<String>,
    /// Where the two part: what tells differences apart.
    pub parted: String,
    /// How and where the agent ended, if that was no usual end: what tells crashes apart.
    pub ended: String,
    /// Did it not end?
    pub hung: bool,
}
