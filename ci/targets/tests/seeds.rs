//! The seeds of the fuzz targets, replayed: the properties hold for each of them.

use std::fs;
use std::path::{Path, PathBuf};
use stickler_fuzz::{Guided, MAP};
use stickler_targets::{TARGETS, subject};

fn seeds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds")
}

/// The seeds of a target, with their names.
fn of(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = seeds().join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{target}: {error}"));
    let mut all: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let bytes = fs::read(&path).expect("a seed");
            (path.display().to_string(), bytes)
        })
        .collect();
    all.sort();
    assert!(all.len() >= 3, "{target}: {} seeds", all.len());
    all
}

#[test]
fn the_properties_of_each_target_hold_for_its_seeds() {
    let mut broken = Vec::new();
    for (target, run) in TARGETS {
        for (seed, bytes) in of(target) {
            if std::panic::catch_unwind(|| run(&bytes)).is_err() {
                broken.push(seed);
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn sessions_that_seeds_choose_find_nothing_in_a_sound_module() {
    let (guide, _) = subject::guide().expect("the module that ships with Stickler");
    let mut sessions = Guided::open(guide).expect("sessions");
    for (seed, bytes) in of("session") {
        let found = sessions.run(&bytes, &mut vec![0; MAP]).expect("a session");
        let found = found.map(|finding| (finding.signature.rule.clone(), finding.message));
        assert_eq!(found, None, "{seed}");
    }
}

#[test]
fn each_folder_of_seeds_belongs_to_a_target_and_each_target_is_built() {
    let names = |folder: &Path, ext: &str| -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let paths = entries.map(|entry| entry.path());
        let paths = paths.filter(|path| match ext {
            "" => path.is_dir(),
            ext => path.extension().is_some_and(|end| end == ext),
        });
        let names = paths.map(|path| path.file_stem().unwrap_or_default().to_owned());
        let mut names: Vec<_> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let mut targets: Vec<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    targets.push("session".to_owned());
    targets.sort();
    assert_eq!(names(&seeds(), ""), targets);
    assert_eq!(names(&seeds().join("../fuzz_targets"), "rs"), targets);
}
