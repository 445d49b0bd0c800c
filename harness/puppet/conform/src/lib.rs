//! Situations of Puppet with the Resource API: `fixtures/recorded/puppet/`.
//!
//! `situations.jsonl` holds a situation a line: types, what their providers answer (`script`), a manifest or a command,
//! and what each version of Puppet and of the library did (`want`), as `7.23.0+1.8.16`. `messages.jsonl` names
//! messages. `scripted.rb` plays the providers, `play.rb` runs Puppet. All are part of the program. Stickler's own
//! runtime plays situations as well ([`Reference`]).
//! This crate applies no rule. It reads manifests only to tell rules what these declare.

mod agent;
mod conversation;
mod facts;
mod folder;
mod messages;
mod reference;
mod seen;
mod situation;
mod table;

pub use agent::{Agent, Played, Player, Run};
pub use folder::Folder;
pub use messages::Messages;
pub use reference::Reference;
pub use seen::{Seen, Shown};
pub use situation::{Command, Line, Situation};
pub use table::Situations;

/// The recorded situations.
pub const SITUATIONS: &str = include_str!("../../../../fixtures/recorded/puppet/situations.jsonl");

/// The names of Puppet's messages.
pub const MESSAGES: &str = include_str!("../../../../fixtures/recorded/puppet/messages.jsonl");

/// The schema of a situation.
pub const SCHEMA: &str =
    include_str!("../../../../docs/schema/conform-situation-puppet.schema.json");

/// The provider that plays scripts.
pub const PROVIDER: &str = include_str!("../../../../fixtures/recorded/puppet/scripted.rb");

/// What runs situations in the agent's own process.
const PLAY: &str = include_str!("../../../../fixtures/recorded/puppet/play.rb");
