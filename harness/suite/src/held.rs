//! Sessions that were held before, for this project's own tests: they ask for the same sessions again and again.
//! Only debug builds look for them, and only if `STICKLER_HELD` names their folder.
//!
//! A session follows from its plan, from the files that the plan names, and from the harness. The folder stands for
//! the last two: whoever names it chooses another one when they change. The path of the working directory may
//! differ. What a run holds again, such as a repetition or a confirmation, is another session.

use stickler_session::sandbox::Host;
use stickler_session::{RunOptions, SessionError, Wire};
use stickler_transcript::{Case, Transcript};

/// Runs a case as [`stickler_session::run`] does, or returns what came of the same session before.
///
/// # Errors
/// As [`stickler_session::run`].
pub(crate) fn run(
    host: &Host,
    case: Case,
    wire: &dyn Wire,
    options: &RunOptions<'_>,
) -> Result<Transcript, SessionError> {
    #[cfg(debug_assertions)]
    if let Some(place) = store::Place::of(host, &case, options) {
        return place.run(host, case, wire, options);
    }
    stickler_session::run(host, case, wire, options)
}

#[cfg(debug_assertions)]
mod store {
    use super::{Case, Host, RunOptions, SessionError, Transcript, Wire};
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, PoisonError};
    use stickler_transcript::{Deadlines, Event, VERSION};

    /// How often this process has held each session.
    static TURNS: Mutex<BTreeMap<[u8; 32], usize>> = Mutex::new(BTreeMap::new());

    /// What stands for the working directory in a file.
    const HERE: &str = "/.stickler-here";

    /// What came of a session.
    #[derive(Serialize, Deserialize)]
    struct Held {
        deadlines: Deadlines,
        events: Vec<Event>,
    }

    impl Held {
        /// Would the same have come with these deadlines?
        fn holds_with(&self, deadlines: &Deadlines) -> bool {
            let missed = |event: &Event| matches!(event, Event::Silent { .. });
            self.deadlines == *deadlines || !self.events.iter().any(missed)
        }
    }

    /// The file of a session.
    pub(super) struct Place {
        file: PathBuf,
        here: String,
    }

    impl Place {
        /// `None` if the session depends on more than its plan and its files.
        pub(super) fn of(host: &Host, case: &Case, options: &RunOptions<'_>) -> Option<Self> {
            let folder = std::env::var_os("STICKLER_HELD").filter(|name| !name.is_empty())?;
            let asks_others = !host.separates() || case.has_oracle();
            if asks_others || options.patience > 1 || options.lingers {
                return None;
            }
            let here = std::env::current_dir().ok()?.to_str()?.to_owned();
            let plan = serde_json::to_string(case.plan.as_ref()?).ok()?;
            let user = rustix::process::geteuid().as_raw();
            let kind = format!("{VERSION} {user} {} {}", options.brisk, here.len());
            let digest = blake3::hash([&kind, &*plan.replace(&here, HERE)].concat().as_bytes());
            let turn = {
                let mut turns = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
                let turn = turns.entry(*digest.as_bytes()).or_default();
                *turn += 1;
                *turn
            };
            let name = format!("{}-{turn}", &digest.to_hex()[..32]);
            let file = Path::new(&folder).join(name);
            Some(Self { file, here })
        }

        pub(super) fn run(
            &self,
            host: &Host,
            mut case: Case,
            wire: &dyn Wire,
            options: &RunOptions<'_>,
        ) -> Result<Transcript, SessionError> {
            if let Some(held) = self.known().filter(|held| held.holds_with(&case.deadlines)) {
                case.version = VERSION;
                case.tier = host.tier().to_string();
                case.lacks = host.lacks();
                return Ok(Transcript {
                    case,
                    events: held.events,
                });
            }
            let transcript = stickler_session::run(host, case, wire, options)?;
            // A file that cannot be written is a session that will be held again.
            let _ = self.keep(&transcript);
            Ok(transcript)
        }

        fn known(&self) -> Option<Held> {
            let text = std::fs::read_to_string(&self.file).ok()?;
            serde_json::from_str(&text.replace(HERE, &self.here)).ok()
        }

        fn keep(&self, transcript: &Transcript) -> std::io::Result<()> {
            let held = Held {
                deadlines: transcript.case.deadlines.clone(),
                events: transcript.events.clone(),
            };
            let text = serde_json::to_string(&held)?.replace(&self.here, HERE);
            let thread = std::thread::current().id();
            let name = format!("{}-{thread:?}", std::process::id());
            let whole = self.file.with_extension(name);
            if let Some(folder) = self.file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&whole, text)?;
            std::fs::rename(&whole, &self.file)
        }
    }
}
