//! What the rules for mgmt resources say of short dialogues.

mod checkapply;
mod common;
mod compared;
mod graphs;
mod life;
mod recorded;
mod traits;
mod watched;
