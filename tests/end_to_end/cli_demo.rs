//! `stickler demo`, end to end.

use crate::cli::{Folder, json_lines};
use std::collections::BTreeSet;

/// Writes the modules of a system, and checks both. Returns the rules that the broken one breaks.
fn broken_rules(system: &str) -> BTreeSet<String> {
    let folder = Folder::empty();
    folder
        .run(&["demo", system])
        .exits(0)
        .says("\n  cd stickler-demo\n  stickler check sound\n  stickler check broken\n");
    folder
        .run(&["check", "--strict", "--quick", "stickler-demo/sound"])
        .exits(0);
    let words = ["check", "--quick", "--format", "json"];
    let done = folder.run(&[&words[..], &["stickler-demo/broken"]].concat());
    done.exits(1);
    let lines = json_lines(&done);
    let failing = lines.iter().filter(|line| line["verdict"] == "fail");
    failing
        .map(|line| line["rule"].as_str().expect("a code").to_owned())
        .collect()
}

fn assert_breaks(system: &str, rules: &[&str]) {
    let found = broken_rules(system);
    for rule in rules {
        assert!(found.contains(*rule), "{rule} is not in {found:?}");
    }
}

#[test]
fn each_mistake_of_the_promise_module_is_found() {
    assert_breaks("cfengine", &["PM804", "PM701", "PM904"]);
}

#[test]
fn each_mistake_of_the_puppet_module_is_found() {
    assert_breaks("puppet", &["RA501", "RA503", "RA520"]);
}

#[test]
fn each_mistake_of_the_go_package_is_found() {
    assert_breaks("mgmt", &["MR104", "MR302", "MR403"]);
}

#[test]
fn dialects_name_systems_too_and_folders_may_be_chosen() {
    let folder = Folder::empty();
    folder
        .run(&["demo", "resource-api", "a folder"])
        .exits(0)
        .says("a folder holds two Puppet modules")
        .says("\n  cd 'a folder'\n");
    assert!(folder.exists("a folder/broken/stickler.toml"));
}

#[test]
fn nothing_that_exists_is_changed() {
    let folder = Folder::empty();
    folder.write("stickler-demo/mine", "kept");
    folder
        .run(&["demo", "mgmt"])
        .exits(2)
        .says("stickler-demo: it exists already")
        .says("name another folder: stickler demo mgmt stickler-demo-2");
    assert_eq!(folder.list("stickler-demo"), ["mine"]);
}

#[test]
fn an_unknown_system_is_refused_with_the_known_ones() {
    Folder::empty()
        .run(&["demo", "ansible"])
        .exits(2)
        .says("there is no demo for \"ansible\"; there is one for each of: cfengine, puppet, mgmt");
}
