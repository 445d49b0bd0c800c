//! Real little programs in sessions and in sandboxes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod looks;
mod notifications;
mod sandbox;
