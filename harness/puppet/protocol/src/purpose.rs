//! What requests of the suite are for, beside what all dialects have in common.

use stickler_transcript::Purpose;

/// The opening message.
pub const INITIALIZE: Purpose = Purpose::new("initialize");
/// A type is loaded, or the schema of a transport by itself.
pub const LOAD: Purpose = Purpose::new("load");
/// The schema of a target's transport is loaded.
pub const SCHEMA: Purpose = Purpose::new("schema");
/// The schemas that are known.
pub const LISTED: Purpose = Purpose::new("listed");
/// A class is described; the part says which.
pub const DESCRIBE: Purpose = Purpose::new("describe");
/// A provider is built.
pub const OPEN: Purpose = Purpose::new("open");
/// A provider is built that only looks.
pub const LOOK: Purpose = Purpose::new("look");
/// All rows are read.
pub const GET: Purpose = Purpose::new("get");
/// All rows are read once more.
pub const AGAIN: Purpose = Purpose::new("again");
/// All rows are read by a provider whose target is gone.
pub const GET_LOST: Purpose = Purpose::new("get-lost");
/// All rows are read with another version of the runtime.
pub const STATE: Purpose = Purpose::new("state");

/// A connection that examples need.
pub const CONNECT: Purpose = Purpose::new("connect");
/// A connection before the one in question. The part says what is asked of it.
pub const FIRST: Purpose = Purpose::new("first");
/// A connection that should fail.
pub const TRIED: Purpose = Purpose::new("tried");
/// A connection without optional keys. The part says which is left out, if it is one.
pub const LACKING: Purpose = Purpose::new("lacking");
/// A connection whose target stops.
pub const LOST: Purpose = Purpose::new("lost");
/// A connection to a port on which nothing listens.
pub const ELSEWHERE: Purpose = Purpose::new("elsewhere");
/// A connection once the services work again, in the process that has seen them stop.
pub const CONNECTED_ANEW: Purpose = Purpose::new("connected-anew");
/// The same in a fresh process.
pub const CONNECTED_FRESH: Purpose = Purpose::new("connected-fresh");
/// A connection that the author calls invalid.
pub const INVALID: Purpose = Purpose::new("invalid");
/// A connection after the schema was found by the autoloader.
pub const BY_AUTOLOAD: Purpose = Purpose::new("by-autoload");
/// A connection after the schema was registered directly.
pub const BY_NONE: Purpose = Purpose::new("by-none");
/// A connection through the class for devices.
pub const BY_DEVICE: Purpose = Purpose::new("by-device");
/// A transport is asked whether its target answers.
pub const VERIFY: Purpose = Purpose::new("verify");
/// It is asked once more, after its facts.
pub const STILL: Purpose = Purpose::new("still");
/// A transport is asked for facts.
pub const FACTS: Purpose = Purpose::new("facts");
/// A transport is shown.
pub const INSPECT: Purpose = Purpose::new("inspect");
/// A connection is closed.
pub const CLOSE: Purpose = Purpose::new("close");
/// It is closed once more.
pub const CLOSE_TWICE: Purpose = Purpose::new("close-twice");
/// What the process holds before a connection.
pub const HELD_BEFORE: Purpose = Purpose::new("before");
/// What it holds after the connection was closed.
pub const HELD_AFTER: Purpose = Purpose::new("after");

/// The rows are read while the services run.
pub const UP: Purpose = Purpose::new("up");
/// The services are down. The part says what is done.
pub const DOWN: Purpose = Purpose::new("down");
/// The rows are read in the process that has seen the services run.
pub const DOWN_LOST: Purpose = Purpose::new("down-lost");
/// The rows are read in a fresh process.
pub const DOWN_FRESH: Purpose = Purpose::new("down-fresh");
/// The resource is set.
pub const DOWN_SET: Purpose = Purpose::new("down-set");
/// The rows are read after that.
pub const DOWN_AFTER: Purpose = Purpose::new("down-after");
/// The rows are read while what a provider relies on works. The part names it.
pub const WHOLE: Purpose = Purpose::new("whole");
/// The rows are read while it is broken. The part names it.
pub const BROKEN: Purpose = Purpose::new("broken");

