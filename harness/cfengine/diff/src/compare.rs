//! Compares two runs.

use crate::place;
use crate::seen::{Seen, Sent};
use std::collections::BTreeSet;
use stickler_oracle::{Comparison, Difference, changed_paths};

/// How the run ended.
const EXIT: &str = "exit";
/// The requests to modules.
const REQUESTS: &str = "requests";
/// Reports and log lines.
pub(crate) const OUTPUT: &str = "output";
/// The classes at the end.
const CLASSES: &str = "classes";
/// Stderr.
const ERRORS: &str = "errors";
/// Changes to files.
const EFFECTS: &str = "effects";

/// Compares two runs; `theirs` is the real agent's.
pub fn compare(theirs: &Seen, ours: &Seen) -> Comparison {
    let both = theirs.rejected && ours.rejected;
    let recorded = theirs.requests.is_some() && ours.requests.is_some();
    Comparison {
        differences: differences(theirs, ours),
        exit: theirs.exit.clone(),
        rejected: both.then(|| "the policy is invalid".to_owned()),
        not_compared: match recorded {
            true => Vec::new(),
            false => vec![REQUESTS],
        },
    }
}

fn differences(theirs: &Seen, ours: &Seen) -> Vec<Difference> {
    if theirs.rejected && ours.rejected {
        return Vec::new();
    }
    if theirs.rejected != ours.rejected {
        let word = |seen: &Seen| match seen.rejected {
            true => format!("{}, the policy is rejected", seen.exit),
            false => seen.exit.clone(),
        };
        let found = Difference::of_texts(EXIT, Some(&word(theirs)), Some(&word(ours)));
        return found.into_iter().collect();
    }
    let mut found = Vec::new();
    found.extend(exit(theirs, ours));
    if let (Some(theirs), Some(ours)) = (&theirs.requests, &ours.requests) {
        found.extend(requests(theirs, ours));
    }
    if let Some(output) = Difference::of_lines(OUTPUT, &theirs.output, &ours.output) {
        found.push(output.in_parts(parts(&theirs.output, &ours.output)));
    }
    found.extend(Difference::of_lines(
        CLASSES,
        &theirs.classes,
        &ours.classes,
    ));
    found.extend(Difference::of_lines(ERRORS, &theirs.errors, &ours.errors));
    if let Some(mut effects) = Difference::of_lines(EFFECTS, &theirs.effects, &ours.effects) {
        let paths = changed_paths(&theirs.effects, &ours.effects);
        // If only the order differs, no path does.
        if !paths.is_empty() {
            effects.diff = paths.into_iter().map(|path| path.diff).collect();
        }
        found.push(effects);
    }
    found
}

/// Two runs that were killed never count as equal: their further behaviour is unknown.
fn exit(theirs: &Seen, ours: &Seen) -> Option<Difference> {
    if theirs.hung || ours.hung {
        return Some(Difference {
            aspect: EXIT,
            parts: vec!["a run that does not end".into()],
            diff: format!("- {}\n+ {}\n", theirs.exit, ours.exit),
            ..Difference::default()
        });
    }
    Difference::of_texts(EXIT, Some(&theirs.exit), Some(&ours.exit))
}

/// The part of the output that a line belongs to.
fn part(line: &str) -> String {
    const LEVELS: [&str; 7] = [
        "CRITICAL", "error", "warning", "notice", "info", "verbose", "debug",
    ];
    if line.starts_with("R: ") {
        return "reports".into();
    }
    let level = line.split_once(": ").map_or("", |(level, _)| level);
    match level.split_whitespace().next_back() {
        Some("verbose") if line.contains(": A: Promise") => "outcomes".into(),
        Some(level) if LEVELS.contains(&level) => format!("log: {level}"),
        _ => "other lines".into(),
    }
}

/// The parts that differ; if none does, the order does.
fn parts(theirs: &[String], ours: &[String]) -> Vec<String> {
    let kinds: BTreeSet<String> = theirs.iter().chain(ours).map(|line| part(line)).collect();
    let of = |lines: &[String], kind: &str| -> Vec<String> {
        let lines = lines.iter().filter(|line| part(line) == kind);
        lines.cloned().collect()
    };
    let differ: Vec<String> = kinds
        .into_iter()
        .filter(|kind| of(theirs, kind) != of(ours, kind))
        .collect();
    match differ.is_empty() {
        true => vec!["order".into()],
        false => differ,
    }
}

