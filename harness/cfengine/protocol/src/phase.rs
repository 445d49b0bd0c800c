//! The phases of a session with an agent, as transcripts name them.

use stickler_transcript::{Deadlines, Phase};

/// The agent's header.
pub const HEADER: Phase = Phase::named("header");
/// The agent asks the module to validate a promise.
pub const VALIDATE: Phase = Phase::named("validate");
/// The agent asks the module to evaluate a promise.
pub const EVALUATE: Phase = Phase::named("evaluate");
/// The agent asks the module to end.
pub const TERMINATE: Phase = Phase::named("terminate");

/// The default deadlines of agents and the suite, in microseconds.
pub fn usual_deadlines() -> Deadlines {
    [
        (HEADER, 2_000_000),
        (VALIDATE, 2_000_000),
        (EVALUATE, 30_000_000),
        (TERMINATE, 2_000_000),
    ]
    .into()
}
