//! Situations of mgmt's engine: `fixtures/recorded/mgmt/cases.jsonl.gz`, which is part of the program.
//!
//! A situation is a graph of scripted resources and what a driver does to it. The program in `go/` plays situations in
//! the `engine/graph` of a checkout. Some of what the engine does is chance, and shows more often on a busy machine, so
//! a situation that differs is played again. This crate applies no rule.

mod build;
mod conversation;
mod merge;
mod play;
mod table;

pub use play::Agent;
pub use table::{Line, Situations};

/// The recorded situations.
const SITUATIONS: &[u8] = include_bytes!("../../../../fixtures/recorded/mgmt/cases.jsonl.gz");

/// The schema of a situation.
pub const SCHEMA: &str = include_str!("../../../../docs/schema/conform-situation-mgmt.schema.json");
