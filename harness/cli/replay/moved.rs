//! `replay --module`: the module of stored sessions is at another path, as on another machine.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use stickler_face::missing::missing;
use stickler_face::{CONFIG, Face, Failure};
use stickler_suite::config;
use stickler_transcript::{Bytes, Case};

/// A word of a command line as a path.
pub(super) fn path(word: &Bytes) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(word))
}

/// Is this path of a command line the module's?
pub(super) fn is_module(case: &Case, path: &Path) -> bool {
    let name = path.file_name();
    name.is_some_and(|name| name.to_string_lossy() == case.subject.name)
}

/// Do the sessions run the code in a folder?
fn runs_folder(face: &dyn Face, cases: &[Case]) -> bool {
    let plans = cases.iter().flat_map(|case| &case.plan);
    let mut commands = plans.flat_map(|plan| plan.commands.first());
    commands.any(|command| face.runs_folder(&command.argv))
}

/// Replaces the stored path of the module. What lies beside it, such as the program of a service,
/// moves along if it exists there.
///
/// # Errors
/// If there is no file at the path, or if the sessions name no module.
pub(super) fn replace(
    face: &dyn Face,
    name: &str,
    cases: &mut [Case],
    to: &Path,
) -> Result<(), Failure> {
    let subject = face.vocabulary().subject;
    if !to.exists() {
        return Err(missing(to));
    }
    let is_folder = runs_folder(face, cases);
    if to.is_dir() != is_folder {
        let what = match is_folder {
            true => "is not a folder; name the folder of the module".to_owned(),
            false => format!("is a folder; name the {subject} in it"),
        };
        return Err(Failure::usage(format!("--module {}: {what}", to.display())));
    }
    let to = std::fs::canonicalize(to).map_err(anyhow::Error::from)?;
    for case in cases {
        let known = case.clone();
        let Some(plan) = &mut case.plan else {
            continue;
        };
        let first = plan.commands.first().into_iter();
        let mut paths = first.flat_map(|command| &command.argv).map(path);
        let Some(from) = paths.find(|path| is_module(&known, path)) else {
            return Err(Failure::usage(format!(
                "--module: {name} starts a command, not the file of a {subject}"
            )));
        };
        let (old, new) = match is_folder {
            true => (Some(&*from), Some(&*to)),
            false => (from.parent(), to.parent()),
        };
        let beside = |word: &Bytes| {
            let rest = path(word).strip_prefix(old?).ok()?.to_owned();
            let moved = new?.join(rest);
            moved.exists().then(|| bytes(moved))
        };
        for (number, command) in plan.commands.iter_mut().enumerate() {
            for word in &mut command.argv {
                let is_it = number == 0 && path(word) == from;
                if is_it {
                    *word = bytes(to.clone());
                } else if from.is_absolute()
                    && let Some(moved) = beside(word)
                {
                    *word = moved;
                }
            }
        }
        if let Some(file) = to.file_name() {
            case.subject.name = file.to_string_lossy().into_owned();
        }
    }
    Ok(())
}

fn bytes(path: PathBuf) -> Bytes {
    path.into_os_string().into_vec().into()
}

/// What to do about a module that is not at its stored path.
pub(super) fn advice(face: &dyn Face, name: &str, cases: &[Case], stored: &Path) -> String {
    let words = face.vocabulary();
    let is_folder = runs_folder(face, cases);
    let Some(file) = stored.file_name() else {
        return format!(
            "run it with --module PATH, the path of the {}",
            words.subject
        );
    };
    let described = config::from_file(Path::new(CONFIG), words).ok();
    let described = described.and_then(|config| Some(config.dir.join(config.subject.path?)));
    let found = described
        .filter(|path| path.file_name() == Some(file))
        .into_iter()
        .chain([PathBuf::from(file)])
        .find(|path| path.exists() && path.is_dir() == is_folder);
    match found {
        Some(found) => {
            let found = found.display();
            format!("{found} has the same name: stickler replay {name} --module {found}")
        }
        None => format!(
            "name the {} at its new path: stickler replay {name} --module PATH",
            words.subject
        ),
    }
}
