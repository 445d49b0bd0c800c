//! The relations that only sessions with mgmt resources have.

stickler_transcript::relations! {
    /// They, with what their sessions are.
    OWN:
    /// Two resources of one kind in one process, and each in a process of its own.
    BESIDE = "beside",
    /// `CheckApply` whose context ends, or during which `Interrupt` is called.
    CANCELLED = "cancelled",
    /// What a resource has brought about, before and after it has ended.
    ENDED = "ended",
    /// A graph in the reference engine, and in mgmt's own.
    ENGINES = "engines",
    /// `Watch` while the files that the example has made change in ways of their own.
    FOLLOWED = "followed",
    /// An example in graphs that the reference engine runs.
    GRAPHS = "graphs",
    /// Resources that join a group.
    GROUPED = "grouped",
    /// Each kind by itself: what it is, and what `Default` gives.
    KINDS = "kinds",
    /// Values at the borders of the fields' types.
    ODD = "odd",
    /// A resource without `Watch`, as the engine runs it when it polls.
    POLLED = "polled",
    /// A value that a running resource receives.
    RECEIVED = "received",
    /// A refresh, with and without leave to change something.
    REFRESHED = "refreshed",
    /// The resource of an example without an apply: validated, compared, encoded, begun and ended.
    RESOURCES = "resources",
    /// The resource that undoes an example.
    REVERSED = "reversed",
    /// What a resource sends.
    SENT = "sent",
    /// A command of `drift` once the example holds.
    SPOILT = "spoilt",
    /// `Debug` off and on, and `VarDir` without and with old files.
    SURROUNDINGS = "surroundings",
    /// Two resources of a kind with other keys in one place, one after the other.
    TOGETHER = "together",
    /// `Init` of what is not valid, and where no folder can be made.
    UNREADY = "unready",
    /// The example with further values of each field.
    VALUES = "values",
    /// The example, and the same with another value of one field, in turns.
    VARIED = "varied",
    /// `Watch`: started, with changes from outside, ended, and started again.
    WATCHED = "watched",
}

/// The role of a session whose files in the folder of `VarDir` are empty after an end.
pub const CUT_SHORT: &str = "empty files in VarDir";
