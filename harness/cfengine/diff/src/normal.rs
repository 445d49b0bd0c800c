//! Removes what varies from run to run or between machines and says nothing about an agent. No
//! other module leaves anything out:
//!
//! - the scratch space, which contains the work directory, is written as `{scratch}`, and the
//!   directory in which the agent is called as `{cwd}`;
//! - of verbose output, everything before the bundles run (the agent discovers its host), and the
//!   messages about the agent's own housekeeping;
//! - tags and comments of classes, and hard classes: they depend on the machine;
//! - changes in the agent's work directory except in `inputs`, `modules` and `tmp`, and changes in
//!   the records;
//! - if cf-agent rejects a policy, it runs its failsafe policy: only the rejection is compared;
//! - the numbers of killed processes, of devices and of inodes, and the times in the names of
//!   backups;
//! - in a simulation, the process id in the names of its copies, the times of changes to files, and
//!   the sizes of links to copies.
//!
//! In these modes, neither agent prints other process ids or times.

use crate::paths::Paths;
use crate::room::Raw;
use crate::seen::{Seen, Sent};
use std::path::Path;
use stickler_oracle::End;
use stickler_transcript::{Bytes, Change};

/// Verbose output contains this text where the bundles start to run.
const EVALUATION: &str = " verbose:  Begin policy/promise evaluation";
/// The start of a verbose line, after the policy's own prefix.
const VERBOSE: &str = " verbose: ";
/// Messages about housekeeping.
const HOUSEKEEPING: [&str; 5] = [
    "verbose: Waiting for background processes",
    "verbose: No more background processes to wait for",
    "verbose: Looking for stale locks to purge",
    "verbose: Logging total compliance",
    "verbose: Outcome of version",
];
/// The text before the number of a killed process, of a device, or of an inode.
const NUMBERED: [&str; 4] = [
    "verbose: Time out of process ",
    "verbose: Child PID ",
    "verbose: Device change from ",
    "notice: inode for ",
];
/// The text before times and sizes in a simulation's report.
const CHANGING: [&str; 4] = ["Access: ", "Modify: ", "Change: ", "Size: "];
/// The time in the name of a backup: `d` is a digit, `a` a letter, `p` a digit or an underscore.
const STAMP: &[u8] = b"_dddddddddd_aaa_aaa_pd_dd_dd_dd_dddd";
/// The first words of the table of classes.
const TABLE: &str = "Class name  ";
/// cf-agent's message about a policy that it rejects.
const FAILSAFE: &str = "CFEngine was not able to get confirmation of promises from cf-promises";
/// The reference agent's message on stderr about such a policy.
pub const REJECTED: &str = "the policy is rejected; cf-agent would run its failsafe policy";
/// The reference agent's message about a policy that it refuses.
pub const REFUSED: &str = "nothing more is run; --skip-unsupported runs the rest";
/// The directories in the work directory that belong to policies.
const SHARED: [&str; 3] = ["inputs", "modules", "tmp"];

/// A text without what varies.
fn clean(text: &str, paths: Paths<'_>) -> String {
    paths.named(&without_stamps(&copies(text)))
}

