//! Why a command failed, and its exit code.

use std::process::ExitCode;
use stickler_judge::Exit;
use stickler_session::{SessionError, sandbox};
use stickler_suite::RunError;

/// The failure of a command.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The message: what is wrong, and what to do.
    pub message: String,
}

/// The result of a command.
pub type Done = Result<Exit, Failure>;

/// The result of a command, as the program ends with it.
///
/// # Errors
/// Those of the command.
pub fn code(done: Done) -> Result<ExitCode, Failure> {
    done.map(|exit| ExitCode::from(exit as u8))
}

impl Failure {
    /// Wrong usage or configuration.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// The harness itself failed.
    pub fn harness(message: impl Into<String>) -> Failure {
        Failure {
            exit: Exit::Harness,
            message: message.into(),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        if let RunError::Session(SessionError::Sandbox(sandbox::Error::Spawn { program, source })) =
            &error
        {
            return cannot_start(program, source);
        }
        let exit = match &error {
            RunError::Subject(_) | RunError::Preparation { .. } => Exit::NoSession,
            RunError::Description(_) | RunError::Command { .. } => Exit::Usage,
            RunError::Session(_) => Exit::Harness,
        };
        Failure {
            exit,
            message: chain(&error),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::harness(format!("{error:#}"))
    }
}

/// The subject exists, but the system cannot run it.
fn cannot_start(program: &str, source: &std::io::Error) -> Failure {
    let advice = match source.raw_os_error() {
        // ENOEXEC, ENOENT
        Some(8) => {
            "its first line names no interpreter (#!…); set one, such as --interpreter /bin/sh"
        }
        Some(2) => {
            "the interpreter in its first line (#!…), or a library, does not exist; set --interpreter"
        }
        _ => "`stickler doctor` shows what this machine supports",
    };
    Failure {
        exit: Exit::NoSession,
        message: format!("{program}: cannot be started: {source}\n  {advice}"),
    }
}

/// An error with its causes.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_text = next.to_string();
        // Some messages already contain their cause.
        if !text.ends_with(&next_text) {
            text.push_str(": ");
            text.push_str(&next_text);
        }
        cause = next.source();
    }
    text
}
