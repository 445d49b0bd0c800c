//! Why the suite did not run.

use stickler_session::SessionError;
use thiserror::Error;

/// Why the suite did not run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The module or its interpreter does not exist.
    #[error("{0}")]
    Subject(String),
    /// The subject cannot be made ready.
    #[error("{what}\n{}", indented(diagnosis))]
    Preparation {
        /// What cannot be done, and what to do.
        what: String,
        /// What a tool says about it, in several lines.
        diagnosis: String,
    },
    /// The description cannot be used with this subject; the message says what to do.
    #[error("{0}")]
    Description(String),
    /// A command from the author's configuration failed.
    #[error("{what} failed: {why}")]
    Command {
        /// Its command line.
        what: String,
        /// Its error output.
        why: String,
    },
    /// The harness itself failed.
    #[error(transparent)]
    Session(SessionError),
}

/// A tool's own words, apart from Stickler's.
fn indented(lines: &str) -> String {
    let lines = lines.trim_end().lines().map(|line| format!("  {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

impl From<SessionError> for RunError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Command { what, why } => RunError::Command { what, why },
            other => RunError::Session(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RunError;

    #[test]
    fn a_tools_diagnosis_is_indented_below_the_error_message() {
        let error = RunError::Preparation {
            what: "the host cannot be built: correct these errors".to_owned(),
            diagnosis: "./a.go:3:1: undefined: x\n\n./a.go:4:1: undefined: y\n".to_owned(),
        };
        assert_eq!(
            error.to_string(),
            "the host cannot be built: correct these errors\n  ./a.go:3:1: undefined: x\n  \n  \
             ./a.go:4:1: undefined: y"
        );
    }
}
