//! The evidence of a finding: the exchanges, and beside each one its effects.

use super::parts::raw;
use crate::text::visible;
use crate::words::{count, sign};
use maud::{Markup, html};
use stickler_judge::{Arrow, ExcerptLine, Found};

/// How many lines of evidence are shown.
const LINES: usize = 80;

/// An exchange in the evidence, or a line between exchanges.
#[derive(Default)]
struct Part<'f> {
    exchange: Option<usize>,
    said: Vec<&'f ExcerptLine>,
    effects: Vec<&'f ExcerptLine>,
}

pub(super) fn list(found: &Found) -> Markup {
    let parts = parts(found);
    let own = found.exchange;
    let at = parts
        .iter()
        .position(|part| part.exchange == own && own.is_some())
        .or(parts.len().checked_sub(1));
    let rest = found.excerpt.len().saturating_sub(LINES);
    html! {
        @if !parts.is_empty() {
            ol.evidence {
                @for (index, part) in parts.iter().enumerate() {
                    (exchange(part, found.expected.as_deref().filter(|_| Some(index) == at)))
                }
                @if rest > 0 { li.dim { (count(rest, "more line")) } }
            }
        } @else if let Some(expected) = &found.expected {
            p { (wanted(expected)) }
        }
    }
}

/// Groups the lines by exchange. Exchanges of two sessions may have the same number.
fn parts(found: &Found) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut before = None;
    for line in found.excerpt.iter().take(LINES) {
        let again = line.arrow == Arrow::Sent && before != Some(Arrow::Sent);
        before = Some(line.arrow);
        let same = parts
            .last()
            .is_some_and(|part| part.exchange == line.exchange && !again);
        if !same {
            parts.push(Part {
                exchange: line.exchange,
                ..Part::default()
            });
        }
        if let Some(part) = parts.last_mut() {
            match line.arrow {
                Arrow::Effect => part.effects.push(line),
                _ => part.said.push(line),
            }
        }
    }
    parts
}

fn exchange(part: &Part<'_>, expected: Option<&str>) -> Markup {
    html! {
        li {
            span.number { @if let Some(number) = part.exchange { "#" (number) } }
            div.said {
                @for one in &part.said { (line(one)) }
                @if let Some(expected) = expected { (wanted(expected)) }
            }
            @if !part.effects.is_empty() {
                div.effects { @for one in &part.effects { (line(one)) } }
            }
        }
    }
}

fn line(line: &ExcerptLine) -> Markup {
    let (class, said) = match line.arrow {
        Arrow::Sent => ("sent", "sent: "),
        Arrow::Received => ("received", "received: "),
        Arrow::Effect => ("effect", "effect: "),
        Arrow::Happened => ("happened", ""),
    };
    // An effect may begin with its own sign.
    let signed = line.arrow == Arrow::Effect && line.text.starts_with(['+', '-', '~', '(']);
    html! {
        div.line.(class) {
            span.sign aria-hidden="true" { @if !signed { (sign(line.arrow)) } }
            span.unseen { (said) }
            pre { (marked(line)) }
            @if let Some(note) = &line.note { span.note { (visible(note)) } }
        }
    }
}

fn wanted(expected: &str) -> Markup {
    html! { div.line.wanted { pre { "expected " (raw(expected)) } } }
}

/// The text with its mark, which counts characters of the text before it was made visible.
fn marked(line: &ExcerptLine) -> Markup {
    let Some((start, length)) = line.mark else {
        return html! { (raw(&line.text)) };
    };
    let mut chars = line.text.chars();
    let before: String = chars.by_ref().take(start).collect();
    let mark: String = chars.by_ref().take(length).collect();
    let after: String = chars.collect();
    html! { (raw(&before)) mark { (raw(&mark)) } (raw(&after)) }
}
