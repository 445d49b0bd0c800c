//! The reference agent against the real cf-agent 3.21.0, on generated policies. `ci/soak` does the
//! same with many more, from a new seed.

use crate::cli::{Folder, json_lines};
use crate::recorded::Recording;

/// Fixed, so that a change causes each new failure.
const SEED: &str = "1";
/// How many policies, and how many if all agreed when that was recorded and the sources are the same.
const POLICIES: (u64, u64) = (300, 40);

#[test]
fn both_agents_agree_on_generated_policies() {
    let folder = Folder::empty();
    let recording = Recording::of("generated");
    let policies = if recording.holds() {
        POLICIES.1
    } else {
        POLICIES.0
    };
    let count = policies.to_string();
    let arguments = [
        "diff",
        "--generate",
        &count,
        "--seed",
        SEED,
        "--format",
        "json",
    ];
    let done = folder.run(&arguments);
    done.exits(0);
    let lines = json_lines(&done);
    let summary = lines.last().expect("a summary");
    let number = |name: &str| summary[name].as_u64().unwrap_or(0);
    // Refused or rejected policies show little.
    assert!(number("agree") >= policies * 8 / 10, "{summary}");
    let all = ["agree", "rejected", "known"].map(number);
    let refused = number("unsupported");
    assert_eq!(all.iter().sum::<u64>() + refused, policies, "{summary}");
    recording.write();
}

#[test]
fn the_same_seed_makes_the_same_policies() {
    let folder = Folder::empty();
    let run = || {
        let done = folder.run(&["diff", "--generate", "3", "--seed", "9", "--format", "json"]);
        done.stdout
    };
    assert_eq!(run(), run());
}
