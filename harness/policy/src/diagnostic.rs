//! What is wrong with a policy, and where.

use crate::source::{Sources, Span};
use std::fmt::Write;

/// One reason to reject a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it is.
    pub span: Span,
    /// What is wrong, or what was expected and what was found: a fragment
    /// in lower case.
    pub message: String,
}

impl Diagnostic {
    /// A reason at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    /// For people: file, line and column, `error` or `note`, the message, the
    /// line and a caret.
    /// Control characters, which could steer a terminal, are replaced.
    pub fn render(&self, severity: &str, sources: &Sources) -> String {
        let source = sources.get(self.span.file);
        let at = source.position(self.span.start);
        let line = source.line(at.line);
        let before = &line[..line.len().min(at.column - 1)];
        // Tabs stay tabs, so that the caret stands under its place.
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

/// Text of others may not steer the terminal.
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
    fn the_caret_stands_under_the_place() {
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
}
