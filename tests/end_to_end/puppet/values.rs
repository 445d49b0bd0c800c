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
