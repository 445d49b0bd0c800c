//! Compares two runs.

use crate::content;
use crate::seen::{Seen, Sent};
use serde::Serialize;
use similar::{Algorithm, DiffOp, TextDiff};
use std::collections::BTreeSet;
use std::fmt;

/// An aspect of a run that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// How the run ended.
    Exit,
    /// The requests to modules.
    Requests,
    /// Reports and log lines.
    Output,
    /// The classes at the end.
    Classes,
    /// Stderr.
    Errors,
    /// Changes to files.
    Effects,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exit => "exit",
            Self::Requests => "requests",
            Self::Output => "output",
            Self::Classes => "classes",
            Self::Errors => "standard error",
            Self::Effects => "effects",
        })
    }
}

/// A difference between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The aspect that differs.
    pub aspect: Aspect,
    /// The part of the aspect: `reports`, `outcomes`, `log: error`, `order`; or the module.
    pub parts: Vec<String>,
    /// A unified diff: `-` is the real agent, `+` is the reference agent.
    pub diff: String,
    /// The number of the first line that differs: the real agent's, and the reference agent's.
    pub first: (usize, usize),
    /// For requests: the texts of the first two messages that differ.
    #[serde(skip)]
    pub messages: (String, String),
}

/// The number of context lines around a change.
const AROUND: usize = 3;

/// All differences between two runs; `theirs` is the real agent's.
pub fn compare(theirs: &Seen, ours: &Seen) -> Vec<Difference> {
    if theirs.rejected && ours.rejected {
        return Vec::new();
    }
    let one = |text: &str| vec![text.to_owned()];
    let mut found = Vec::new();
    if theirs.rejected != ours.rejected {
        let word = |seen: &Seen| match seen.rejected {
            true => format!("{}, the policy is rejected", seen.exit),
            false => seen.exit.clone(),
        };
        found.extend(difference(
            Aspect::Exit,
            &one(&word(theirs)),
            &one(&word(ours)),
        ));
        return found;
    }
    found.extend(exit(theirs, ours));
    if let (Some(theirs), Some(ours)) = (&theirs.requests, &ours.requests) {
        found.extend(requests(theirs, ours));
    }
    if let Some(mut output) = difference(Aspect::Output, &theirs.output, &ours.output) {
        output.parts = parts(&theirs.output, &ours.output);
        found.push(output);
    }
    found.extend(difference(Aspect::Classes, &theirs.classes, &ours.classes));
    found.extend(difference(Aspect::Errors, &theirs.errors, &ours.errors));
    if let Some(mut effects) = difference(Aspect::Effects, &theirs.effects, &ours.effects) {
        let diff = content::differences(&theirs.effects, &ours.effects);
        // If only the order differs, no effect is on one side alone.
        if !diff.is_empty() {
            effects.diff = diff;
        }
        found.push(effects);
    }
    found
}

/// Two runs that were killed never count as equal: their further behaviour is unknown.
fn exit(theirs: &Seen, ours: &Seen) -> Option<Difference> {
    if theirs.hung || ours.hung {
        return Some(Difference {
            aspect: Aspect::Exit,
            parts: vec!["a run that does not end".into()],
            diff: format!("- {}\n+ {}\n", theirs.exit, ours.exit),
            first: (0, 0),
            messages: Default::default(),
        });
    }
    let one = |text: &String| vec![text.clone()];
    difference(Aspect::Exit, &one(&theirs.exit), &one(&ours.exit))
}

fn difference(aspect: Aspect, theirs: &[String], ours: &[String]) -> Option<Difference> {
    if theirs == ours {
        return None;
    }
    let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
    let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .diff_slices(&theirs, &ours);
    let first = diff.ops().iter().find_map(|op| match op {
        DiffOp::Equal { .. } => None,
        other => Some((other.old_range().start, other.new_range().start)),
    });
    let mut text = String::new();
    for (index, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if index > 0 {
            text.push_str("  ⋮\n");
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            text.push_str(&format!("{} {}\n", change.tag(), change.value()));
        }
    }
    Some(Difference {
        aspect,
        parts: Vec::new(),
        diff: text,
        first: first.unwrap_or_default(),
        messages: Default::default(),
    })
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
        if let Some(mut difference) = difference(Aspect::Requests, &before, &after) {
            let known = [theirs, ours]
                .into_iter()
                .find(|sent| !sent.module.is_empty());
            let module = known.map_or("", |sent| &*sent.module);
            difference.parts = vec![format!("process {}: {module}", number + 1)];
            difference.messages = (
                message(&before, difference.first.0),
                message(&after, difference.first.1),
            );
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
        assert_eq!(found[0].messages, ("a".into(), "b".into()));
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
        assert!(compare(&rejected("exit code 6"), &rejected("exit code 2")).is_empty());
        let taken = Seen {
            exit: "exit code 0".into(),
            ..Seen::default()
        };
        let found = compare(&taken, &rejected("exit code 2"));
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .diff
                .contains("+ exit code 2, the policy is rejected")
        );
    }
}
