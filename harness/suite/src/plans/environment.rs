//! The same example in another environment.

use crate::effort::Effort;
use crate::instance::{Instance, SCRATCH};
use crate::plans::subjects::subjects;
use crate::setting::Setting;
use std::path::Path;
use stickler_transcript::{Bytes, Case, PlannedCommand, Purpose, Relation, Role};

type Change = fn(&mut PlannedCommand);

const NO_HOME: &str = "HOME unset";

/// The role of sessions whose locale has only ASCII characters.
pub const ASCII: &str = "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0";

const CHANGES: &[(&str, Change)] = &[
    (ASCII, ascii),
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
    let mut all = subjects(setting, effort);
    // What locales change shows in other letters.
    all.sort_by_key(is_ascii);
    all.iter()
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
                .filter(|(role, _)| *role != NO_HOME || !uses_home(instance))
                .map(|(role, change)| one(setting, instance, role, *change))
        })
        .collect()
}

/// Has an example no letters beyond ASCII, neither in its values nor in what its setup lays out?
fn is_ascii(instance: &Instance) -> bool {
    let fields = instance.identity.iter().chain(&instance.attributes);
    let values = fields.flat_map(|(_, value)| value.words());
    let mut words = values.chain(instance.setup.iter().flatten().map(|word| &word[..]));
    words.all(<[u8]>::is_ascii)
}

fn one(setting: &Setting<'_>, instance: &Instance, role: &str, change: Change) -> Case {
    let name = if role == ASCII { "locale" } else { role };
    let mut case = setting.case(format!("environment/{name}/{}", instance.info.label));
    case.member(
        Relation::ENVIRONMENT,
        &instance.info.label,
        Role::variant(role),
    );
    // The author's setup and stand-ins are the same in all environments.
    case.setup(instance)
        .settled_fakes()
        .surroundings(change)
        .observing()
        .open()
        .validate(instance)
        .evaluate(instance)
        .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, instance)
        .terminate()
        .build()
}

/// Python takes the locale `C` for one in UTF-8, unless these variables say otherwise.
pub fn ascii(command: &mut PlannedCommand) {
    for (name, value) in [
        ("LANG", "C"),
        ("LC_ALL", "C"),
        ("PYTHONUTF8", "0"),
        ("PYTHONCOERCECLOCALE", "0"),
    ] {
        set(command, name, Some(value));
    }
}

/// Does the setup use the home directory? Without `HOME`, a subject asks the password database,
/// which names another home than the sandbox.
fn uses_home(instance: &Instance) -> bool {
    let home = format!("{SCRATCH}/home");
    let mut words = instance.setup.iter().flatten().map(Bytes::lossy);
    words.any(|word| ["HOME", "~", &home].iter().any(|name| word.contains(name)))
}

/// Does the author set the variable that this change affects?
pub fn set_by_author(setting: &Setting<'_>, role: &str) -> bool {
    let mut names = setting.config.subject.env.iter().map(|(name, _)| &name[..]);
    names.any(|name| {
        let others = role == ASCII && matches!(name, "LANG" | "LC_CTYPE");
        others || role.split([' ', '=']).any(|word| word == name)
    })
}

/// Sets or removes a variable of the environment.
fn set(command: &mut PlannedCommand, name: &str, value: Option<&str>) {
    command.env.retain(|(known, _)| known.lossy() != name);
    if let Some(value) = value {
        command.env.push((Bytes::from(name), Bytes::from(value)));
    }
}
