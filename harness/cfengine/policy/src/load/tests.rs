//! Inputs: which are followed, and which are missing.

use super::*;
use cfengine_protocol::release::Release;
use std::fs::write;

/// Loads `main.cf` of a folder with these files.
fn loaded(files: &[(&str, &str)]) -> (Loaded, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        write(folder.path().join(name), text).expect("written");
    }
    let around = Constants {
        workdir: folder.path().to_path_buf(),
        entry: folder.path().join("main.cf"),
        release: Release::oldest(),
    };
    let mut sources = Sources::new();
    let loaded = load(
        &mut sources,
        &folder.path().join("main.cf"),
        &around,
        Release::oldest(),
    )
    .expect("read");
    let problems = loaded
        .problems
        .iter()
        .map(|problem| problem.message.clone());
    let problems = problems.collect();
    (loaded, problems)
}

fn names(loaded: &Loaded) -> Vec<&str> {
    let bundles = loaded.policy.bundles.iter();
    bundles.map(|bundle| &*bundle.name.text).collect()
}

#[test]
fn common_controls_inputs_come_before_file_controls() {
    let (loaded, problems) = loaded(&[
        (
            "main.cf",
            "body file control { inputs => { 'b.cf' }; }\n\
             body common control { inputs => { 'a.cf', '$(names.c)' }; }\n\
             bundle common names { vars: 'c' string => '$(this.promise_dirname)/c.cf'; }\n\
             bundle agent __main__ { }",
        ),
        (
            "a.cf",
            "body file control { inputs => { 'd.cf' }; }\nbundle agent a { }",
        ),
        ("b.cf", "bundle agent b { }\nbundle agent __main__ { }"),
        ("c.cf", "bundle agent c { }"),
        ("d.cf", "bundle agent d { }"),
    ]);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(names(&loaded), ["names", "main", "a", "d", "c", "b"]);
}

#[test]
fn missing_inputs_are_problems_unless_they_may_be_missing() {
    let control = "body common control { inputs => { 'gone.cf' };";
    let (_, problems) = loaded(&[("main.cf", &format!("{control} }}"))]);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("gone.cf"), "{problems:?}");
    let ignore = format!("{control} ignore_missing_inputs => 'true'; }}");
    assert!(loaded(&[("main.cf", &ignore)]).1.is_empty());
}

#[test]
fn the_loader_notes_unresolved_inputs_and_excuses_missing_bodies() {
    let (loaded, problems) = loaded(&[(
        "main.cf",
        "body common control { inputs => { @(names.all) }; }\n\
         bundle common names { vars:\nsome_class::\n 'all' slist => { 'a.cf' }; }\n\
         bundle agent main { files: '/x' perms => p; }",
    )]);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(loaded.notes.len(), 2);
}

#[test]
fn a_text_is_read_once() {
    let text = "body file control { inputs => { 'a.cf', 'b.cf' }; }";
    let (loaded, problems) = loaded(&[
        ("main.cf", text),
        ("a.cf", "bundle agent a { }"),
        ("b.cf", "bundle agent a { }"),
    ]);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(names(&loaded), ["a"]);
}

#[test]
fn problems_of_inputs_are_problems() {
    let text = "body file control { inputs => { 'a.cf' }; }";
    let (_, problems) = loaded(&[("main.cf", text), ("a.cf", "bundle agent a { 1 }")]);
    assert_eq!(problems.len(), 1);
}

#[test]
fn circles_and_depth_end() {
    let (_, problems) = loaded(&[(
        "main.cf",
        "body file control { inputs => { 'main.cf', './main.cf', '$(l.x)' }; }\n\
         bundle common l { vars: 'x' string => '$(l.y)'; 'y' string => '$(l.x)'; }",
    )]);
    assert_eq!(problems, Vec::<String>::new());
}
