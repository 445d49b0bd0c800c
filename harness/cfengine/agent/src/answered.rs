//! The consequences of a module's answers, regardless of who reads them.

use crate::log::Severity;
use crate::module::Answer;
use crate::outcome::Outcome;
use std::fmt;

/// The promise that a request is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'p> {
    /// Its type.
    pub(crate) kind: &'p str,
    pub(crate) promiser: &'p str,
    /// Path of the module.
    pub(crate) module: &'p str,
    /// File and line.
    pub(crate) place: Place<'p>,
    /// Whether the agent must not change anything for it.
    pub(crate) looks: bool,
}

/// A promise's place in the policy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'p> {
    pub(crate) file: &'p str,
    pub(crate) line: u32,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Answer {
    /// Whether the answer says that the promise is valid.
    pub(crate) fn accepts(&self) -> bool {
        self.result.as_deref() == Some("valid")
    }

    fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0 || self.count(Severity::Critical) > 0
    }
}

/// The fault of an answer to `validate_promise` that does not accept the promise.
pub(crate) fn refusal(answer: &Answer, about: &About<'_>) -> Option<String> {
    let About {
        kind,
        promiser,
        place,
        ..
    } = about;
    (!answer.has_errors()).then(|| {
        format!(
            "Bug in promise module - No error(s) logged for invalid {kind} promise with promiser '{promiser}' ({place})"
        )
    })
}

/// The consequences of an answer to `evaluate_promise`.
pub(crate) struct Evaluated {
    pub(crate) outcome: Outcome,
    /// The message about the outcome, and its level.
    pub(crate) said: (Severity, String),
    /// The faults of the answer: the ones reported before the outcome, and the ones after it.
    pub(crate) before: Option<String>,
    pub(crate) after: Vec<String>,
}

/// Evaluates an answer to `evaluate_promise`. Messages of level verbose stay empty unless they are
/// printed.
pub(crate) fn evaluated(answer: &Answer, about: &About<'_>, verbose: bool) -> Evaluated {
    let About {
        kind,
        promiser,
        module,
        place,
        looks,
    } = about;
    let bug = |what: &str, more: &str| {
        format!(
            "Bug in promise module - {what} {kind} promise with promiser '{promiser}' ({place}){more}"
        )
    };
    let disabled = " while making changes on the system disabled";
    let known = |did: &str| {
        if !verbose {
            return String::new();
        }
        format!("Promise with promiser '{promiser}' was {did} by promise module '{module}'")
    };
    let about = || format!("({kind} promise, promiser: '{promiser}' module: '{module}')");
    let result = answer.result.as_deref();
    let (outcome, level, message) = match result {
        Some("kept") => (Outcome::Kept, Severity::Verbose, known("kept")),
        Some("repaired") => (Outcome::Repaired, Severity::Verbose, known("repaired")),
        Some("not_kept") => (Outcome::Failed, Severity::Verbose, known("not kept")),
        Some("error") => (
            Outcome::Failed,
            Severity::Error,
            format!("An unexpected error occured in promise module {}", about()),
        ),
        Some(other) => (
            Outcome::Failed,
            Severity::Error,
            format!(
                "Promise module returned unacceptable result: '{other}' {}",
                about()
            ),
        ),
        None => (
            Outcome::Failed,
            Severity::Error,
            format!(
                "Promise module did not return a result for promise evaluation {}",
                about()
            ),
        ),
    };
    let before = (*looks && answer.count(Severity::Info) > 0)
        .then(|| bug("'info:' log messages reported for", disabled));
    let mut after = Vec::new();
    match result {
        Some("not_kept") if !looks && !answer.has_errors() => {
            after.push(bug("Failed to log errors for not kept", ""));
        }
        Some("not_kept")
            if *looks && !answer.has_errors() && answer.count(Severity::Warning) == 0 =>
        {
            after.push(bug("Failed to log warnings for not kept", disabled));
        }
        Some("repaired") => {
            if *looks {
                after.push(format!(
                    "Bug in promise module - {kind} promise with promiser '{promiser}' ({place}) repaired{disabled}"
                ));
            }
            if answer.count(Severity::Info) == 0 {
                after.push(bug("Failed to log about changes made by a repaired", ""));
            }
        }
        _ => {}
    }
    Evaluated {
        outcome,
        said: (level, message),
        before,
        after,
    }
}
