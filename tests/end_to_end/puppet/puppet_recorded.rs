//! The reference runtime against what releases of Puppet and of puppet-resource_api were seen to do:
//! `stickler conform` plays the recorded situations with `stickler apply`. `ci/record puppet` makes such a recording.

use crate::calls::is_nightly;
use crate::cli::{Folder, json_lines};
use crate::common::STICKLER;
use puppet_conform::{Line, Situations};
use std::collections::BTreeSet;
use stickler_conform::Situations as _;

/// The recorded releases, and the names of the runtimes that behave like them.
const RELEASES: [(&str, &str); 3] = [
    ("7.23.0+1.8.16", "7.23+1.8.16"),
    ("8.28.1+1.9.2", "8+1.9"),
    ("8.28.1+2.0.1", "8+2.0"),
];

/// Why the runtime does something else, and in which situations. Others say themselves why they are left out.
const KNOWN: [(&str, &[&str]); 1] = [("methods that a type defines", &["meta/refresh-method"])];

/// Each situation needs a Ruby: a push plays some, others for each release, a nightly run all.
const STEP: usize = 18;

#[test]
fn the_reference_runtime_reproduces_the_recorded_runs_of_puppet() {
    let all = Situations::stored().expect("the situations");
    let mut wrong = Vec::new();
    for (at, (version, runtime)) in RELEASES.iter().enumerate() {
        let some = all.iter().skip(at * STEP / RELEASES.len()).step_by(STEP);
        let some = some.filter(|line| line.situation.left_out.is_none());
        let words: Vec<String> = some
            .map(|line| format!("\"{}\"", line.situation.name))
            .collect();
        let words = words.join(" or ");
        let mut arguments = vec!["conform", "--dialect", "resource-api", "--format", "json"];
        arguments.extend(["--jobs", "6", "--time", "none"]);
        if !is_nightly() {
            arguments.extend(["-k", &words]);
        }
        arguments.extend(["--", STICKLER, "apply", "--runtime", runtime]);
        let output = Folder::empty().run_anew(&arguments);
        let played: Vec<(&Line, &str, String)> = json_lines(&output)
            .iter()
            .filter_map(|told| {
                let line = all
                    .iter()
                    .find(|line| told["rule"] == *line.situation.name)?;
                let verdict = match told["verdict"].as_str()? {
                    "fail" => "fail",
                    "pass" => "pass",
                    _ => "other",
                };
                Some((line, verdict, told.to_string()))
            })
            .collect();
        assert!(played.len() > 20, "{}\n{}", output.stdout, output.stderr);
        let known: BTreeSet<&str> = KNOWN
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        for (line, verdict, told) in played {
            let name = &line.situation.name;
            let is_left_out = line.situation.left_out.is_some();
            match (verdict, known.contains(&**name)) {
                ("pass", true) => wrong.push(format!("{version} {name} agrees now")),
                ("pass", false) | ("fail", true) => {}
                // Of these, some releases do the same by chance.
                _ if is_left_out => {}
                _ => wrong.push(format!("{version} {name}\n    {told:.2000}")),
            }
            // The comparison is with this release, and no other.
            let other = RELEASES.iter().filter(|(other, _)| other != version);
            for (other, _) in other {
                assert!(!told.contains(&format!("as {other} does")), "{told}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}
