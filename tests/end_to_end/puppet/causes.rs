//! One cause is told once, and excuses nothing that has another cause.

use super::{module, with_verdict};
use crate::cli::{Folder, json_lines};
use std::collections::BTreeSet;

const QUEUE: &str = "lib/puppet/provider/print_queue/print_queue.rb";
const QUEUE_TYPE: &str = "lib/puppet/type/print_queue.rb";
const SETTING: &str = "lib/puppet/provider/kernel_setting/kernel_setting.rb";

/// Queues that are asked for by name, and whose `get` has no default for the names.
fn named_queues() -> Folder {
    let folder = module("print_queue");
    folder.replace(
        QUEUE_TYPE,
        "  attributes: {",
        "  features: ['simple_get_filter'],\n  attributes: {",
    );
    folder.replace(QUEUE, "get(_context)", "get(_context, names)");
    folder.replace(
        QUEUE,
        "{ name: name, ensure: 'present', location: location }\n    end",
        "{ name: name, ensure: 'present', location: location }\n    end.select { |row| names.include?(row[:name]) }",
    );
    folder
}

fn codes(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|code| (*code).to_owned()).collect()
}

#[test]
fn a_get_that_needs_names_is_asked_by_name() {
    let folder = named_queues();
    // It takes a failure for an empty list.
    folder.replace(QUEUE, "failonfail: true", "failonfail: words != ['list']");
    let select = [
        "--select", "RA206", "--select", "RA207", "--select", "RA514",
    ];
    let output = folder.run(&[&["check", "--format", "json"], &select[..]].concat());
    let failed = with_verdict(&output, &["fail", "flaky"]);
    assert_eq!(failed, codes(&["RA206", "RA207"]));
    assert_eq!(with_verdict(&output, &["pass"]), codes(&["RA514"]));
}

#[test]
fn a_get_that_needs_names_excuses_nothing_that_is_read_by_name() {
    let folder = named_queues();
    folder.replace(
        QUEUE,
        "'set', name, should[:location])",
        "'set', name, should[:location].upcase)",
    );
    let output = folder.run(&["check", "--quick", "--format", "json"]);
    let failed = with_verdict(&output, &["fail", "flaky"]);
    assert_eq!(failed, codes(&["RA207", "RA501"]));
    for line in json_lines(&output) {
        if line["rule"] == "RA501" {
            assert!(line.to_string().contains("baseline/"), "{line}");
        }
        if ["RA502", "RA520"].iter().any(|code| line["rule"] == *code) {
            assert!(line.to_string().contains("follows from RA501"), "{line}");
        }
    }
}

#[test]
fn what_no_version_of_the_library_meets_is_a_failure() {
    let folder = module("kernel_setting");
    // The library wants a title within a block too, and the specification none.
    folder.replace(
        SETTING,
        "context.creating(name) { write(lines << line) }",
        "context.creating(name) { write(lines << line); context.attribute_changed('value', nil, should[:value], message: 'new') }",
    );
    folder
        .run(&["check", "--quick"])
        .exits(1)
        .says("FAIL  RA520  must")
        .says("the specification would forgive it")
        .says("(1.8.16 and 2.0.1)");
}

#[test]
fn a_provider_that_remembers_in_its_class_is_told_of_once() {
    for (from, to) in [
        (
            "def get(_context)\n    queuectl('list')",
            "def get(_context)\n    (@@listed ||= queuectl('list'))",
        ),
        (
            "def get(_context)\n    queuectl('list')",
            "LISTED = {}\n\n  def get(_context)\n    (LISTED[:all] ||= queuectl('list'))",
        ),
    ] {
        let folder = module("print_queue");
        folder.replace(QUEUE, from, to);
        let output = folder.run(&["check", "--quick", "--format", "json"]);
        let failed = with_verdict(&output, &["fail", "flaky"]);
        assert_eq!(failed, codes(&["RA516"]), "{to}");
        let passed = with_verdict(&output, &["pass"]);
        for code in ["RA502", "RA504", "RA514", "RA520"] {
            assert!(passed.contains(code), "{code}: {passed:?}");
        }
    }
}

#[test]
fn a_target_may_be_shown_as_canonicalize_writes_it_afterwards() {
    let folder = module("print_queue");
    folder.replace(
        QUEUE_TYPE,
        "  attributes: {",
        "  features: ['canonicalize'],\n  attributes: {",
    );
    // What is there already is canonical as it is, in any case of its letters.
    folder.replace(
        QUEUE,
        "  def create(",
        "  def canonicalize(context, resources)\n    rows = get(context)\n    resources.each do |resource|\n      row = rows.find { |one| one[:name] == resource[:name] }\n      next unless row && row[:location] && resource[:location].is_a?(String)\n\n      resource[:location] = row[:location] if row[:location].casecmp?(resource[:location])\n    end\n  end\n\n  def create(",
    );
    folder.replace(
        QUEUE,
        "'set', name, should[:location])",
        "'set', name, should[:location].sub(/\\A[a-z]/, &:upcase))",
    );
    let output = folder.run(&["check", "--quick", "--format", "json"]);
    let failed = with_verdict(&output, &["fail", "flaky"]);
    assert!(
        !failed.contains("RA501") && !failed.contains("RA506"),
        "{failed:?}"
    );
}

#[test]
fn a_stand_in_that_is_never_called_is_told_of() {
    let folder = module("print_queue");
    let hint = "the stand-in `queuectl` of [fake] was never called";
    let check = ["check", "--quick", "--select", "RA520"];
    folder.run(&check).says_not(hint);
    folder.replace(
        QUEUE,
        "['queuectl', *words]",
        "['/usr/bin/queuectl', *words]",
    );
    folder.run(&check).says(hint).says("an absolute path");
}
