//! Recordings of Puppet: `fixtures/recorded/puppet/`.
//!
//! `situations.jsonl` holds a situation a line: types, what their providers answer (`script`), a manifest or a command,
//! and what each version of Puppet and of the library did (`want`), as `7.23.0+1.8.16`. `messages.jsonl` names
//! messages. `scripted.rb` plays the providers, `play.rb` runs Puppet.

mod folder;
mod messages;
mod record;
mod seen;
mod situation;

pub use folder::Folder;
pub use messages::Messages;
pub use record::record;
pub use seen::{Seen, Shown};
pub use situation::{Command, Line, Situation, lines};
