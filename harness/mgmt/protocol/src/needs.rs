//! What rules need.

use stickler_judge::{Need, WORKING_EXAMPLE};

/// An example.
pub const EXAMPLE: Need = Need {
    name: "example",
    lacking: "without an [[example]] in stickler.toml, nothing is applied",
    wanted: Some(WORKING_EXAMPLE),
};
/// An example, or an invalid one.
pub const DECLARED: Need = Need {
    name: "declared",
    lacking: "without an [[example]] in stickler.toml, nothing is declared",
    wanted: Some(WORKING_EXAMPLE),
};
/// A kind with the method `Copy`.
pub const COPY: Need = Need {
    name: "copy",
    lacking: "no kind has the method `Copy`",
    wanted: None,
};
/// A kind with the trait Edgeable.
pub const EDGEABLE: Need = Need {
    name: "edgeable",
    lacking: "no kind has the trait Edgeable",
    wanted: None,
};
/// Contexts in the interface.
pub const CONTEXT: Need = Need {
    name: "context",
    lacking: "the interface has no contexts",
    wanted: None,
};
/// A kind with the trait Sendable.
pub const SENDABLE: Need = Need {
    name: "sendable",
    lacking: "no kind has the trait Sendable",
    wanted: None,
};
/// A kind with the trait Recvable.
pub const RECVABLE: Need = Need {
    name: "recvable",
    lacking: "no kind has the trait Recvable",
    wanted: None,
};
/// A kind with the trait Refreshable.
pub const REFRESHABLE: Need = Need {
    name: "refreshable",
    lacking: "no kind has the trait Refreshable",
    wanted: None,
};
/// A kind with the trait Groupable.
pub const GROUPABLE: Need = Need {
    name: "groupable",
    lacking: "no kind has the trait Groupable",
    wanted: None,
};
/// A kind with the methods `Interrupt` or `Reversed`.
pub const REVERSIBLE: Need = Need {
    name: "reversible",
    lacking: "no kind has the method `Interrupt` or `Reversed`",
    wanted: None,
};
/// The race detector.
pub const RACE: Need = Need {
    name: "race",
    lacking: "the race detector is not built in: run with --race",
    wanted: None,
};
/// mgmt's own engine.
pub const ENGINE: Need = Need {
    name: "engine",
    lacking: "mgmt's own engine is not built in: run with --with-engine",
    wanted: None,
};
