//! What differs from run to run, or from machine to machine, and says nothing
//! about an agent. This is the one place that leaves something out:
//!
//! - the scratch space, in which the work directory lies, is written `{scratch}`,
//!   the directory from which the agent is called `{cwd}`;
//! - of verbose output, what comes before bundles are run (the agent finds out
//!   about its host) and remarks on the agent's own housekeeping;
//! - tags and comments of classes, and hard classes: they are the machine's;
//! - changes in the agent's work directory but for `inputs`, `modules` and `tmp`,
//!   and in the records;
//! - where cf-agent rejects a policy it runs its failsafe policy: of such a run
//!   only the rejection counts;
//! - the numbers of processes that are killed.
//!
//! Other process ids and times are printed by neither agent in these modes.

use crate::room::Raw;
use crate::seen::{Seen, Sent};
use std::path::Path;
use stickler_transcript::{Bytes, Change, Entry};

/// What verbose output holds from where bundles are run.
const EVALUATION: &str = " verbose:  Begin policy/promise evaluation";
/// What a line of verbose output starts with.
const VERBOSE: &str = " verbose: ";
/// Remarks on housekeeping.
const HOUSEKEEPING: [&str; 5] = [
    "verbose: Waiting for background processes",
    "verbose: No more background processes to wait for",
    "verbose: Looking for stale locks to purge",
    "verbose: Logging total compliance",
    "verbose: Outcome of version",
];
/// What stands before the number of a process that is killed.
const KILLED: [&str; 2] = ["verbose: Time out of process ", "verbose: Child PID "];
/// The first words of the table of classes.
const TABLE: &str = "Class name  ";
/// cf-agent on a policy that it rejects.
const FAILSAFE: &str = "CFEngine was not able to get confirmation of promises from cf-promises";
/// What the reference agent says on standard error then.
pub const REJECTED: &str = "the policy is rejected; cf-agent would run its failsafe policy";
/// What the reference agent says of a policy that it does not run.
pub const REFUSED: &str = "nothing was run; --skip-unsupported runs the rest";
/// The work directory's folders that belong to policies.
const SHARED: [&str; 3] = ["inputs", "modules", "tmp"];

/// Paths that are written by name.
#[derive(Clone, Copy, Debug)]
pub struct Paths<'a> {
    /// The room's scratch space.
    pub scratch: &'a Path,
    /// Where the agent was called.
    pub cwd: &'a Path,
}

impl Paths<'_> {
    fn clean(&self, text: &str) -> String {
        let text = text.replace(&*self.scratch.to_string_lossy(), "{scratch}");
        match self.cwd.to_string_lossy() {
            cwd if cwd == "/" => text,
            cwd => text.replace(&*cwd, "{cwd}"),
        }
    }
}

/// What can be compared of a run.
pub fn seen(raw: &Raw, paths: Paths<'_>) -> Seen {
    let output = paths.clean(&lossy(&raw.stdout));
    let errors = paths.clean(&lossy(&raw.stderr));
    let rejected = output.contains(FAILSAFE) || errors.contains(REJECTED);
    let (output, classes) = without_classes(&output);
    let requests = raw.requests.as_ref().map(|sent| {
        let clean = |sent: &Sent| Sent {
            module: paths.clean(&sent.module),
            bytes: clean_bytes(&sent.bytes, paths),
        };
        sent.iter().map(clean).collect()
    });
    Seen {
        exit: raw.exit.clone(),
        hung: raw.hung,
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
        Ok(text) => paths.clean(text).into(),
        // Paths stay where they stand: bytes are not guessed at.
        Err(_) => bytes.clone(),
    }
}

/// The output before and behind the table of classes, and the soft ones in it.
fn without_classes(output: &str) -> (String, Vec<String>) {
    let (mut text, mut classes) = (String::new(), Vec::new());
    let mut within = false;
    for line in output.lines() {
        if line.starts_with(TABLE) {
            within = true;
        } else if !within || line.starts_with(' ') {
            text.push_str(line);
            text.push('\n');
        } else if !line.contains("hardclass") {
            classes.extend(line.split_whitespace().next().map(str::to_owned));
        }
    }
    (text, classes)
}

fn from_evaluation(output: &str) -> Vec<String> {
    let start = output.find(EVALUATION);
    let lines = output[start.unwrap_or(0)..].lines();
    // A policy may ask for less as soon as it is read.
    let early = |line: &str| start.is_none() && line.starts_with(VERBOSE);
    let own = |line: &&str| !HOUSEKEEPING.iter().any(|own| line.contains(own));
    lines
        .filter(|line| !early(line))
        .filter(own)
        .map(without_number)
        .collect()
}

/// A line about a process that is killed, whatever its number.
fn without_number(line: &str) -> String {
    for words in KILLED {
        if let Some((before, behind)) = line.split_once(words) {
            let behind = behind.trim_start_matches(|c: char| c.is_ascii_digit());
            return format!("{before}{words}{{pid}}{behind}");
        }
    }
    line.to_owned()
}

/// The number that a line of the compared output has among all lines.
pub(crate) fn position(all: &[String], compared: usize) -> usize {
    let start = all.iter().position(|line| line.contains(EVALUATION));
    let early = |line: &str| start.is_none() && line.starts_with(VERBOSE);
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
    let describe = |change: &Change| {
        let kind = format!("{:?}", change.kind).to_lowercase();
        let after = change.after.as_ref().map(entry).unwrap_or_default();
        paths.clean(&format!("{kind} {}{after}", change.path.lossy()))
    };
    changes.iter().filter(counts).map(describe).collect()
}

fn entry(entry: &Entry) -> String {
    let kind = format!("{:?}", entry.kind).to_lowercase();
    let mut text = format!(" ({kind}, {:04o}, {}:{}", entry.mode, entry.uid, entry.gid);
    match (&entry.content, &entry.digest) {
        (Some(content), _) => text.push_str(&format!(", \"{}\")", content.escape_ascii())),
        (None, Some(digest)) => text.push_str(&format!(", blake3 {digest})")),
        (None, None) => text.push(')'),
    }
    text
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
        let all = [" verbose: host", "    info: x", "R: y"].map(String::from);
        assert_eq!(position(&all, 1), 2);
    }

    #[test]
    fn paths_are_written_by_name() {
        let paths = Paths {
            scratch: Path::new("/tmp/stickler"),
            cwd: Path::new("/home/u/p"),
        };
        let text = "/tmp/stickler/work/x /home/u/p/p.cf";
        assert_eq!(paths.clean(text), "{scratch}/work/x {cwd}/p.cf");
    }
}