/// Compares requests by process, in the order in which the modules started.
fn requests(theirs: &[Sent], ours: &[Sent]) -> Vec<Difference> {
    let nothing = Sent {
        module: String::new(),
        bytes: Vec::new().into(),
    };
    let count = theirs.len().max(ours.len());
    let mut found = Vec::new();
    for number in 0..count {
        let theirs = theirs.get(number).unwrap_or(&nothing);
        let ours = ours.get(number).unwrap_or(&nothing);
        let (before, after) = (sent_lines(theirs), sent_lines(ours));
        if let Some(mut difference) = Difference::of_lines(REQUESTS, &before, &after) {
            let known = [theirs, ours]
                .into_iter()
                .find(|sent| !sent.module.is_empty());
            let module = known.map_or("", |sent| &*sent.module);
            difference.parts = vec![format!("process {}: {module}", number + 1)];
            let their_place = place::of_request(&message(&before, difference.first.0));
            let own_place = || place::of_request(&message(&after, difference.first.1));
            difference.place = their_place.or_else(own_place);
            found.push(difference);
        }
    }
    found
}

/// The lines of a request; bytes that are no UTF-8 are escaped.
fn sent_lines(sent: &Sent) -> Vec<String> {
    let mut lines: Vec<String> = sent
        .bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| match line.strip_suffix(b"\n") {
            Some(line) => shown(line),
            None => shown(line) + " (no end of line)",
        })
        .collect();
    if !sent.module.is_empty() {
        lines.insert(0, format!("module {}", sent.module));
    }
    lines
}

fn shown(line: &[u8]) -> String {
    let mut text = String::new();
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        let escaped = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        text.extend(escaped);
    }
    text
}

/// The message that contains a line.
fn message(lines: &[String], at: usize) -> String {
    let at = at.min(lines.len());
    let start = lines[..at]
        .iter()
        .rposition(String::is_empty)
        .map_or(0, |n| n + 1);
    let end = lines[at..]
        .iter()
        .position(String::is_empty)
        .map_or(lines.len(), |n| at + n);
    lines[start..end].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_parts_of_an_output_that_differ_are_named() {
        let theirs = lines("R: a\n   error: x\n verbose: A: Promise was KEPT");
        let ours = lines("R: b\n   error: x\n verbose: A: Promise NOT KEPT!");
        assert_eq!(parts(&theirs, &ours), ["outcomes", "reports"]);
        let swapped = lines("   error: x\nR: a\n verbose: A: Promise was KEPT");
        assert_eq!(parts(&theirs, &swapped), ["order"]);
    }

    #[test]
    fn requests_are_compared_by_process_and_byte() {
        let sent = |bytes: &str| Sent {
            module: "m".into(),
            bytes: bytes.into(),
        };
        assert!(requests(&[sent("a\n\n")], &[sent("a\n\n")]).is_empty());
        let found = requests(&[sent("h\n\na\n\n")], &[sent("h\n\nb\n\n")]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].diff, "  module m\n  h\n  \n- a\n+ b\n  \n");
        assert_eq!(requests(&[sent("a\n\n")], &[]).len(), 1);
        assert_eq!(requests(&[sent("a\n")], &[sent("a")]).len(), 1);
    }

    #[test]
    fn two_rejections_agree_whatever_is_printed() {
        let rejected = |exit: &str| Seen {
            exit: exit.into(),
            rejected: true,
            ..Seen::default()
        };
        let both = compare(&rejected("exit code 6"), &rejected("exit code 2"));
        assert!(both.differences.is_empty() && both.rejected.is_some());
        let taken = Seen {
            exit: "exit code 0".into(),
            ..Seen::default()
        };
        let found = compare(&taken, &rejected("exit code 2")).differences;
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .diff
                .contains("+ exit code 2, the policy is rejected")
        );
    }
}
