//! The parts that pages share.

use crate::block;
use crate::prose::{Span, spans};
use crate::text::{LINE_FEED, visible};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use stickler_judge::{Reported, Verdict};

/// How a page looks, and what it does.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) style: &'static str,
    pub(super) script: Option<&'static str>,
}

/// A whole document.
pub(super) fn document(title: &str, look: Look, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &look))
            body {
                (body)
                @if let Some(script) = look.script { script { (PreEscaped(script)) } }
            }
        }
    }
}

fn head(title: &str, look: &Look) -> Markup {
    let scripts = look.script.map_or_else(|| "'none'".to_owned(), source_of);
    let policy = format!(
        "default-src 'none'; img-src data:; style-src {}; script-src {scripts}; base-uri 'none'; \
         form-action 'none'",
        source_of(look.style)
    );
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (visible(title)) " – Stickler" }
            // Without it, browsers ask the server for an icon.
            link rel="icon" href="data:,";
            style { (PreEscaped(look.style)) }
        }
    }
}

/// How a content policy names an inline style or script.
fn source_of(text: &str) -> String {
    let digest = BASE64_STANDARD.encode(Sha256::digest(text));
    format!("'sha256-{digest}'")
}

/// What was run, and when: names and values; code is in a fixed pitch.
pub(super) fn about(parts: &[(&str, &str, bool)]) -> Markup {
    html! {
        dl.about {
            @for (name, value, is_code) in parts {
                @if !value.is_empty() {
                    dt { (name) }
                    dd {
                        @if *is_code { code { (visible(value)) } } @else { (visible(value)) }
                    }
                }
            }
            dt { "version" }
            dd { "Stickler " (env!("CARGO_PKG_VERSION")) }
        }
    }
}

/// The label of an outcome in its colour.
pub(super) fn label(outcome: &Reported, strict: bool) -> Markup {
    let (words, _) = block::label(outcome, strict);
    html! { span.label.(class(outcome, strict)) { (words) } }
}

/// The class of an outcome's colour.
pub(super) fn class(outcome: &Reported, strict: bool) -> &'static str {
    match outcome.verdict {
        _ if outcome.warns(strict) => "flaky",
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Flaky | Verdict::Xpass => "flaky",
        Verdict::Advice => "advice",
        Verdict::Xfail | Verdict::Waived | Verdict::NotExercised | Verdict::Skipped => "none",
    }
}

/// A sentence, with code between backticks.
pub(super) fn sentence(text: &str) -> Markup {
    html! {
        @for span in spans(text) {
            @match span {
                Span::Text(words) => { (words) }
                Span::Code(words) => { code { (words) } }
            }
        }
    }
}

/// Text of a subject in a fixed pitch. Lines break after line feeds, but none has only a line feed.
/// The page itself gets no new line, which a CI system could read as a command.
pub(super) fn raw(text: &str) -> Markup {
    let text = visible(text);
    let mut pieces = text.split_inclusive(LINE_FEED).peekable();
    html! {
        @while let Some(piece) = pieces.next() {
            (piece)
            @let goes_on = pieces.peek().is_some_and(|next| !next.starts_with(LINE_FEED));
            @if goes_on && piece.ends_with(LINE_FEED) { br; }
        }
    }
}
