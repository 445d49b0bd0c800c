//! Recordings of mgmt's engine: `fixtures/recorded/mgmt/cases.jsonl.gz`.
//!
//! A case is a graph of scripted resources and what a driver does to it. The program in `go/` plays cases in the
//! `engine/graph` of a checkout. Each case is played once, and again where it differs from its recording: some of
//! what the engine does is chance, and shows more often on a busy machine.

mod build;
mod merge;
mod play;
mod record;

pub use record::{Replayed, record};
