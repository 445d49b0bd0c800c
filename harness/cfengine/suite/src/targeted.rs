//! The agents that a module must work with. Most messages are the same for all of them: the suite sends those of the
//! oldest.

use cfengine_protocol::Facts;
use cfengine_protocol::release::{Compat, Release};
use cfengine_protocol::wire::Style;
use stickler_suite::{Setting, Speech};

/// The targeted releases, from the oldest to the newest.
pub(crate) fn targets(setting: &Setting<'_>) -> Vec<&'static Release> {
    Facts::of(&setting.verbs.facts(setting)).releases()
}

/// The release that a case plays: the one of this version, else the oldest targeted one.
pub(crate) fn played(setting: &Setting<'_>, version: Option<&str>) -> &'static Release {
    let named = version.and_then(Release::named);
    named
        .or_else(|| targets(setting).first().copied())
        .unwrap_or_else(Release::oldest)
}

/// How it writes messages.
pub(crate) fn style(release: &'static Release) -> Style {
    match release.escapes_bytes {
        true => Style::Release(release),
        // Its names, which are no JSON if they have quotes, would only show that modules refuse that.
        false => Style::Agent,
    }
}

/// Whose behaviour the reference agent has in the suite's sessions.
pub(crate) fn compat(setting: &Setting<'_>) -> Compat {
    match setting.speech {
        Speech::Agent => Compat::Deployed(played(setting, None)),
        Speech::Spec => Compat::Specification,
    }
}
