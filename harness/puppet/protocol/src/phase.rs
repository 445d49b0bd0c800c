//! The phases of a session with a host, as transcripts name them: the methods of the protocol.

use stickler_transcript::{Deadlines, Phase};

/// The host begins.
pub const INITIALIZE: Phase = Phase::named("initialize");
/// Definitions are loaded.
pub const LOAD: Phase = Phase::named("load");
/// A provider is built.
pub const OPEN: Phase = Phase::named("open");
/// The state is read.
pub const GET: Phase = Phase::named("get");
/// Values get their canonical form.
pub const CANONICALIZE: Phase = Phase::named("canonicalize");
/// A property is compared with its target.
pub const INSYNC: Phase = Phase::named("insync");
/// The state is changed.
pub const SET: Phase = Phase::named("set");
/// A provider is given up.
pub const CLOSE: Phase = Phase::named("close");

/// All of them, in the order of a session.
pub const ALL: [Phase; 8] = [
    INITIALIZE,
    LOAD,
    OPEN,
    CANONICALIZE,
    GET,
    INSYNC,
    SET,
    CLOSE,
];

/// The default deadlines, in microseconds.
pub fn usual_deadlines() -> Deadlines {
    let long = |phase| [GET, SET].contains(&phase);
    let deadline = |phase| match long(phase) {
        true => 30_000_000,
        false => 5_000_000,
    };
    ALL.map(|phase| (phase, deadline(phase))).into()
}
