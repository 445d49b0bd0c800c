//! `stickler fuzz` on Puppet modules: what a campaign makes up, and what it may find.

use super::module;

const FUZZ: &[&str] = &["fuzz", "--seed", "1", "--coverage", "off", "--jobs", "1"];

/// A job needs a command, unless it is to go. Without its `ensure`, it would need one.
#[test]
fn what_runtimes_refuse_is_not_sent() {
    let folder = module("daily_job");
    for (file, from, to) in [
        (
            "lib/puppet/type/daily_job.rb",
            "'Optional[String[1]]',\n      desc: 'What is run.'",
            "'String[1]',\n      desc: 'What is run.'",
        ),
        (
            "lib/puppet/provider/daily_job/daily_job.rb",
            "ensure: 'present' }",
            "ensure: 'present', command: nil }",
        ),
        (
            "stickler.toml",
            "enabled = false",
            "command = \"true\", enabled = false",
        ),
        ("stickler.toml", "'{}'", "'{\\\"command\\\": \\\"true\\\"}'"),
    ] {
        folder.replace(file, from, to);
    }
    let made = r#"{"steps": [{"do": "ask", "verb": "evaluate", "example": "a job that goes",
        "kind": "daily_job", "identity": [["title", "restore"]], "attributes": [["owner", "root"]]}]}"#;
    folder.write("mine/made.json", made);
    let corpus = ["--for", "6s", "--corpus", "mine"];
    let output = folder.run(&[FUZZ, &corpus].concat());
    output.exits(0).says("nothing failed");
}
