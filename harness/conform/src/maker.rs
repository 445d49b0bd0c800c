//! What a dialect provides to fuzz an agent: situations that it makes up, and an agent that plays them.

use crate::{Difference, Played};
use serde_json::Value;

/// Makes situations, and plays them with the agent under test and with the reference agent.
pub trait Maker: Sync {
    /// The agent as reports name it: `cf-agent 3.21.0`.
    fn agent(&self) -> String;

    /// The release that the reference agent follows.
    fn release(&self) -> &str;

    /// A situation by this name. The same seed and parent give the same one. `parent` is one that showed something new.
    fn make(&self, name: &str, seed: u64, parent: Option<&Value>) -> Value;

    /// Does an agent only wait in it?
    fn waits(&self, situation: &Value) -> bool;

    /// Smaller situations, those that leave out most first.
    fn smaller(&self, situation: &Value) -> Vec<Value>;

    /// Plays a situation, also with the reference agent if they are to be compared.
    ///
    /// # Errors
    ///
    /// If the agent can't be run at all.
    fn play(&self, situation: &Value, compared: bool) -> anyhow::Result<Tried>;
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
    /// How the run went, so that situations can be told apart: exit, messages, requests.
    pub shown: String,
    /// Where the two part, or how the agent ended if that was no usual end: what tells defects of one rule apart.
    pub token: String,
    /// Did it not end?
    pub hung: bool,
}
