//! What `stickler init` needs in each dialect: where its file goes, and how it is written.

pub mod output;
pub mod starter;
