//! What the deployed library does otherwise than the specification is no defect of the provider.

use super::{module, with_verdict};
use crate::cli::json_lines;
use crate::common::side_by_side;
use std::collections::BTreeSet;

const SETTING: &str = "lib/puppet/provider/kernel_setting/kernel_setting.rb";

/// What the specification lets a provider do, and deployed versions of the library do not: the rules
/// that advise of it, what is replaced, and by what.
const BY_THE_SPECIFICATION: &[(&[&str], &str, &str)] = &[
    // The library makes up a state of what is not there.
    (
        &["RA801"],
        "known = lines.any? { |line| about?(line, name) }",
        "known = !change[:is].nil?",
    ),
];

#[test]
fn a_fault_of_the_library_is_not_blamed_on_the_provider() {
    side_by_side(BY_THE_SPECIFICATION, |(rules, from, to)| {
        let folder = module("kernel_setting");
        folder.replace(SETTING, from, to);
        let output = folder.run(&["check", "--strict", "--quick", "--format", "json"]);
        let failed = with_verdict(&output, &["fail", "flaky"]);
        // What the author expects comes about with no version of the library.
        assert_eq!(failed, BTreeSet::from(["RA520".to_owned()]), "{to}");
        let lines = json_lines(&output);
        for rule in *rules {
            let mut lines = lines.iter();
            let line = lines.find(|line| line["rule"] == *rule && line["event"] == "rule");
            let line = line.expect("a line for each rule");
            assert_eq!(line["verdict"], "advice", "{rule}");
            assert!(
                line.to_string()
                    .contains("due to puppet-resource_api 1.8.16 and 2.0.1"),
                "{line}"
            );
        }
        output.exits(1);
    });
}
