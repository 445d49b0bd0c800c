//! The agents that a module must work with.

use cfengine_protocol::release::{Compat, Release};
use stickler_suite::{Setting, Speech};

/// Whose behaviour the reference agent has in the suite's sessions: as in all other sessions, that of 3.21.0.
pub(crate) fn compat(setting: &Setting<'_>) -> Compat {
    match setting.speech {
        Speech::Agent => Compat::Deployed(Release::oldest()),
        Speech::Spec => Compat::Specification,
    }
}
