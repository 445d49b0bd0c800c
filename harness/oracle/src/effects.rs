//! Differences of effects: paths, and where the contents of one file differ that both sides wrote.

use similar::{Algorithm, TextDiff};

/// How many lines are shown around a change.
const AROUND: usize = 3;
/// The longest line, in characters.
const LINE: usize = 120;
/// How much of a longer line is shown before the first difference, in characters.
const BEFORE: usize = 40;

/// An effect: what happened to a path, its mode and owner, its content.
struct Effect<'a> {
    head: &'a str,
    entry: &'a str,
    content: Content<'a>,
}

enum Content<'a> {
    /// The escaped text.
    Text(&'a str),
    /// Only a digest is known.
    Digest,
}

impl<'a> Effect<'a> {
    fn of(effect: &'a str) -> Option<Self> {
        let (head, rest) = effect.split_once(" (file, ")?;
        let (entry, content) = match rest.split_once(", \"") {
            Some((entry, text)) => (entry, Content::Text(text.strip_suffix("\")")?)),
            None => (rest.split_once(", blake3 ")?.0, Content::Digest),
        };
        Some(Effect {
            head,
            entry,
            content,
        })
    }
}

/// A path that the sides changed differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPath {
    /// What happened to which path: `created /a`.
    pub head: String,
    /// A unified diff. If both sides wrote a file, it shows the first place where the contents
    /// differ.
    pub diff: String,
}

/// The paths that two lists of effects change differently.
pub fn changed_paths(theirs: &[String], ours: &[String]) -> Vec<ChangedPath> {
    let only = |these: &'_ [String], those: &[String]| -> Vec<String> {
        let these = these.iter().filter(|effect| !those.contains(effect));
        these.cloned().collect()
    };
    let (removed, mut added) = (only(theirs, ours), only(ours, theirs));
    let one = |effect: &str, diff: String| ChangedPath {
        head: effect.split(" (").next().unwrap_or(effect).to_owned(),
        diff,
    };
    let mut found = Vec::new();
    for theirs in &removed {
        let partner = added
            .iter()
            .enumerate()
            .find_map(|(at, ours)| Some((at, of_one_file(theirs, ours)?)));
        found.push(match partner {
            Some((at, shown)) => {
                added.remove(at);
                one(theirs, shown)
            }
            None => one(theirs, format!("- {theirs}\n")),
        });
    }
    found.extend(added.iter().map(|ours| one(ours, format!("+ {ours}\n"))));
    found
}

/// The difference of two effects on one file, if they are that.
fn of_one_file(theirs: &str, ours: &str) -> Option<String> {
    let (one, other) = (Effect::of(theirs)?, Effect::of(ours)?);
    if one.head != other.head {
        return None;
    }
    let head = one.head;
    let mut text = match one.entry == other.entry {
        true => format!("  {head} (file, {})\n", one.entry),
        false => format!(
            "- {head} (file, {})\n+ {head} (file, {})\n",
            one.entry, other.entry
        ),
    };
    match (one.content, other.content) {
        (Content::Text(one), Content::Text(other)) => text.push_str(&lines(one, other)),
        (one, other) => {
            for (sign, content) in [("-", one), ("+", other)] {
                let words = match content {
                    Content::Text(text) => format!("{} lines", split(text).len()),
                    Content::Digest => "more than 64 KiB, of which only a digest is kept".into(),
                };
                text.push_str(&format!("{sign}   content: {words}\n"));
            }
        }
    }
    Some(text)
}

/// The first lines that differ, with their number and the lines around them.
fn lines(theirs: &str, ours: &str) -> String {
    let (theirs, ours) = (split(theirs), split(ours));
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .diff_slices(&theirs, &ours);
    let groups = diff.grouped_ops(AROUND);
    let Some(group) = groups.first() else {
        return String::new();
    };
    let number = theirs
        .iter()
        .zip(&ours)
        .take_while(|(one, other)| one == other)
        .count();
    let at = |lines: &[&str]| lines.get(number).copied().unwrap_or_default().to_owned();
    let column = at(&theirs)
        .chars()
        .zip(at(&ours).chars())
        .take_while(|(one, other)| one == other)
        .count();
    let mut text = format!("  from line {}:\n", number + 1);
    for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
        let line = window(change.value(), column);
        text.push_str(&format!("{}   {line}\n", change.tag()));
    }
    if groups.len() > 1 {
        text.push_str(&format!("  and in {} more places\n", groups.len() - 1));
    }
    text
}

/// A part of a long line, from a little before a column.
fn window(line: &str, column: usize) -> String {
    let count = line.chars().count();
    if count <= LINE {
        return line.to_owned();
    }
    let start = column.saturating_sub(BEFORE).min(count - LINE);
    let shown: String = line.chars().skip(start).take(LINE).collect();
    let (before, after) = (
        if start > 0 { "…" } else { "" },
        if start + LINE < count { "…" } else { "" },
    );
    format!("{before}{shown}{after}")
}

/// The lines of an escaped text.
fn split(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && chars.next().is_some_and(|(_, next)| next == 'n') {
            lines.push(&text[start..at]);
            start = at + 2;
        }
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(theirs: &[String], ours: &[String]) -> String {
        let found = changed_paths(theirs, ours).into_iter();
        found.map(|path| path.diff).collect()
    }

    fn effect(content: &str) -> Vec<String> {
        vec![format!("changed /a (file, 0600, 0:0, \"{content}\")")]
    }

    #[test]
    fn of_a_long_file_only_the_place_is_shown() {
        let long = |word: &str| {
            let lines = (1..=90).map(|n| {
                if n == 50 {
                    word.into()
                } else {
                    format!("l{n}")
                }
            });
            lines.collect::<Vec<_>>().join("\\n") + "\\n"
        };
        assert_eq!(
            differences(&effect(&long("a")), &effect(&long("b"))),
            "  changed /a (file, 0600, 0:0)\n  from line 50:\n    l47\n    l48\n    l49\n\
             -   a\n+   b\n    l51\n    l52\n    l53\n"
        );
    }

    #[test]
    fn a_long_line_is_shown_where_it_differs() {
        let line = |end: &str| "x".repeat(900) + end;
        let shown = differences(&effect(&line("one")), &effect(&line("two")));
        assert!(
            shown.lines().all(|line| line.chars().count() < 130),
            "{shown}"
        );
        assert!(
            shown.contains("xone\n") && shown.contains("xtwo\n"),
            "{shown}"
        );
    }

    #[test]
    fn a_digest_is_named_and_other_effects_stay_whole() {
        let digest = vec!["changed /a (file, 0600, 0:0, blake3 abc)".to_owned()];
        assert_eq!(
            differences(&digest, &effect("a\\nb\\\\n")),
            "  changed /a (file, 0600, 0:0)\n\
             -   content: more than 64 KiB, of which only a digest is kept\n\
             +   content: 2 lines\n"
        );
        let deleted = ["deleted /b".to_owned()];
        assert_eq!(differences(&deleted, &[]), "- deleted /b\n");
    }
}
