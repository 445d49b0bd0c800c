//! The time line of a session: a strip to scale, and a list of all moments.

use super::parts::raw;
use crate::text::visible;
use crate::words::{count, duration};
use maud::{Markup, html};
use stickler_judge::{Happening, Moment, Timeline};

/// The width of the strip in its own units.
const WIDTH: u64 = 1000;
/// The smallest width of a moment.
const LEAST: u64 = 4;
/// A pause that is worth a line, in microseconds.
const PAUSE: u64 = 250_000;

pub(super) fn details(timeline: &Timeline) -> Markup {
    let waits = timeline.moments.iter();
    let waits = waits.filter(|one| one.happening == Happening::Waited);
    let mut length = seconds(timeline.length);
    match waits.count() {
        0 => {}
        number => length.push_str(&format!(", {}", count(number, "wait without an answer"))),
    }
    html! {
        details.session {
            summary {
                "Session " code { (visible(&timeline.case)) } " "
                span.dim { (count(timeline.messages, "message")) " in " (length) }
            }
            (strip(timeline))
            ol.moments { (moments(timeline)) }
        }
    }
}

fn seconds(us: u64) -> String {
    duration(us as f64 / 1e6)
}

fn class(happening: Happening) -> &'static str {
    match happening {
        Happening::Sent => "sent",
        Happening::Received => "received",
        Happening::Printed => "printed",
        Happening::Effect => "effect",
        Happening::Waited => "waited",
        Happening::Ended => "ended",
        Happening::Other => "happened",
    }
}

fn sign(happening: Happening) -> &'static str {
    match happening {
        Happening::Sent => "→",
        Happening::Received => "←",
        Happening::Printed => "!",
        Happening::Effect => "±",
        Happening::Waited => "…",
        Happening::Ended => "■",
        Happening::Other => "·",
    }
}

/// All moments to scale. The list below says the same in words.
fn strip(timeline: &Timeline) -> Markup {
    let scale = |us: u64| {
        let part = u128::from(us) * u128::from(WIDTH) / u128::from(timeline.length.max(1));
        u64::try_from(part).unwrap_or(WIDTH).min(WIDTH)
    };
    let drawn = timeline.moments.iter();
    let drawn = drawn.filter(|moment| moment.happening != Happening::Other);
    html! {
        svg.strip viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
            rect.all width="1000" height="10" {}
            @for moment in drawn {
                @let from = scale(moment.at).min(WIDTH - LEAST);
                @let width = scale(moment.until).saturating_sub(scale(moment.at)).max(LEAST);
                rect.(class(moment.happening)) x=(from) width=(width) height="10" {}
            }
        }
    }
}

fn moments(timeline: &Timeline) -> Markup {
    let ends = timeline.moments.iter().map(|moment| moment.until);
    let before = std::iter::once(0).chain(ends);
    html! {
        @for (index, (moment, before)) in timeline.moments.iter().zip(before).enumerate() {
            @if let Some((number, at)) = timeline.left_out && at == index {
                li.gap { (count(number, "moment")) " left out" }
            } @else if moment.at > before.saturating_add(PAUSE) {
                li.gap { (seconds(moment.at - before)) " later" }
            }
            (line(moment))
        }
    }
}

fn line(moment: &Moment) -> Markup {
    let waited = moment.until.saturating_sub(moment.at);
    html! {
        li.(class(moment.happening)) {
            span.time { (format!("{:.3} s", moment.at as f64 / 1e6)) }
            span.sign aria-hidden="true" { (sign(moment.happening)) }
            span.name {
                @if let Some(number) = moment.exchange { "#" (number) " " }
                (visible(&moment.name))
                @if moment.happening == Happening::Waited { " after " (seconds(waited)) }
            }
            @if !moment.text.is_empty() { pre { (raw(&moment.text)) } }
        }
    }
}
