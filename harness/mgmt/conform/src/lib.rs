//! Situations of mgmt's engine: `fixtures/recorded/mgmt/cases.jsonl.gz`, which is part of the program.
//!
//! A situation is a graph of scripted resources and what a driver does to it. The program in `go/` plays situations in
//! the `engine/graph` of a checkout. Some of what the engine does is chance, and shows more often on a busy machine, so
//! a situation that differs is played again. Stickler's own engine plays them as well ([`Reference`]). This crate applies no rule.

mod build;
mod conversation;
mod line;
mod merge;
mod play;
mod reference;
mod table;

pub use line::Line;
pub use play::{Agent, Player, Run};
pub use reference::Reference;
pub use table::Situations;

/// The recorded situations.
const SITUATIONS: &[u8] = include_bytes!("../../../../fixtures/recorded/mgmt/cases.jsonl.gz");

/// The schema of a situation.
pub const SCHEMA: &str = include_str!("../../../../docs/schema/conform-situation-mgmt.schema.json");
