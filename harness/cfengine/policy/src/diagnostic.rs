//! Errors in a policy, with their places.

use crate::source::{Sources, Span};
use stickler_caret::Caret;

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

    /// Formats it for people: file, line and column, `error` or `note`, the message, the line and
    /// carets.
    pub fn render(&self, severity: &str, sources: &Sources) -> String {
        let source = sources.get(self.span.file);
        let at = source.position(self.span.start);
        let line = source.line(at.line);
        let (before, behind) = line.split_at(line.len().min(at.column - 1));
        let length = (self.span.end.saturating_sub(self.span.start)) as usize;
        let characters = |bytes| String::from_utf8_lossy(bytes).chars().count();
        let caret = Caret {
            number: at.line,
            line: &String::from_utf8_lossy(line),
            before: characters(before),
            length: characters(&behind[..behind.len().min(length)]),
        };
        let message = self.message.escape_debug().to_string();
        let message = message.replace("\\'", "'").replace("\\\"", "\"");
        let path = source.path().replace(char::is_control, "\u{fffd}");
        format!("{path}:{at}: {severity}: {message}\n{caret}\n")
    }
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
}
