//! Who is to blame: a defect fails the rule that is about it, and what follows from it fails no other;
//! what the deployed library does otherwise than the specification is no defect of the provider.

use super::{Mutant, changed, of, with_verdict};
use crate::cli::json_lines;
use crate::common::side_by_side;
use std::collections::BTreeSet;

const SETTING: &str = "provider/kernel_setting/kernel_setting.rb";
const ENTRY: &str = "provider/registry_entry/registry_entry.rb";

/// Each breaks these rules, and no other.
const ALONE: &[Mutant] = &[
    of(
        "kernel_setting",
        SETTING,
        &["RA203"],
        "{ name: name, value: value } }",
        "{ value: value } }",
    ),
    of(
        "registry_entry",
        ENTRY,
        &["RA203"],
        "{ name: name, ensure: 'present', value: value }",
        "{ ensure: 'present', value: value }",
    ),
    of(
        "registry_entry",
        ENTRY,
        &["RA501", "RA502"],
        "JSON.generate('value' => value)",
        "JSON.generate('value' => nil)",
    ),
];

#[test]
fn what_follows_from_a_defect_fails_no_other_rule() {
    side_by_side(ALONE, |mutant| {
        let output = changed(mutant).run(&["check", "--strict", "--format", "json"]);
        let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
        let rules: BTreeSet<String> = mutant.rules.iter().map(|&rule| rule.to_owned()).collect();
        assert_eq!(failed, rules, "{}", mutant.to);
        output.exits(1);
    });
}

/// What the specification lets a provider do, and deployed versions of the library do not.
const BY_THE_SPECIFICATION: &[Mutant] = &[
    // The library makes up a state of what is not there.
    of(
        "kernel_setting",
        SETTING,
        &["RA520", "RA801"],
        "known = lines.any? { |line| about?(line, name) }",
        "known = !change[:is].nil?",
    ),
    // It wants a title within a block too.
    of(
        "kernel_setting",
        SETTING,
        &["RA520"],
        "context.creating(name) { write(lines << line) }",
        "context.creating(name) { write(lines << line); context.attribute_changed('value', nil, should[:value], message: 'new') }",
    ),
];

#[test]
fn what_the_library_causes_is_not_blamed_on_the_provider() {
    side_by_side(BY_THE_SPECIFICATION, |mutant| {
        let output = changed(mutant).run(&["check", "--strict", "--format", "json"]);
        let failed = with_verdict(&output, &["fail", "flaky"]);
        assert_eq!(failed, BTreeSet::new(), "{}", mutant.to);
        let lines = json_lines(&output);
        for rule in mutant.rules {
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
        output.exits(0);
    });
}

/// "The object instance that hosts the get and set methods can be used to cache ephemeral state."
#[test]
fn an_instance_may_remember_what_it_has_read() {
    const REMEMBERS: Mutant = of(
        "kernel_setting",
        SETTING,
        &[],
        "settings = lines.map",
        "settings = (@seen ||= lines).map",
    );
    let output = changed(&REMEMBERS).run(&["check", "--strict", "--format", "json"]);
    let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
    assert_eq!(failed, BTreeSet::new());
}
