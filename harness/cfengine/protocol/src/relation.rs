//! The relations that only sessions with promise modules have.

stickler_transcript::relations! {
    /// They, with what their sessions are.
    OWN:
    /// An item with its fields, without any, and with fields that the agent adds.
    ATTRIBUTES = "attributes",
    /// Broken messages, and the requests after them.
    BROKEN = "broken",
    /// Sessions that end early, or without `terminate`.
    ENDS = "ends",
    /// The opening message of the usual agent, and of another one.
    HEADER = "header",
    /// The usual members of a message in order, and additional members or another order.
    KEYS = "keys",
    /// Messages of the usual size, and large ones.
    LARGE = "large",
    /// One log level, and another.
    LEVEL = "level",
    /// A message written at once, and in pieces.
    PIECES = "pieces",
    /// Sessions that an agent drives from a policy.
    POLICIES = "policies",
}
