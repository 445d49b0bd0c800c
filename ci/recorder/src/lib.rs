//! Runs each situation of `fixtures/recorded/` against a program that the caller has, and writes what it
//! did in the form of the fixture.
//!
//! A recording is data: this crate knows no rule, evaluates no policy and judges nobody.

pub mod cf_agent;
pub mod mgmt;
pub mod puppet;
mod recorded;
pub mod rows;
pub mod run;

pub use recorded::Recorded;
