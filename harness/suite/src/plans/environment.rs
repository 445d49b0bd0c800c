//! The same example in another environment.

use crate::builder::Setting;
use crate::effort::Effort;
use crate::instance::{Instance, SCRATCH};
use crate::plans::subjects;
use std::path::Path;
use stickler_transcript::{Bytes, Case, PlannedCommand, Relation, Role};

type Change = fn(&mut PlannedCommand);

const NO_HOME: &str = "HOME unset";

const CHANGES: &[(&str, Change)] = &[
    ("LANG=C", |command| set(command, "LANG", Some("C"))),
    ("LANG unset", |command| set(command, "LANG", None)),
    (NO_HOME, |command| set(command, "HOME", None)),
    ("minimal PATH", |command| {
        // Stand-ins for commands stay in `PATH`.
        let path = if command
            .env
            .iter()
            .any(|(_, value)| value.starts_with(SCRATCH.as_bytes()) && value.contains(&b':'))
        {
            format!("{SCRATCH}/bin:/usr/bin:/bin")
        } else {
            "/usr/bin:/bin".to_owned()
        };
        set(command, "PATH", Some(&path));
    }),
    ("another cwd", |command| {
        command.cwd = other_file_system().unwrap_or("/").into();
    }),
    ("another TMPDIR", |command| {
        set(command, "TMPDIR", other_file_system().or(Some("/var/tmp")));
    }),
    ("umask 077", |command| command.umask = 0o077),
];

/// A directory on an in-memory file system, so usually not on the file system of targets: a rename
/// from there into place fails.
fn other_file_system() -> Option<&'static str> {
    Some("/dev/shm").filter(|path| Path::new(path).is_dir())
}

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    subjects(setting, effort)
        .iter()
        .take(if effort == Effort::Deep {
            usize::MAX
        } else {
            3
        })
        .flat_map(|instance| {
            CHANGES
                .iter()
                // A variable that the author sets is part of the example.
                .filter(|(role, _)| !set_by_author(setting, role))
                .map(|(role, change)| one(setting, instance, role, *change))
        })
        .collect()
}

fn one(setting: &Setting<'_>, instance: &Instance, role: &str, change: Change) -> Case {
    let mut case = setting.case(format!("environment/{role}/{}", instance.info.label));
    case.member(
        Relation::Environment,
        &instance.info.label,
        Role::variant(role),
    );
    if role == NO_HOME {
        // Stand-ins for commands keep their state there, so the setup needs the change too.
        case.surroundings(change).setup(instance);
    } else {
        // The author's setup is the same in all environments.
        case.setup(instance).surroundings(change);
    }
    case.observing()
        .open()
        .validate(instance)
        .evaluate(instance)
        .evaluate_as("e2", "v", instance)
        .terminate()
        .build()
}

/// Does the author set the variable that this change affects?
pub fn set_by_author(setting: &Setting<'_>, role: &str) -> bool {
    setting
        .config
        .subject
        .env
        .iter()
        .any(|(name, _)| role.split([' ', '=']).any(|word| word == name))
}

/// Sets or removes a variable of the environment.
pub fn set(command: &mut PlannedCommand, name: &str, value: Option<&str>) {
    command.env.retain(|(known, _)| known.lossy() != name);
    if let Some(value) = value {
        command.env.push((Bytes::from(name), Bytes::from(value)));
    }
}
