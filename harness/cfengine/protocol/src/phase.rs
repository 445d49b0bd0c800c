//! The messages of an agent, as transcripts name them.

use stickler_transcript::{Deadlines, Phase};

/// The agent's header.
pub const HEADER: Phase = Phase::named("header");
/// A promise is to be validated.
pub const VALIDATE: Phase = Phase::named("validate");
/// A promise is to be evaluated.
pub const EVALUATE: Phase = Phase::named("evaluate");
/// The module is to end.
pub const TERMINATE: Phase = Phase::named("terminate");

/// How long agents and the suite wait by default, in microseconds.
pub fn usual_deadlines() -> Deadlines {
    [
        (HEADER, 2_000_000),
        (VALIDATE, 2_000_000),
        (EVALUATE, 30_000_000),
        (TERMINATE, 2_000_000),
    ]
    .into()
}
