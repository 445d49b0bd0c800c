//! Shows where two texts differ.

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;

/// How many unchanged lines are shown around a change.
const AROUND: usize = 3;

/// The places where `new` differs from `old`, as lines that begin with `-`, `+` or a space. After
/// `most` lines, it only says how many are left out.
pub fn diff(old: &str, new: &str, most: usize, color: bool) -> String {
    let (red, green, dim) = if color {
        (
            Style::new().fg_color(Some(AnsiColor::Red.into())),
            Style::new().fg_color(Some(AnsiColor::Green.into())),
            Style::new().dimmed(),
        )
    } else {
        (Style::new(), Style::new(), Style::new())
    };
    let diff = TextDiff::from_lines(old, new);
    let mut lines: Vec<String> = Vec::new();
    for (index, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if index > 0 {
            lines.push(format!("{dim}    ⋮{dim:#}"));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ("-", red),
                ChangeTag::Insert => ("+", green),
                ChangeTag::Equal => (" ", dim),
            };
            let value = change.value();
            // Text from a subject must not control the terminal.
            let text = crate::visible(value.trim_end_matches('\n'));
            let text = format!("  {sign} {text}");
            lines.push(format!("{style}{}{style:#}", text.trim_end()));
        }
    }
    let mut out = String::new();
    for line in lines.iter().take(most) {
        let _ = writeln!(out, "{line}");
    }
    if lines.len() > most {
        let _ = writeln!(out, "{dim}    … {} more lines{dim:#}", lines.len() - most);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn only_changes_and_their_context_are_shown() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nd\nE\nf\ng\nh\n";
        assert_eq!(
            diff(old, new, 99, false),
            "    b\n    c\n    d\n  - e\n  + E\n    f\n    g\n    h\n"
        );
        assert_eq!(
            diff(old, new, 2, false),
            "    b\n    c\n    … 6 more lines\n"
        );
        assert_eq!(diff(old, old, 99, false), "");
    }

    #[test]
    fn escapes_of_a_subject_stay_text() {
        assert!(diff("a\n", "\u{1b}[2J\n", 9, false).contains("\\x1b[2J"));
    }
}
