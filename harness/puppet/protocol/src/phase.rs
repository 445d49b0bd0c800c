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
/// A provider gives further resources.
pub const GENERATE: Phase = Phase::named("generate");
/// The state is changed.
pub const SET: Phase = Phase::named("set");
/// A transport connects to a target.
pub const CONNECT: Phase = Phase::named("connect");
/// The same through the class that `puppet device` builds.
pub const DEVICE: Phase = Phase::named("device");
/// A transport looks whether its target is there.
pub const VERIFY: Phase = Phase::named("verify");
/// A transport tells about its target.
pub const FACTS: Phase = Phase::named("facts");
/// The class of a transport or a device is looked at.
pub const DESCRIBE: Phase = Phase::named("describe");
/// The known schemas are listed.
pub const TRANSPORTS: Phase = Phase::named("transports");
/// An object is shown as Ruby shows it.
pub const INSPECT: Phase = Phase::named("inspect");
/// The host tells what of the operating system it holds.
pub const HOLDS: Phase = Phase::named("holds");
/// A provider or a transport is given up.
pub const CLOSE: Phase = Phase::named("close");

/// A scripted provider noted a call of the runtime that drives it. The suite never asks this.
pub const NOTED: Phase = Phase::named("called");

/// All of them, in the order of a session.
pub const ALL: [Phase; 17] = [
    INITIALIZE,
    LOAD,
    OPEN,
    CANONICALIZE,
    GET,
    INSYNC,
    GENERATE,
    SET,
    CONNECT,
    DEVICE,
    VERIFY,
    FACTS,
    DESCRIBE,
    TRANSPORTS,
    INSPECT,
    HOLDS,
    CLOSE,
];

/// The default deadlines, in microseconds.
pub fn usual_deadlines() -> Deadlines {
    let long = |phase| [GET, SET, CONNECT, DEVICE, VERIFY, FACTS].contains(&phase);
    let deadline = |phase| match long(phase) {
        true => 30_000_000,
        false => 5_000_000,
    };
    ALL.map(|phase| (phase, deadline(phase))).into()
}
