//! `log_string` and where it goes: logs of a policy's own.

use crate::context::Agent;
use crate::log::Level;
use crate::outcome::Outcome;
use crate::promise::Expanded;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

impl Agent {
    /// Writes to the log that a promise names for its outcome.
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
            self.say(Level::Info, format!("L: {text}"));
            return;
        }
        if !self.options.effects {
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
                // A log that is full is no failure of the promise.
                let _ = file.write_all(&cfengine_policy::text::encode(&format!("{text}\n")));
            }
            Err(_) => self.say(Level::Error, format!("Unable to open private log '{path}'")),
        }
    }
}
