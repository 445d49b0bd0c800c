//! The first line of a recording.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use stickler_transcript::{Case, Driver, PlannedCommand, Subject, VERSION};

/// The case of a session that another program than the suite drives, without its command. `name` is the subject's.
pub fn recorded_case(dialect: &str, name: &str) -> Case {
    Case {
        version: VERSION,
        id: "recorded".to_owned(),
        dialect: dialect.to_owned(),
        driver: Driver::Recorded,
        subject: Subject {
            name: name.to_owned(),
            ..Subject::default()
        },
        tier: "none".to_owned(),
        ..Case::default()
    }
}

/// A command that runs in the user's place.
pub fn own_command<S: AsRef<OsStr>>(argv: &[S], cwd: &Path) -> PlannedCommand {
    let words = argv.iter().map(|word| word.as_ref().as_bytes().into());
    PlannedCommand {
        argv: words.collect(),
        cwd: cwd.as_os_str().as_bytes().into(),
        umask: 0o022,
        ..PlannedCommand::default()
    }
}
