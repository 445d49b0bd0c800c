//! The agent: the measured releases, and any policy.

mod any_policy;
mod releases;
