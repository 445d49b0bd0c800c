//! `stickler demo`: writes a sound and a broken module, to try Stickler with.

use crate::args::DemoArgs;
use std::fs;
use std::path::Path;
use stickler_face::demo::Demo;
use stickler_face::{Dialects, Done, Face, Failure, terminal};
use stickler_judge::Exit;
use stickler_report::{command_line, visible};

/// The folders of the modules.
const SOUND: &str = "sound";
const BROKEN: &str = "broken";

pub fn run(dialects: &Dialects, args: &DemoArgs) -> Done {
    let (face, demo) = named(dialects, &args.system)?;
    let folder = &args.folder;
    if folder.symlink_metadata().is_ok() {
        return Err(Failure::usage(format!(
            "{0}: it exists already, and `stickler demo` changes nothing that exists\n  name another folder: stickler demo {1} {0}-2",
            folder.display(),
            demo.system
        )));
    }
    write(folder, &demo).map_err(|error| {
        Failure::usage(format!(
            "{}: {error}\n  name a folder where you may write: stickler demo {} FOLDER",
            folder.display(),
            demo.system
        ))
    })?;
    terminal::print(advice(folder, face, &demo))?;
    Ok(Exit::Success)
}

/// The dialect of a system, and its modules.
fn named<'d>(dialects: &'d Dialects, name: &str) -> Result<(&'d dyn Face, Demo), Failure> {
    let mut known = Vec::new();
    for face in dialects.all() {
        let Some(demo) = face.demo() else { continue };
        if name == demo.system || name == face.vocabulary().dialect {
            return Ok((face, demo));
        }
        known.push(demo.system);
    }
    Err(Failure::usage(format!(
        "there is no demo for \"{name}\"; there is one for each of: {}",
        known.join(", ")
    )))
}

fn write(folder: &Path, demo: &Demo) -> std::io::Result<()> {
    files_of(&folder.join(SOUND), demo.module)?;
    files_of(&folder.join(BROKEN), &demo.broken())?;
    files_of(folder, demo.beside)
}

fn files_of(folder: &Path, files: &[(&str, impl AsRef<[u8]>)]) -> std::io::Result<()> {
    for (path, text) in files {
        let file = folder.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    Ok(())
}

/// What there is now, and what to try.
fn advice(folder: &Path, face: &dyn Face, demo: &Demo) -> String {
    let subjects = face.vocabulary().subjects;
    let count = demo.mistakes.len();
    let path = visible(&folder.display().to_string()).into_owned();
    let enter = command_line(&["cd".to_owned(), path.clone()]);
    format!(
        "{path} holds two {subjects}: `{SOUND}`, and `{BROKEN}`, which is the same with {count} mistakes.\n\
         Try:\n\n  {enter}\n  stickler check {SOUND}\n  stickler check {BROKEN}\n  diff -r {SOUND} {BROKEN}     # the mistakes\n"
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    #[test]
    fn each_mistake_replaces_a_passage_that_stands_once() {
        for demo in stickler_dialects::faces()
            .iter()
            .filter_map(|face| face.demo())
        {
            for mistake in demo.mistakes {
                let file = demo.module.iter().find(|(path, _)| *path == mistake.file);
                let (_, text) = file.expect("the file");
                assert_eq!(text.matches(mistake.sound).count(), 1, "{}", mistake.sound);
            }
            let files: BTreeSet<&str> = demo.mistakes.iter().map(|mistake| mistake.file).collect();
            let sound = demo.module.iter().map(|(_, text)| (*text).to_owned());
            let broken = demo.broken().into_iter().map(|(_, text)| text);
            let changed = sound.zip(broken).filter(|(sound, broken)| sound != broken);
            assert_eq!(changed.count(), files.len(), "{}", demo.system);
        }
    }
}
