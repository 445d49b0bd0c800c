//! What requests of the suite are for, beside what all dialects have in common. A part names the resource.

use stickler_transcript::Purpose;

/// The opening message.
pub const INITIALIZE: Purpose = Purpose::new("initialize");
/// A kind is described.
pub const DESCRIBE: Purpose = Purpose::new("describe");
/// A resource is made.
pub const NEW: Purpose = Purpose::new("new");
/// Fields get values.
pub const SET: Purpose = Purpose::new("set");
/// All fields are read.
pub const GET: Purpose = Purpose::new("get");
/// A resource begins.
pub const INIT: Purpose = Purpose::new("init");
/// A resource ends.
pub const CLEANUP: Purpose = Purpose::new("cleanup");
/// Two resources are compared.
pub const CMP: Purpose = Purpose::new("cmp");
/// A resource is copied.
pub const COPY: Purpose = Purpose::new("copy");
/// What two resources share.
pub const SHARED: Purpose = Purpose::new("shared");
/// A resource is written and read again.
pub const ROUND: Purpose = Purpose::new("round");
/// The UIDs of a resource.
pub const UIDS: Purpose = Purpose::new("uids");
/// What a resource wants automatic edges with.
pub const AUTOEDGES: Purpose = Purpose::new("autoedges");
/// A resource reads fields as YAML has them.
pub const UNMARSHAL: Purpose = Purpose::new("unmarshal");
/// The resource is made that undoes another one.
pub const REVERSED: Purpose = Purpose::new("reversed");
/// A resource is asked to end soon.
pub const INTERRUPT: Purpose = Purpose::new("interrupt");
/// A resource is told from where it receives.
pub const RECEIVES: Purpose = Purpose::new("receives");
/// What a resource sent last is read.
pub const SENT: Purpose = Purpose::new("sent");
/// Meta parameters are set.
pub const META: Purpose = Purpose::new("meta");
/// Two resources are asked whether they join.
pub const GROUPCMP: Purpose = Purpose::new("groupcmp");
/// A resource joins a group.
pub const GROUP: Purpose = Purpose::new("group");
/// `CheckApply` whose context is cancelled.
pub const CANCELLED: Purpose = Purpose::new("cancelled");
/// `CheckApply` during which `Interrupt` is called.
pub const INTERRUPTED: Purpose = Purpose::new("interrupted");
/// `CheckApply` of two resources at the same time.
pub const AT_ONCE: Purpose = Purpose::new("at-once");
/// `CheckApply` that cannot work after something was sent.
pub const UNSENT: Purpose = Purpose::new("unsent");
/// `CheckApply` once more, where nothing has changed.
pub const SETTLED: Purpose = Purpose::new("settled");
/// `CheckApply` with a refresh, that may only look.
pub const DRY_REFRESH: Purpose = Purpose::new("dry-refresh");
/// `CheckApply` with a refresh.
pub const REFRESH: Purpose = Purpose::new("refresh");
/// `CheckApply` before or after another object takes a resource's place.
pub const SWAPPED: Purpose = Purpose::new("swapped");
/// UIDs are compared.
pub const IFF: Purpose = Purpose::new("iff");
/// What the host holds.
pub const COUNTS: Purpose = Purpose::new("counts");
/// `Watch` is started.
pub const WATCH: Purpose = Purpose::new("watch");
/// The harness waits for what `Watch` does.
pub const AWAIT: Purpose = Purpose::new("await");
/// The harness waits for an event behind a change from outside.
pub const NOTICED: Purpose = Purpose::new("noticed");
/// The point at which a folder of the file has been replaced by a copy.
pub const COPIED: &str = "copied";
/// The same, while the old one lies elsewhere.
pub const MOVED: &str = "moved";
/// The point at which a link to a copy stands in place of a folder of the file.
pub const LINKED: &str = "linked";
/// The point at which a folder of the file has been removed and made again.
pub const REMADE: &str = "remade";
/// The harness waits for an event where nothing changes.
pub const QUIET: Purpose = Purpose::new("quiet");
/// `Watch` may go on.
pub const ACK: Purpose = Purpose::new("ack");
/// `Watch` is told to end.
pub const CANCEL: Purpose = Purpose::new("cancel");
/// A resource is given up.
pub const DROP: Purpose = Purpose::new("drop");
