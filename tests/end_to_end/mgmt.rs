//! Tests whose subjects are mgmt resources alone: no other dialect decides them.

pub mod graphs;
mod graphs_recorded;
pub mod resources;
mod sharing;
