//! What the rules for mgmt resources say of short dialogues.

mod checkapply;
mod common;
mod compared;
mod graphs;
mod hindered;
mod life;
mod message;
mod neighbours;
mod races;
mod recorded;
mod replaced;
mod request;
mod traits;
mod watched;