/// The comparable part of a run.
pub(crate) fn seen(raw: &Raw, paths: Paths<'_>) -> Seen {
    let output = clean(&lossy(&raw.stdout), paths);
    let errors = clean(&lossy(&raw.stderr), paths);
    let rejected = output.contains(FAILSAFE) || errors.contains(REJECTED);
    let (output, classes) = without_classes(&output);
    let requests = raw.requests.as_ref().map(|sent| {
        let clean = |sent: &Sent| Sent {
            module: clean(&sent.module, paths),
            bytes: clean_bytes(&sent.bytes, paths),
        };
        sent.iter().map(clean).collect()
    });
    Seen {
        exit: raw.end.to_string(),
        hung: matches!(raw.end, End::Hung { .. }),
        rejected,
        refused: errors.contains(REFUSED),
        output: from_evaluation(&output),
        errors: errors.lines().map(str::to_owned).collect(),
        classes,
        requests,
        effects: effects(&raw.effects, paths),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn clean_bytes(bytes: &Bytes, paths: Paths<'_>) -> Bytes {
    match std::str::from_utf8(bytes) {
        Ok(text) => clean(text, paths).into(),
        // Paths in text that is not UTF-8 are kept.
        Err(_) => bytes.clone(),
    }
}

/// The prefix that a policy sets for each line.
fn prefix(output: &str) -> &str {
    let evaluation = output.lines().find_map(|line| line.split_once(EVALUATION));
    evaluation.map_or("", |(prefix, _)| prefix)
}

/// The output without the table of classes, and the soft classes in the table.
fn without_classes(output: &str) -> (String, Vec<String>) {
    let (mut text, mut classes) = (String::new(), Vec::new());
    let mut within = false;
    let own = format!("{} ", prefix(output));
    for line in output.lines() {
        if line.starts_with(TABLE) {
            within = true;
        } else if !within || line.starts_with(&own) {
            text.push_str(line);
            text.push('\n');
        } else if !line.contains("hardclass") {
            classes.extend(line.split_whitespace().next().map(str::to_owned));
        }
    }
    (text, classes)
}

fn is_verbose(line: &str) -> bool {
    let prefix = line.split_once(VERBOSE);
    prefix.is_some_and(|(prefix, _)| !prefix.trim_end().contains(char::is_whitespace))
}

fn from_evaluation(output: &str) -> Vec<String> {
    let start = output.find(EVALUATION);
    let lines = output[start.unwrap_or(0)..].lines();
    // A policy may lower the log level as soon as it is parsed.
    let early = |line: &str| start.is_none() && is_verbose(line);
    let own = |line: &&str| !HOUSEKEEPING.iter().any(|own| line.contains(own));
    lines
        .filter(|line| !early(line))
        .filter(own)
        .map(without_number)
        .collect()
}

/// Replaces the names of a simulation's copies, which contain a process id.
fn copies(text: &str) -> String {
    let mut parts = text.split("state");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mark = part.get(..1).filter(|mark| matches!(*mark, "/" | "_"));
        let number = mark.and(part.get(1..)).unwrap_or_default();
        let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
        let of_copies = [".changes", "_changes"];
        let named =
            behind.len() < number.len() && of_copies.iter().any(|end| behind.starts_with(end));
        out.push_str("state");
        match (mark, named) {
            (Some(mark), true) => out.extend([mark, "{number}", behind]),
            _ => out.push_str(part),
        }
    }
    out
}

/// Removes the number from a line about a killed process or a device, or from a simulation's report
/// about a file.
fn without_number(line: &str) -> String {
    for words in CHANGING {
        let number = line.strip_prefix(words);
        if number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit())) {
            return format!("{words}{{number}}");
        }
    }
    for words in NUMBERED {
        if let Some((before, behind)) = line.split_once(words) {
            return format!("{before}{words}{}", without_digits(behind));
        }
    }
    line.to_owned()
}

fn without_digits(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut within = false;
    for c in text.chars() {
        match (c.is_ascii_digit(), within) {
            (true, false) => out.push_str("{number}"),
            (true, true) => {}
            (false, _) => out.push(c),
        }
        within = c.is_ascii_digit();
    }
    out
}

