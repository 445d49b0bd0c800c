//! What rules for modules need, and what is missing where nothing exercises them.

use stickler_judge::{Need, WORKING_EXAMPLE};

/// A promise that the module accepts.
pub const EXAMPLE: Need = Need {
    name: "example",
    lacking: "no example",
    wanted: Some(WORKING_EXAMPLE),
};
/// The module chose JSON.
pub const JSON_BASED: Need = Need {
    name: "json_based",
    lacking: "the module is line_based",
    wanted: None,
};
/// The module chose lines.
pub const LINE_BASED: Need = Need {
    name: "line_based",
    lacking: "the module is json_based",
    wanted: None,
};
/// A second promise type.
pub const SECOND_TYPE: Need = Need {
    name: "second type",
    lacking: "one promise type",
    wanted: None,
};
/// The module's header has `action_policy`.
pub const ACTION_POLICY: Need = Need {
    name: "action_policy",
    lacking: "the module does not advertise action_policy",
    wanted: None,
};
/// The module's header does not have `action_policy`.
pub const NO_ACTION_POLICY: Need = Need {
    name: "no action_policy",
    lacking: "the module advertises action_policy",
    wanted: None,
};
/// An example whose evaluation is `repaired`.
pub const REPAIRED: Need = Need {
    name: "repaired",
    lacking: "no example was repaired",
    wanted: Some(WORKING_EXAMPLE),
};

/// Two promises that touch the same file may depend on their order.
pub(crate) const ALIKE: &str = "no two promises that could be made touch different files";
/// For rules about result classes.
pub(crate) const NO_CLASSES: &str = "no result classes were set";
/// For rules about `action_policy`.
pub(crate) const NOTHING_TO_WARN: &str = "no example changes anything under action policy warn";
/// For the rule about paths that lead out of a directory.
pub(crate) const NO_ROOTS: &str =
    "no text of an example became a file's name below a directory of its own";
/// For the rule about `creates` and `absent`.
pub(crate) const NO_PATHS: &str = "no example declares `creates` or `absent`";
/// For the rule about `verify`.
pub(crate) const NO_COMMANDS: &str = "no example declares `verify`";
