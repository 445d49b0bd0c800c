//! The rules for runtimes of the Resource API, the other side of a provider, one file per rule. They judge what scripted
//! providers noted while a runtime drove them, never sessions of the conformance suite.

mod view;

use crate::session::Session;
use stickler_judge::Check;

pub use view::{Answer, Declared, FACT, Known, Noop, Type};

/// The type of the constant in a rule's file that says what the rule judges.
type Checks = &'static [Check<Session>];

stickler_judge::rules! {
    /// All rules for runtimes, by code.
    RUNTIME_RULES "runtimes/" Deed
    RT101 Must rt101_built_once,
    RT102 Should rt102_get_before_set,
    RT103 Must rt103_noop,
    RT104 Must rt104_changes,
    RT105 Must rt105_only_what_differs,
    RT106 Must rt106_canonicalizes,
    RT107 Must rt107_is_the_row,
    RT108 Must rt108_should_is_declared,
    RT109 Must rt109_set_once,
    RT110 Must rt110_failures,
    RT111 Must rt111_sensitive,
}
