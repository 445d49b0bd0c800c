//! Types under the installed Puppet, under other versions of the library and under other Rubies.

use super::{PROVIDER, module, with_verdict};

const CHECK: &[&str] = &[
    "check",
    "--strict",
    "--format",
    "json",
    "--select",
    "RA805,RA806",
];

#[test]
fn an_interpreter_that_is_missing_is_told() {
    let folder = module("package_key");
    folder.replace(
        "stickler.toml",
        "path = \".\"\n",
        "path = \".\"\ninterpreters = [\"rubies/jruby\"]\n",
    );
    folder
        .run(CHECK)
        .exits(2)
        .says("`interpreters` names \"rubies/jruby\"");
}

#[test]
fn a_value_that_varies_between_runs_is_no_runtime_difference() {
    // The owner is another one in each process.
    let folder = module("package_key");
    folder.replace(
        &format!("lib/puppet/{PROVIDER}"),
        "[owner.empty? ? nil : owner, key]",
        "[owner.empty? ? nil : \"#{owner} #{rand}\", key]",
    );
    let output = folder.run(CHECK);
    assert_eq!(
        with_verdict(&output, &["fail"]),
        [].into(),
        "{}",
        output.stdout
    );
}
