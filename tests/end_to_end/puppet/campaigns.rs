//! `stickler fuzz` on Puppet modules: what a campaign makes up, and what it may find.

use super::module;
use crate::cli::json_lines;

const FUZZ: &[&str] = &["fuzz", "--seed", "1", "--coverage", "off", "--jobs", "1"];

/// A job needs a command, unless it is to go. Without its `ensure`, it would need one.
#[test]
fn a_campaign_sends_no_resource_that_runtimes_refuse() {
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
    let corpus = ["--cases", "40", "--corpus", "mine"];
    let output = folder.run(&[FUZZ, &corpus].concat());
    output.exits(0).says("nothing failed");
}

/// What no runtime sends is graded lower. Its file shows it all the same.
#[test]
fn a_replay_shows_advice() {
    let folder = module("daily_job");
    folder.replace(
        "lib/puppet/provider/daily_job/daily_job.rb",
        "    new = old.merge(should.slice(*ATTRIBUTES)).compact\n",
        "    new = old.merge(should.slice(*ATTRIBUTES)).compact\n    new[:command] = new[:command].delete(\"\\0\") if new[:command]\n",
    );
    let made = r#"{"steps": [{"do": "ask", "verb": "evaluate", "example": "a new job",
        "kind": "daily_job", "identity": [["title", "restore"]],
        "attributes": [["command", "a\u0000b"]]}]}"#;
    folder.write("mine/made.json", made);
    let corpus = ["--replay-only", "--corpus", "mine", "--folder", "here"];
    folder.run(&[FUZZ, &corpus].concat()).exits(0);
    let findings = folder.list("here/findings");
    let about = findings.iter().find(|name| name.contains("RA501"));
    let file = format!("here/findings/{}", about.expect("a finding"));
    let again = folder.run(&["replay", &file]);
    again
        .exits(0)
        .says("still advice  RA501")
        .says("ADVICE RA501");
}

/// A type without features has nothing to canonicalize, and a module without transports nothing to connect to.
#[test]
fn an_operation_that_no_session_can_request_is_not_reported_unreached() {
    let folder = module("daily_job");
    let output = folder.run(&[FUZZ, &["--cases", "40", "--format", "json"]].concat());
    let lines = json_lines(output.exits(0));
    let summary = lines.last().expect("a summary");
    let unreached = summary["unreached"].as_array().expect("a list");
    let asked = |one: &&serde_json::Value| one["what"] == "operation";
    assert_eq!(unreached.iter().find(asked), None);
}
