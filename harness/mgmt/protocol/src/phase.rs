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
/// The next UIDs that it wants.
pub const NEXTUIDS: Phase = Phase::named("nextuids");
/// It is told which of them were found.
pub const TESTUIDS: Phase = Phase::named("testuids");
/// A resource reads fields as YAML has them.
pub const UNMARSHAL: Phase = Phase::named("unmarshal");
/// The resource is made that undoes another one.
pub const REVERSED: Phase = Phase::named("reversed");
/// A resource is asked to end soon.
pub const INTERRUPT: Phase = Phase::named("interrupt");
/// A resource is told from where it receives.
pub const RECEIVES: Phase = Phase::named("receives");
/// A resource receives a value.
pub const RECEIVE: Phase = Phase::named("receive");
/// What a resource sent last is read.
pub const SENT: Phase = Phase::named("sent");
/// Meta parameters are set.
pub const META: Phase = Phase::named("meta");
/// A resource joins the group of another one.
pub const GROUP: Phase = Phase::named("group");
/// `GroupCmp` is called.
pub const GROUPCMP: Phase = Phase::named("groupcmp");
/// The host counts what it holds.
pub const COUNTS: Phase = Phase::named("counts");
/// A resource is given up.
pub const DROP: Phase = Phase::named("drop");
/// A scripted resource noted what an engine did. The suite never asks this.
pub const NOTED: Phase = Phase::named("noted");
/// A graph runs in mgmt's own engine.
pub const ENGINE: Phase = Phase::named("engine");