/// Removes the times from the names of backups.
fn without_stamps(text: &str) -> String {
    let fits = |byte: &u8, kind: &u8| match kind {
        b'd' => byte.is_ascii_digit(),
        b'a' => byte.is_ascii_alphabetic(),
        b'p' => byte.is_ascii_digit() || *byte == b'_',
        other => byte == other,
    };
    let stamped = |rest: &str| {
        let found = rest.as_bytes().get(..STAMP.len());
        found.is_some_and(|found| found.iter().zip(STAMP).all(|(byte, kind)| fits(byte, kind)))
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('_') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if stamped(rest) {
            out.push_str("_{time}");
            STAMP.len()
        } else {
            out.push('_');
            1
        };
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// The index among all lines of a line of the compared output.
pub(crate) fn position(all: &[String], compared: usize) -> usize {
    let start = all.iter().position(|line| line.contains(EVALUATION));
    let early = |line: &str| start.is_none() && is_verbose(line);
    let own = |line: &str| early(line) || HOUSEKEEPING.iter().any(|own| line.contains(own));
    let start = start.unwrap_or(0);
    let mut counted = (start..all.len()).filter(|number| !own(&all[*number]));
    counted.nth(compared).unwrap_or(all.len())
}

fn effects(changes: &[Change], paths: Paths<'_>) -> Vec<String> {
    let own = [paths.scratch.join("records"), paths.scratch.join("real")];
    let work = paths.scratch.join("work");
    let counts = |change: &&Change| {
        let path = change.path.lossy().into_owned();
        let path = Path::new(&path);
        let shared = SHARED
            .iter()
            .any(|folder| path.starts_with(work.join(folder)));
        !own.iter().any(|own| path.starts_with(own)) && (shared || !path.starts_with(&work))
    };
    let describe = |change: &Change| clean(&change.to_string(), paths);
    changes.iter().filter(counts).map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_classes_and_housekeeping_are_left_out() {
        let output = " verbose: host\n verbose:  Begin policy/promise evaluation \nR: x\n\
            Class name                 Meta tags     Comment\n\
            mine                                             \n\
            linux                      source=agent,hardclass\n verbose: Logging total compliance, total\n";
        let (text, classes) = without_classes(output);
        assert_eq!(classes, ["mine"]);
        let lines = from_evaluation(&text);
        assert_eq!(
            lines,
            [" verbose:  Begin policy/promise evaluation ", "R: x"]
        );
    }

    #[test]
    fn where_bundles_run_quietly_nothing_before_them_counts() {
        let lines = from_evaluation(" verbose: host\n    info: x\nR: y\n");
        assert_eq!(lines, ["    info: x", "R: y"]);
        let lines = from_evaluation("my:  verbose: host\nR: a verbose: b\n");
        assert_eq!(lines, ["R: a verbose: b"]);
        let all = [" verbose: host", "    info: x", "R: y"].map(String::from);
        assert_eq!(position(&all, 1), 2);
    }

    #[test]
    fn a_prefixed_verbose_line_is_not_read_as_a_class() {
        let output = "my: verbose:  Begin policy/promise evaluation \nR: x\n\
            Class name                 Meta tags     Comment\n\
            mine                                             \nmy:  verbose: Logging\n";
        let (text, classes) = without_classes(output);
        assert_eq!(classes, ["mine"]);
        assert!(text.ends_with("my:  verbose: Logging\n"));
    }

    #[test]
    fn numbers_of_devices_and_times_of_backups_are_left_out() {
        let line = " verbose: Device change from 42 to 48";
        let shown = " verbose: Device change from {number} to {number}";
        assert_eq!(without_number(line), shown);
        let name = "a_b_1795307171_Sun_Nov_22_00_26_12_2026.cfsaved";
        assert_eq!(without_stamps(name), "a_b_{time}.cfsaved");
        assert_eq!(without_stamps("_1_é_"), "_1_é_");
    }

    #[test]
    fn copies_of_simulations_are_named_the_same() {
        let copies = copies("/w/state/12.changes/a _w_state_12_changes_a state_1 state/2 state");
        let named = "/w/state/{number}.changes/a _w_state_{number}_changes_a state_1 state/2 state";
        assert_eq!(copies, named);
        assert_eq!(without_number("Size: 12"), "Size: {number}");
        assert_eq!(
            without_number("Access: (0600/rw-------)"),
            "Access: (0600/rw-------)"
        );
    }
}
