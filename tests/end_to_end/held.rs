//! Where debug builds of Stickler keep the sessions that tests have held (`harness/suite/src/held.rs`): one folder
//! for each subject, harness and machine, in `target/held/`. So a session that many tests want is held once, and
//! after a change of a rule the same sessions are only judged again.
//!
//! `STICKLER_TEST_HELD=none` holds all sessions. A fresh clone does so too, since the folder is never stored.

use crate::common::root;
use crate::digest;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What holds sessions. What plans or judges them is not among it: a session is found by its plan.
const SOURCES: [&str; 13] = [
    "harness/json/src",
    "harness/rpc/src",
    "harness/session/src",
    "harness/suite/src/held.rs",
    "harness/transcript/src",
    "harness/cfengine/protocol/src/turn.rs",
    "harness/cfengine/protocol/src/wire",
    "harness/cfengine/protocol/src/wire.rs",
    "harness/cfengine/suite/src",
    "harness/mgmt/host",
    "harness/mgmt/suite/src",
    "harness/puppet/host",
    "harness/puppet/suite/src",
];

/// A package that is installed or removed may change any program of the machine.
const PACKAGES: &str = "/var/lib/dpkg/status";

/// The folder of all that is kept.
pub const HELD: &str = "target/held";
/// The folder in it for compiled subjects.
pub const PROGRAMS: &str = "programs";
/// The folder in it for the marks of `ci/passed`.
const PASSED: &str = "passed";

/// Is everything to be done anew?
pub fn is_off() -> bool {
    std::env::var_os("STICKLER_TEST_HELD").is_some_and(|value| value == "none")
}

/// The folder for the sessions with a subject whose files are these. `None` if all sessions are to be held.
pub fn folder(files: &[&Path]) -> Option<PathBuf> {
    if is_off() {
        return None;
    }
    static HARNESS: OnceLock<String> = OnceLock::new();
    let harness = HARNESS.get_or_init(|| {
        let harness = digest::of(&[&SOURCES[..], &[PACKAGES]].concat());
        remove_others(&harness);
        harness
    });
    let mut hasher = blake3::Hasher::new();
    for path in files {
        digest::add(path, "", &mut hasher);
    }
    let subject = digest::short(&hasher);
    Some(root().join(HELD).join(harness).join(subject))
}

/// Removes the sessions that another harness has held, or this one on another machine.
fn remove_others(harness: &str) {
    let kept = [harness, PROGRAMS, PASSED];
    let all = std::fs::read_dir(root().join(HELD)).into_iter().flatten();
    for other in all.flatten() {
        if kept.iter().all(|name| other.file_name() != *name) {
            // What cannot be removed takes some room.
            let _ = std::fs::remove_dir_all(other.path());
        }
    }
}
