//! The phases of a session with a host, as transcripts name them: the methods of the protocol.

use stickler_transcript::Phase;

/// The host begins.
pub const INITIALIZE: Phase = Phase::named("initialize");
/// A kind is described.
pub const DESCRIBE: Phase = Phase::named("describe");
/// A resource is made.
pub const NEW: Phase = Phase::named("new");
/// Fields get values.
pub const SET: Phase = Phase::named("set");
/// All fields are read.
pub const GET: Phase = Phase::named("get");
/// `Validate` is called.
pub const VALIDATE: Phase = Phase::named("validate");
/// `Init` is called.
pub const INIT: Phase = Phase::named("init");
/// `CheckApply` is called.
pub const CHECKAPPLY: Phase = Phase::named("checkapply");
/// `Watch` is started.
pub const WATCH: Phase = Phase::named("watch");
/// The harness waits for something that `Watch` does.
pub const AWAIT: Phase = Phase::named("await");
/// `Watch` may go on behind an event.
pub const ACK: Phase = Phase::named("ack");
/// `Watch` is told to end.
pub const CANCEL: Phase = Phase::named("cancel");
/// `Cleanup` or `Close` is called.
pub const CLEANUP: Phase = Phase::named("cleanup");
/// `Cmp` is called.
pub const CMP: Phase = Phase::named("cmp");
/// `Copy` is called.
pub const COPY: Phase = Phase::named("copy");
/// What two resources share is looked for.
pub const SHARED: Phase = Phase::named("shared");
/// A resource is written and read again.
pub const ROUND: Phase = Phase::named("round");
/// `UIDs` is called.
pub const UIDS: Phase = Phase::named("uids");
/// The UIDs of two resources are compared.
pub const IFF: Phase = Phase::named("iff");
/// `AutoEdges` is called.
pub const AUTOEDGES: Phase = Phase::named("autoedges");
/// `GroupCmp` is called.
pub const GROUPCMP: Phase = Phase::named("groupcmp");
/// The host counts what it holds.
pub const COUNTS: Phase = Phase::named("counts");
/// A resource is given up.
pub const DROP: Phase = Phase::named("drop");
