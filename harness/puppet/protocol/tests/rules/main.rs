//! The rules on short dialogues with hosts: each broken, and the nearest legal behaviour.

mod absent;
mod brief;
mod canonical;
mod changes;
mod common;
mod definitions;
mod insync;
mod messages;
mod robustness;
mod rows;
mod secrets;
mod shown;
mod transports;
