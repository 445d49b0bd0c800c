//! Checks the modules in this repository as their authors would.

use crate::calls::is_nightly;
use crate::common::{Checked, check, compile, part, root, side_by_side};
use std::path::{Path, PathBuf};

/// A copy of a fixture's folder, compiled if necessary.
fn prepared(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = root().join("fixtures/modules").join(name);
    for entry in std::fs::read_dir(&source).expect("the fixture").flatten() {
        if entry.path().is_dir() {
            continue;
        }
        let to = folder.path().join(entry.file_name());
        std::fs::copy(entry.path(), &to).expect("copied");
        if to.extension().is_some_and(|e| e == "c" || e == "rs") {
            let program = compile(&to, folder.path(), &[]);
            let plain = to.with_extension("");
            std::fs::rename(program, plain).expect("renamed");
        }
    }
    let path = folder.path().to_owned();
    (folder, path)
}

/// Checks a folder. On a busy machine a failure may be flaky, so a flaky result is tried again; a
/// confirmed failure is not.
fn tried(folder: &Path, arguments: &[&str]) -> Checked {
    let checked = check(folder, arguments);
    if checked.with(&["fail"]).is_empty() && !checked.with(&["flaky"]).is_empty() {
        return check(folder, arguments);
    }
    checked
}

const SOUND: &[&str] = &[
    "directory_rs",
    "executes_sh",
    "file_lines_sh",
    "greeting_py",
    "ini_setting_c",
    "json_c",
    "library_style_py",
    "multi_type_py",
    "notes_perl",
    "users_groups_line",
];

#[test]
fn nothing_fails_on_sound_modules_even_if_strict() {
    let results = side_by_side(SOUND, |name| {
        let (_keep, folder) = prepared(name);
        tried(&folder, &[&["--strict", "--jobs", "1"], part()].concat())
    });
    let mut complaints = String::new();
    for (name, checked) in SOUND.iter().zip(results) {
        if checked.exit != Some(0) {
            complaints += &format!(
                "{name}: exit {:?}\n{}{}",
                checked.exit,
                checked.failures(),
                checked.stderr
            );
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn sound_modules_stay_sound_when_the_agent_speaks_as_the_specification_shows() {
    // One of each protocol; those in other languages start slowly.
    let names: &[&str] = match is_nightly() {
        true => &["json_c", "ini_setting_c", "greeting_py", "file_lines_sh"],
        false => &["json_c", "ini_setting_c"],
    };
    let results = side_by_side(names, |name| {
        let (_keep, folder) = prepared(name);
        tried(
            &folder,
            &["--strict", "--quick", "--jobs", "1", "--as", "spec"],
        )
    });
    for (name, checked) in names.iter().zip(results) {
        assert_eq!(
            checked.exit,
            Some(0),
            "{name}\n{}{}",
            checked.failures(),
            checked.stderr
        );
    }
}

#[test]
fn the_true_defects_of_the_git_module_are_found_and_nothing_else() {
    let (_keep, folder) = prepared("git_shape");
    let checked = check(&folder, &[&["--strict"], part()].concat());
    assert_eq!(checked.exit, Some(1), "{}", checked.stderr);
    let failed = checked.with(&["fail", "flaky"]);
    assert_eq!(failed, ["PM405", "PM903"], "\n{}", checked.failures());
}

#[test]
fn the_broken_greeting_fails_the_rules_that_it_breaks() {
    let (_keep, folder) = prepared("greeting_broken_py");
    let checked = check(&folder, part());
    assert_eq!(checked.exit, Some(1), "{}", checked.stderr);
    for rule in ["PM203", "PM406", "PM503", "PM804"] {
        assert_eq!(
            checked.verdict(rule),
            "fail",
            "{rule}\n{}",
            checked.failures()
        );
    }
}

#[test]
fn every_folder_of_fixtures_is_tested() {
    let known = ["git_shape", "greeting_broken_py"];
    for entry in std::fs::read_dir(root().join("fixtures/modules"))
        .expect("fixtures")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.path().is_dir() {
            continue;
        }
        assert!(
            SOUND.contains(&&name[..]) || known.contains(&&name[..]),
            "{name} is not tested"
        );
    }
}