/// The part of a read while a file may not be read.
pub const CLOSED: &str = "closed";
/// The part of a change of what is there as it is to be.
pub const THERE: &str = "there";
/// The part of a removal of what is there.
pub const GOING: &str = "going";
/// How the part of a read begins while a single command fails.
pub const ONE: &str = "one";
/// The part of a read while a file is damaged.
pub const DAMAGED: &str = "damaged";

/// `set` gets no changes.
pub const NONE: Purpose = Purpose::new("none");
/// Two resources that differ in their names are set in one call.
pub const TWINS: Purpose = Purpose::new("twins");
/// A resource is set in one call with another that fails.
pub const BESIDE: Purpose = Purpose::new("beside");
/// One of several resources is set by itself afterwards.
pub const ALONE: Purpose = Purpose::new("alone");
/// The same once more.
pub const SETTLED: Purpose = Purpose::new("settled");
/// An evaluation gets a change for a resource that has no row, or has one already.
pub const KEPT: Purpose = Purpose::new("kept");
/// An evaluation gets a change without the state.
pub const UNKNOWN: Purpose = Purpose::new("unknown");
/// An evaluation only looks.
pub const NOOP: Purpose = Purpose::new("noop");
/// An evaluation removes the resource.
pub const GONE: Purpose = Purpose::new("gone");
/// All rows are read while resources with similar names are there. The part says when.
pub const BESIDES: Purpose = Purpose::new("besides");
/// A change is made once more, as if nobody had made it.
pub const REPEATED: Purpose = Purpose::new("repeated");
/// A fresh process is asked after a `set` whose target was not shown. The part names the evaluation.
pub const REFRESHED: Purpose = Purpose::new("refreshed");
/// A fresh process is asked, once a resource was undone from outside.
pub const FRESH: Purpose = Purpose::new("fresh");

/// A resource is set in a run that has read the rows of all its resources at once.
pub const RUN: Purpose = Purpose::new("run");
/// A provider is asked for further resources. The part says when.
pub const GENERATED: Purpose = Purpose::new("generated");

/// `insync?` is asked by the suite. The part is a number.
pub const ASKED: Purpose = Purpose::new("asked");
/// What it is asked about. The part is a number.
pub const QUESTION: Purpose = Purpose::new("question");
/// Rows that `insync?` is asked about, as the part says; as a whole, `canonicalize` gets them.
pub const ROWS: Purpose = Purpose::new("rows");
/// `canonicalize` gets a resource that is made up.
pub const MADE_UP: Purpose = Purpose::new("made-up");
/// `canonicalize` gets namevars alone.
pub const PARTIAL_NAMES: Purpose = Purpose::new("partial-names");
/// `canonicalize` gets a title alone.
pub const PARTIAL_TITLE: Purpose = Purpose::new("partial-title");
/// `canonicalize` gets metaparameters too.
pub const PARTIAL_MORE: Purpose = Purpose::new("partial-more");
/// Resources that lack most of what their type has, or have more.
pub const PARTIAL: [Purpose; 3] = [PARTIAL_NAMES, PARTIAL_TITLE, PARTIAL_MORE];
/// `canonicalize` gets one resource; the part is a number.
pub const SINGLE: Purpose = Purpose::new("single");
/// `canonicalize` gets these together.
pub const SEVERAL: Purpose = Purpose::new("several");
/// `canonicalize` gets a resource whose texts begin or end with signs. The part is a number.
pub const SIGNED: Purpose = Purpose::new("signed");
/// The rows are read before an evaluation, without a filter.
pub const ALL_BEFORE: Purpose = Purpose::new("all-before");
/// The rows are read without a filter.
pub const ALL: Purpose = Purpose::new("all");
/// The rows are read with nil as the filter.
pub const NIL: Purpose = Purpose::new("nil");
/// The rows are read by name.
pub const NAMED: Purpose = Purpose::new("named");

/// The part of an evaluation that looks at the result.
pub const AFTERWARDS: &str = "after";
/// The part of an evaluation that reads the state.
pub const READ: &str = "get";
/// The part of an evaluation that makes values canonical.
pub const CANONICAL: &str = "canonical";
/// The part of a request for all rows as an older library makes it.
pub const OLDER: &str = "older";
/// The part of an evaluation that asks for further resources.
pub const GENERATE: &str = "generate";
/// The part of an evaluation that asks `insync?`; the property follows.
pub const INSYNC: &str = "insync";
/// The part of a read that builds its provider.
pub const OPENED: &str = "open";
