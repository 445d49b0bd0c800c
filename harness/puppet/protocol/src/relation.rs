//! The relations that only sessions with types, providers and transports have, and other words for common ones.

use stickler_transcript::Relation;

stickler_transcript::relations! {
    /// They, with what their sessions are.
    OWN:
    /// What holds the state works, and is broken.
    BACKEND = "backend",
    /// A resource, and others of its type beside it.
    BESIDE = "beside",
    /// Changes without `:should` and without `:is`, calls without changes, canonical values, filters by name.
    CHANGES = "changes",
    /// Each type and each schema alone: its definition and its state.
    DEFINITIONS = "definitions",
    /// What a type's features ask for.
    FEATURES = "features",
    /// A provider is asked for further resources, as newer libraries do.
    GENERATED = "generated",
    /// A resource, seen by a new instance of the provider and by a new process.
    INSTANCES = "instances",
    /// A resource beside one with an unlike name, and beside ones with names that are easily taken for its own.
    NEIGHBOURS = "neighbours",
    /// A resource, and the same with parameters that no example gives.
    PARAMETERS = "parameters",
    /// A resource that has everything, and updates that name little of it.
    PARTIAL = "partial",
    /// Questions to `insync?` and `canonicalize`.
    QUESTIONS = "questions",
    /// Two resources of one run, for which a newer library reads the rows once.
    RUN = "run",
    /// The usual runtime of the subject, and other versions of it.
    RUNTIME = "runtime",
    /// A service that a provider needs runs, and is stopped.
    SERVICES = "services",
    /// A target that answers, and one that is gone, or refuses the credentials.
    TARGETS = "targets",
    /// Several changes in one call of `set`.
    TOGETHER = "together",
    /// Types without an example.
    UNEXAMPLED = "unexampled",
    /// A resource, and others with other values of their types.
    VALUES = "values",
}

/// What the sessions of common relations are with providers.
pub const WORDS: &[(Relation, &str)] = &[
    (
        Relation::COMMANDS,
        "Stand-ins for commands that succeed, and stand-ins that fail.",
    ),
    (Relation::GROWTH, "Many calls of one process."),
    (
        Relation::INVALID,
        "Invalid resources, which must be refused.",
    ),
    (
        Relation::NEAR,
        "A resource, and the same under another name.",
    ),
    (
        Relation::UNDONE,
        "A resource that stays unchanged, and one that is changed from outside.",
    ),
    (
        Relation::USUAL,
        "An example as its author wrote it, applied as Puppet does.",
    ),
];
