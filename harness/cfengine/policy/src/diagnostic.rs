//! Errors in a policy, with their places.

use crate::source::{Sources, Span};
use std::fmt::Write;

/// An error for which cf-agent rejects a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The place.
    pub span: Span,
    /// The error, or what was expected and found: a lower-case fragment.
    pub message: String,
}

impl Diagnostic {
    /// Creates a diagnostic for a place.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    /// Formats it for people: file, line and column, `error` or `note`, the message, the line and a
    /// caret. Control characters are replaced, since they could control the terminal. Of a long
    /// line, only the part around the place is shown.
    pub fn render(&self, severity: &str, sources: &Sources) -> String {
        let source = sources.get(self.span.file);
        let at = source.position(self.span.start);
        let (line, column) = around(source.line(at.line), at.column - 1);
        let before = &line[..line.len().min(column)];
        // Tabs are kept, so that the caret is below its place.
        let margin: String = String::from_utf8_lossy(before)
            .chars()
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let length = (self.span.end.saturating_sub(self.span.start)) as usize;
        let marked = length.clamp(1, (line.len() - before.len()).max(1));
        let under = &line[before.len()..line.len().min(before.len() + marked)];
        let carets = "^".repeat(String::from_utf8_lossy(under).chars().count().max(1));
        let number = at.line.to_string();
        let gutter = " ".repeat(number.len());
        let mut out = String::new();
        let message = self.message.escape_debug().to_string();
        let message = message.replace("\\'", "'").replace("\\\"", "\"");
        let path = visible(source.path());
        let line = visible(&String::from_utf8_lossy(line));
        let _ = writeln!(out, "{path}:{at}: {severity}: {message}");
        let _ = writeln!(out, "{number} | {line}");
        let _ = writeln!(out, "{gutter} | {margin}{carets}");
        out
    }
}

/// The part of a line around a byte, and that byte's position in the part.
fn around(line: &[u8], at: usize) -> (&[u8], usize) {
    const BEFORE: usize = 120;
    const BEHIND: usize = 120;
    // Characters are not split.
    let within = |at: usize| line.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let at = at.min(line.len());
    let mut start = at.saturating_sub(BEFORE);
    while start > 0 && start < at && within(start) {
        start += 1;
    }
    let mut end = line.len().min(at.saturating_add(BEHIND));
    while within(end) {
        end += 1;
    }
    (&line[start..end], at - start)
}

/// Replaces control characters, so that a policy can't control the terminal.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => c,
            c if c.is_control() => char::REPLACEMENT_CHARACTER,
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_is_below_the_place() {
        let mut sources = Sources::new();
        let file = sources.add("a.cf", "bundle agent main\n{\n\tfoo bar;\n}\n");
        let span = Span {
            file,
            start: 25,
            end: 28,
        };
        let shown = Diagnostic::new(span, "expected `:`").render("error", &sources);
        assert_eq!(
            shown,
            "a.cf:3:6: error: expected `:`\n3 | \tfoo bar;\n  | \t    ^^^\n"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let mut sources = Sources::new();
        let text = format!("{}foo{}", "é".repeat(500), "é".repeat(500));
        let file = sources.add("a.cf", text);
        let span = Span {
            file,
            start: 1000,
            end: 1003,
        };
        let shown = Diagnostic::new(span, "expected `:`").render("error", &sources);
        let (before, behind) = ("é".repeat(60), "é".repeat(59));
        let margin = " ".repeat(60);
        assert_eq!(
            shown,
            format!("a.cf:1:1001: error: expected `:`\n1 | {before}foo{behind}\n  | {margin}^^^\n")
        );
    }
}
