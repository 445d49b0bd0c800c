//! Recordings of cf-agent: `fixtures/recorded/releases/`.
//!
//! `situations.jsonl` holds a situation a line: a policy, what its modules answer, and what each release did, under
//! the oldest release that did so. `messages.jsonl` names the agent's messages. `module.py` plays the modules.

mod messages;
mod play;
mod record;
mod situation;

pub use messages::Messages;
pub use play::{Agent, shown};
pub use record::record;
pub use situation::{Action, Answer, Exit, Line, Script, Situation, Want, lines};
