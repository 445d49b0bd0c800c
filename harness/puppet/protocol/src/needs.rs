//! What rules need.

use stickler_judge::{Need, WORKING_EXAMPLE};

/// A type of the Resource API.
pub const TYPE: Need = Need {
    name: "type",
    lacking: "the module has no type",
    wanted: None,
};
/// A transport.
pub const TRANSPORT: Need = Need {
    name: "transport",
    lacking: "the module has no transport",
    wanted: None,
};
/// Stickler's host in Ruby runs the provider.
pub const HOST: Need = Need {
    name: "host",
    lacking: "programs of the author's own run under no runtime of Puppet's",
    wanted: None,
};
/// A device that answers.
pub const TARGET: Need = Need {
    name: "target",
    lacking: "they need a device: describe one with [target.NAME] in stickler.toml",
    wanted: Some("a target"),
};
/// A device that refuses its connection info.
pub const INVALID_TARGET: Need = Need {
    name: "invalid target",
    lacking: "no [target.NAME] in stickler.toml is marked `invalid = true`",
    wanted: Some("an invalid target"),
};
/// A server that can stop.
pub const SERVICE: Need = Need {
    name: "service",
    lacking: "without a [[service]] in stickler.toml, no target can be made to go away",
    wanted: Some("a service"),
};
/// A type with more than one namevar.
pub const SEVERAL_NAMEVARS: Need = Need {
    name: "several namevars",
    lacking: "no type has more than one namevar",
    wanted: None,
};
/// A type with the feature `canonicalize`.
pub const CANONICALIZE: Need = Need {
    name: "canonicalize",
    lacking: "no type has the feature `canonicalize`",
    wanted: None,
};
/// A type with the feature `custom_insync`.
pub const CUSTOM_INSYNC: Need = Need {
    name: "custom_insync",
    lacking: "no type has the feature `custom_insync`",
    wanted: None,
};
/// A type with the feature `custom_generate`.
pub const GENERATING: Need = Need {
    name: "custom_generate",
    lacking: "no type has the feature `custom_generate`",
    wanted: None,
};
/// Another release of Puppet, or another Ruby.
pub const OTHERS: Need = Need {
    name: "others",
    lacking: "the module is tried with one release of Puppet alone, and `interpreters` names no other Ruby",
    wanted: None,
};
/// An example.
pub const EXAMPLE: Need = Need {
    name: "example",
    lacking: "without an [[example]] in stickler.toml, nothing is set",
    wanted: Some(WORKING_EXAMPLE),
};
/// An example, or an invalid one.
pub const DECLARED: Need = Need {
    name: "declared",
    lacking: "without an [[example]] in stickler.toml, nothing is set",
    wanted: Some(WORKING_EXAMPLE),
};
/// A type with the feature `simple_get_filter`.
pub const FILTER: Need = Need {
    name: "simple_get_filter",
    lacking: "no type has the feature `simple_get_filter`",
    wanted: None,
};
/// A type with an attribute of the behaviour init_only.
pub const INIT_ONLY: Need = Need {
    name: "init_only",
    lacking: "no type has an attribute of the behaviour init_only",
    wanted: None,
};
/// A type with an attribute whose values may be Sensitive.
pub const SENSITIVE: Need = Need {
    name: "sensitive",
    lacking: "no type has an attribute for Sensitive values",
    wanted: None,
};
