//! Types under the installed Puppet, under other versions of the library and under other Rubies.

use super::{PROVIDER, changed, module, with_verdict};
use crate::cli::Folder;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const CHECK: &[&str] = &[
    "check",
    "--strict",
    "--format",
    "json",
    "--select",
    "RA805,RA806",
];

/// A Ruby that begins with a text.
fn with_ruby(folder: &Folder, beginning: &str) {
    folder.write("rubies/beginning.rb", beginning);
    folder.write(
        "rubies/ruby",
        "#!/bin/sh\nexec ruby -r \"${0%/*}/beginning.rb\" \"$@\"\n",
    );
    let path = folder.path().join("rubies/ruby");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
    folder.replace(
        "stickler.toml",
        "path = \".\"\n",
        "path = \".\"\ninterpreters = [\"rubies/ruby\"]\n",
    );
}

#[test]
fn what_only_the_real_library_shows_is_found() {
    let mutant = super::key(
        &["RA805"],
        PROVIDER,
        "    return [] unless File.directory?(folder)\n",
        "    return [] if !File.directory?(folder) || defined?(Puppet::Pops::Parser)\n",
    );
    let output = changed(&mutant).run(CHECK);
    assert_eq!(
        with_verdict(&output, &["fail"]),
        ["RA805".to_owned()].into()
    );
    output
        .exits(1)
        .says("under the installed Puppet, `get` returns no rows");
}

#[test]
fn a_provider_that_an_older_ruby_cannot_run_is_found() {
    let folder = module("package_key");
    with_ruby(&folder, "class << Dir\n  undef_method :children\nend\n");
    let output = folder.run(CHECK);
    assert_eq!(
        with_verdict(&output, &["fail"]),
        ["RA806".to_owned()].into()
    );
    output
        .exits(1)
        .says("rubies/ruby, `get` raises NoMethodError");
}

#[test]
fn another_ruby_that_does_the_same_is_no_finding() {
    let folder = module("package_key");
    with_ruby(&folder, "# Nothing is changed.\n");
    let output = folder.run(CHECK);
    assert_eq!(
        with_verdict(&output, &["pass"]).len(),
        2,
        "{}",
        output.stdout
    );
    output.exits(0);
}

#[test]
fn an_interpreter_that_is_missing_is_told() {
    let folder = module("package_key");
    with_ruby(&folder, "");
    folder.replace("stickler.toml", "rubies/ruby", "rubies/jruby");
    folder
        .run(CHECK)
        .exits(2)
        .says("`interpreters` names \"rubies/jruby\"");
}

#[test]
fn what_only_one_run_shows_is_no_difference() {
    // The owner is another one in each process.
    let mutant = super::key(
        &["RA805"],
        PROVIDER,
        "[owner.empty? ? nil : owner, key]",
        "[owner.empty? ? nil : \"#{owner} #{rand}\", key]",
    );
    let output = changed(&mutant).run(CHECK);
    assert_eq!(
        with_verdict(&output, &["fail"]),
        [].into(),
        "{}",
        output.stdout
    );
}
