//! What requests of the suite are for, beside what all dialects have in common.

use stickler_transcript::Purpose;

/// The agent's header.
pub const HEADER: Purpose = Purpose::new("header");
/// The agent asks the module to end.
pub const TERMINATE: Purpose = Purpose::new("terminate");
/// A request that the suite has no name for.
pub const OTHER: Purpose = Purpose::new("other");
/// A message that is cut off or damaged.
pub const BROKEN: Purpose = Purpose::new("broken");
/// A request with an operation that nobody knows.
pub const UNKNOWN_OPERATION: Purpose = Purpose::new("unknown-operation");
/// A request with a line that has no `=`.
pub const NO_EQUALS: Purpose = Purpose::new("no-equals");
/// A validation with `action_policy` fix.
pub const FIX_VALIDATE: Purpose = Purpose::new("fv");
/// An evaluation with it.
pub const FIX_EVALUATE: Purpose = Purpose::new("fe");
/// A validation with `action_policy` nop.
pub const NOP_VALIDATE: Purpose = Purpose::new("nv");
/// An evaluation with it.
pub const NOP_EVALUATE: Purpose = Purpose::new("ne");
