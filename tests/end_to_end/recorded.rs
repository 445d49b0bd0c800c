//! What cf-agent did in earlier runs. In a case in which the reference agent does what both did, only the
//! reference agent runs; otherwise both do. `STICKLER_RECORD_PEERS=1` runs both and writes the recording.

use crate::common::{Call, root};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

/// What decides how the reference agent behaves, and what both agents are given.
const SOURCES: [&str; 9] = [
    "harness/cfengine/cli/src/agent",
    "harness/cfengine/cli/src/agent.rs",
    "harness/json/src",
    "harness/cfengine/agent/src",
    "harness/cfengine/policy/src",
    "harness/cfengine/policygen/src",
    "harness/cfengine/protocol/src/wire",
    "harness/cfengine/protocol/src/wire.rs",
    "fixtures/policies",
];

/// A recording: a line with the digest of the sources, and one for each case in which both agents
/// did the same.
pub struct Recording {
    file: PathBuf,
    /// Are the sources those of the recording?
    holds: bool,
    cases: BTreeMap<String, String>,
    new: Mutex<BTreeMap<String, String>>,
}

impl Recording {
    /// The recording of a test. cf-agent has to be there, even if it is not run.
    pub fn of(name: &str) -> Self {
        is_installed();
        let file = root().join("fixtures/recorded").join(name);
        let text = fs::read_to_string(&file).unwrap_or_default();
        let (digest, cases) = text.split_once('\n').unwrap_or_default();
        let lines = cases.lines().filter_map(|line| line.split_once(' '));
        let cases = lines.map(|(digest, case)| (case.to_owned(), digest.to_owned()));
        Self {
            file,
            holds: digest == sources() && !is_asked(),
            cases: cases.collect(),
            new: Mutex::default(),
        }
    }

    /// Are the sources those of the recording?
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// Did both agents do this in a case, when it was recorded?
    pub fn says(&self, case: &str, seen: &str) -> bool {
        let known = self.cases.get(case).filter(|_| !is_asked());
        known.is_some_and(|known| *known == digest(seen))
    }

    /// Both agents have done this in a case.
    pub fn note(&self, case: &str, seen: &str) {
        let mut new = self.new.lock().expect("no panic");
        new.insert(case.to_owned(), digest(seen));
    }

    /// Writes what was noted, if that is asked for.
    pub fn write(&self) {
        if is_asked() {
            let mut text = format!("{}\n", sources());
            for (case, digest) in &*self.new.lock().expect("no panic") {
                let _ = writeln!(text, "{digest} {case}");
            }
            fs::create_dir_all(self.file.parent().expect("a folder")).expect("a folder");
            fs::write(&self.file, text).expect("written");
        }
    }
}

pub fn is_asked() -> bool {
    std::env::var_os("STICKLER_RECORD_PEERS").is_some()
}

fn is_installed() {
    let version = Call::of("cf-agent").arg("--version").output();
    let version = version.expect("cf-agent; ci/setup installs it");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    assert!(version.contains("3.21."), "cf-agent 3.21, not {version:?}");
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..24].to_owned()
}

/// The digest of all sources.
fn sources() -> &'static str {
    static DIGEST: OnceLock<String> = OnceLock::new();
    DIGEST.get_or_init(|| crate::digest::of(&SOURCES))
}
