//! Sentences for formats with markup: text, and code between backticks.

use crate::text::visible;

/// A part of a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// Plain words.
    Text(String),
    /// What stood between two backticks.
    Code(String),
}

/// The parts of a sentence, with everything in it made visible. A backtick without a partner stays.
pub(crate) fn spans(text: &str) -> Vec<Span> {
    let text = visible(text);
    let mut spans = Vec::new();
    let mut rest = &*text;
    let mut push = |span: Span| {
        if !matches!(&span, Span::Text(text) if text.is_empty()) {
            spans.push(span);
        }
    };
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, behind)) = after.split_once('`').filter(|(code, _)| !code.is_empty())
        else {
            break;
        };
        push(Span::Text(before.to_owned()));
        push(Span::Code(code.to_owned()));
        rest = behind;
    }
    push(Span::Text(rest.to_owned()));
    spans
}

#[cfg(test)]
mod tests {
    use super::{Span, spans};

    #[test]
    fn backticks_enclose_code() {
        let text = |text: &str| Span::Text(text.to_owned());
        let code = |text: &str| Span::Code(text.to_owned());
        assert_eq!(
            spans("after `a`, `b`"),
            [text("after "), code("a"), text(", "), code("b")]
        );
        assert_eq!(spans("one ` alone"), [text("one ` alone")]);
        assert_eq!(spans("``"), [text("``")]);
        assert_eq!(spans(""), []);
    }
}
