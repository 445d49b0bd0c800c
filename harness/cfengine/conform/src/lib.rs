//! Situations of agents with promise modules: `fixtures/recorded/releases/`.
//!
//! `situations.jsonl` holds a situation a line: a policy, what its modules answer, and what each measured release of
//! cf-agent did, under the oldest release that did so. `hostile.jsonl` holds answers that modules should never give.
//! `messages.jsonl` names the agent's messages. `module.py` plays the modules. All are part of the program.
//! This crate applies no rule and evaluates no policy.

mod agent;
mod conversation;
mod messages;
mod noted;
mod seen;
mod situation;
mod table;

pub use agent::{Agent, Player, Run};
pub use messages::Messages;
pub use noted::{Noted, What};
pub use situation::{Action, Answer, Exit, Line, Script, Situation, Want};
pub use table::Situations;

/// The recorded situations.
pub const SITUATIONS: &str =
    include_str!("../../../../fixtures/recorded/releases/situations.jsonl");

/// The rules that measured releases break, as a baseline.
const BROKEN: &str = include_str!("../../../../fixtures/recorded/releases/broken.jsonl");

/// The recorded situations with hostile modules.
pub const HOSTILE: &str = include_str!("../../../../fixtures/recorded/releases/hostile.jsonl");

/// The names of the agent's messages.
pub const MESSAGES: &str = include_str!("../../../../fixtures/recorded/releases/messages.jsonl");

/// The schema of a situation.
pub const SCHEMA: &str = include_str!("../../../../docs/schema/conform-situation.schema.json");

/// The module that plays scripts.
const MODULE: &str = include_str!("../../../../fixtures/recorded/releases/module.py");
