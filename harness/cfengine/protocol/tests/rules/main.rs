//! What rules say of short dialogues.

mod attributes;
mod common;
mod declared;
mod dialogues;
mod disturbances;
mod effects;
mod framing;
mod header;
mod logs;
mod operations;
mod results;
mod robustness;
mod sequence;
mod warn;
