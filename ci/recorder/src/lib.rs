//! Runs each situation of `fixtures/recorded/` against a program that the caller has, and writes what it
//! did in the form of the fixture.
//!
//! A recording is data: this crate knows no rule, evaluates no policy and judges nobody.

pub mod cf_agent;
pub mod mgmt;
pub mod puppet;
pub mod rows;
pub mod run;

/// What came of a recording.
#[derive(Debug)]
pub struct Recorded {
    /// The version that was recorded.
    pub version: String,
    /// How many situations were played.
    pub played: usize,
    /// Those whose recording changed.
    pub changed: Vec<String>,
}
