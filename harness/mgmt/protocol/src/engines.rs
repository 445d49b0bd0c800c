//! The rules for engines, the other side of a resource, one file per rule. They judge what scripted resources noted while
//! an engine drove them, never sessions of the conformance suite.

mod view;

use crate::session::Session;
use stickler_judge::Check;

pub use view::{FACT, Known};

/// The type of the constant in a rule's file that says what the rule judges.
type Checks = &'static [Check<Session>];

stickler_judge::rules! {
    /// All rules for engines, by code.
    ENGINE_RULES "engines/" Deed
    EN101 Must en101_init_first,
    EN102 Must en102_running_first,
    EN103 Must en103_one_at_a_time,
    EN104 Must en104_cleanup_last,
    EN105 Must en105_noop,
    EN106 Must en106_validated_before,
}
