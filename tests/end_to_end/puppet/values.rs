//! Services that a provider does not need, and values that a quick check leaves out.

use super::{module, with_verdict};
use std::collections::BTreeSet;

#[test]
fn providers_that_need_no_service_are_not_blamed() {
    // The rows are in files; the service does something else.
    let folder = module("daily_job");
    let text = folder.read("stickler.toml");
    let service = "[[service]]\ncommand = [\"sleep\", \"100\"]\n\n[[example]]";
    folder.write("stickler.toml", &text.replacen("[[example]]", service, 1));
    let output = folder.run(&[
        "check",
        "--strict",
        "--format",
        "json",
        "--select",
        "RA206,RA511",
    ]);
    let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
    assert_eq!(failed, BTreeSet::new());
}

/// Difficult texts of several attributes are tried together. If the provider refuses them together, each
/// is tried alone, so that one does not hide another.
#[test]
fn a_value_that_is_refused_does_not_hide_another_one() {
    let folder = module("daily_job");
    folder.replace(
        "lib/puppet/type/daily_job.rb",
        "    hour: {\n",
        "    note: { type: 'Optional[String]', desc: 'A note.' },\n    hour: {\n",
    );
    let provider = "lib/puppet/provider/daily_job/daily_job.rb";
    folder.replace(provider, "%i[command hour", "%i[command note hour");
    let example = "command = \"/usr/local/bin/backup --all\"";
    folder.replace(
        "stickler.toml",
        example,
        &format!("{example}, note = \"nightly\""),
    );
    folder.replace(
        provider,
        "    new = old.merge(",
        "    raise ArgumentError, 'no percent sign' if should[:note]&.include?('%')\n    \
         should = should.merge(command: should[:command].delete('%')) if should[:command]\n    \
         new = old.merge(",
    );
    let check = ["check", "--select", "RA803,RA802", "-k", "texts or canary"];
    folder
        .run(&check)
        .exits(1)
        .says("RA803")
        .says("\"command\" with percent");
}

/// A provider that lists nothing unless it is asked by name is judged by what it says of names.
#[test]
fn an_empty_list_does_not_hide_defects_shown_by_name_lookups() {
    let folder = module("registry_entry");
    let provider = "lib/puppet/provider/registry_entry/registry_entry.rb";
    folder.replace(
        provider,
        "names = all if names.nil?",
        "return [] if names.nil?",
    );
    folder.replace(
        provider,
        "JSON.generate('value' => value)",
        "JSON.generate('value' => value).delete('%')",
    );
    let check = ["check", "--format", "json", "--sessions", "100"];
    let output = folder.run(&[&check[..], &["--select", "RA207,RA501,RA803"]].concat());
    let failed = with_verdict(&output, &["fail", "flaky"]);
    assert_eq!(failed, ["RA207", "RA803"].map(str::to_owned).into());
}

#[test]
fn a_quick_check_tries_no_other_values() {
    let folder = module("daily_job");
    folder.replace(
        "lib/puppet/provider/daily_job/daily_job.rb",
        "    write(name, {}, should)\n",
        "    write(name, {}, should.merge(command: should[:command]&.strip))\n",
    );
    let output = folder.run(&["check", "--quick", "--format", "json", "--select", "RA803"]);
    let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
    assert_eq!(failed, BTreeSet::new());
}
