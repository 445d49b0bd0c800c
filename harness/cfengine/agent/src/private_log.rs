//! `log_string` and the private logs of a policy.

use crate::context::Agent;
use crate::log::Severity;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

impl Agent {
    /// Writes to the log that a promise names for this outcome.
    pub(crate) fn log_outcome(&mut self, outcome: Outcome, promise: &Expanded) {
        let log = match outcome {
            Outcome::Skipped | Outcome::Warned => return,
            Outcome::Kept => "log_kept",
            Outcome::Repaired => "log_repaired",
            Outcome::Failed | Outcome::Interrupted | Outcome::Denied => "log_failed",
        };
        let (Some(path), Some(text)) = (promise.text(log), promise.text("log_string")) else {
            return;
        };
        if &**path == "stdout" {
            self.say(Severity::Info, format!("L: {text}"));
            return;
        }
        if !self.voice.options.effects {
            return;
        }
        if std::fs::symlink_metadata(&**path).is_err() {
            self.verbose(|| format!("Created log file '{path}' with requested permissions 600"));
        }
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(&**path);
        match file {
            Ok(mut file) => {
                self.verbose(|| format!("Logging string '{text}' to '{path}'"));
                // A failed write to the log does not make the promise fail.
                let _ = file.write_all(&cfengine_policy::text::encode(&format!("{text}\n")));
            }
            Err(_) => self.say(
                Severity::Error,
                format!("Unable to open private log '{path}'"),
            ),
        }
    }
}
