//! The shortest excerpt of a session that shows a finding.

use crate::fate;
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use crate::trace;
use crate::wire::Request;
use crate::wire::{Encode as _, Style, Value};
use crate::words::{contains, cut, shown, visible};
use stickler_judge::{Arrow, Claim, ExcerptLine, Finding, View, abridge, effects};
use stickler_reading::AnyReading;
use stickler_transcript::{Case, ExitCause, Silence};

/// The longest line of evidence, in characters.
const LINE: usize = 160;
/// How many lines of an answer are shown.
const LINES: usize = 8;

impl View for Session {
    fn reading(&self) -> &dyn AnyReading {
        &**self
    }

    fn claims(&self) -> Vec<Claim> {
        fate::claims(self)
    }

    fn forecasts(&self) -> Vec<Claim> {
        fate::forecasts(self)
    }

    fn excerpt(&self, finding: &Finding, session: usize) -> Vec<ExcerptLine> {
        let mut numbers: Vec<usize> = std::iter::once(&finding.place)
            .chain(&finding.also)
            .filter(|place| place.session == session)
            .filter_map(|place| place.exchange)
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut lines = Vec::new();
        for exchange in self
            .exchanges
            .iter()
            .filter(|exchange| numbers.contains(&exchange.number))
        {
            lines.push(sent(self, exchange));
            lines.extend(received(self, exchange, finding.quote.as_deref()));
            let expected = exchange.phase == phase::EVALUATE;
            lines.extend(effects(exchange, self.case(), expected));
        }
        lines
    }
}

fn sent(session: &Session, exchange: &Exchange) -> ExcerptLine {
    let case = session.case();
    let text = match (&exchange.request, exchange.phase) {
        (Some(request), phase::VALIDATE | phase::EVALUATE) => asked(session, exchange, request),
        _ => shown(
            exchange
                .sent
                .strip_suffix(b"\n\n")
                .unwrap_or(&exchange.sent),
            case,
            LINE,
        ),
    };
    ExcerptLine::of(exchange, Arrow::Sent, cut(&text, LINE))
}

/// A request in words. The changed part is shortened last.
fn asked(session: &Session, exchange: &Exchange, request: &Request) -> String {
    let case = session.case();
    let mut start = visible(request.operation.as_bytes());
    if let Some(promiser) = &request.promiser {
        start.push(' ');
        start.push_str(&shown(promiser, case, 60));
    }
    let promise = session.item(exchange);
    let field = promise.and_then(|promise| promise.field.as_deref());
    let attributes: Vec<(bool, String)> = request
        .attributes
        .iter()
        .flatten()
        .map(|(name, value)| {
            let changed = field.is_some_and(|field| field.as_bytes() == name);
            let value = value_words(value, case);
            (changed, format!(" {}={value}", visible(name)))
        })
        .collect();
    let those = |wanted: Option<bool>| -> String {
        let texts = attributes.iter();
        let texts = texts.filter(|(changed, _)| wanted.is_none_or(|wanted| *changed == wanted));
        texts.map(|(_, text)| &text[..]).collect()
    };
    let whole = start.clone() + &those(None);
    if whole.chars().count() <= LINE {
        return whole;
    }
    start.push_str(&those(Some(true)));
    let room = LINE.saturating_sub(start.chars().count());
    start + &cut(&those(Some(false)), room)
}

fn value_words(value: &Value, case: &Case) -> String {
    match value {
        Value::Text(text) => shown(text, case, 60),
        other => shown(&other.encode(Style::Agent), case, 60),
    }
}

fn received(session: &Session, exchange: &Exchange, quote: Option<&[u8]>) -> Vec<ExcerptLine> {
    let case = session.case();
    let mut lines: Vec<ExcerptLine> = Vec::new();
    let output = &exchange.output[..];
    let quoted = quote.map(|quote| shown(quote, case, LINE));
    let all: Vec<&[u8]> = output.split_inclusive(|byte| *byte == b'\n').collect();
    for (index, bytes) in all.iter().enumerate() {
        let whole = shown(bytes, case, usize::MAX);
        let marked = quoted
            .as_deref()
            .filter(|q| !q.is_empty() && whole.contains(q));
        // Of a long answer, the two ends are shown, and the line that the finding quotes.
        let skipped = all.len() > LINES && index >= LINES / 2 && index + LINES / 2 < all.len();
        if skipped && (marked.is_none() || lines.len() > 2 * LINES) {
            if index == LINES / 2 {
                let left_out = all.len() - LINES;
                lines.push(ExcerptLine::of(
                    exchange,
                    Arrow::Happened,
                    format!("… {left_out} more lines …"),
                ));
            }
            continue;
        }
        if bytes[..] == *b"\n" && index + 1 == all.len() && marked.is_none() {
            continue;
        }
        let text = match marked {
            Some(marked) => around(&whole, marked),
            None => cut(&abridged(&whole, 0..0), LINE),
        };
        let mark = marked.and_then(|marked| {
            let at = text.find(marked)?;
            Some((text[..at].chars().count(), marked.chars().count()))
        });
        lines.push(ExcerptLine {
            mark,
            ..ExcerptLine::of(exchange, Arrow::Received, text)
        });
    }
    if let Some(what) = happened(session, exchange) {
        lines.push(ExcerptLine::of(exchange, Arrow::Happened, what));
        if let Some(said) = trace::message(&exchange.errors) {
            let file = &case.subject.name;
            let is_named = contains(said, file.as_bytes());
            let place = trace::place(&exchange.errors, file).filter(|_| !is_named);
            let place = place.map_or_else(String::new, |line| format!(", at {file}:{line}"));
            let text = format!("on standard error: {}", shown(said, case, LINE));
            let text = cut(&text, LINE.saturating_sub(place.len())) + &place;
            lines.push(ExcerptLine::of(exchange, Arrow::Happened, text));
        }
    }
    lines
}

/// A line of JSON that is as short as it can be without hiding a key.
fn abridged(whole: &str, keep: std::ops::Range<usize>) -> String {
    match abridge(whole, LINE, keep) {
        Some((text, _)) => text,
        None => whole.to_owned(),
    }
}

/// A window of a long line around the marked part.
fn around(whole: &str, marked: &str) -> String {
    if whole.chars().count() <= LINE {
        return whole.to_owned();
    }
    let at = whole.find(marked).unwrap_or(0);
    let whole = &abridged(whole, at..at + marked.len());
    if whole.chars().count() <= LINE {
        return whole.clone();
    }
    let at = whole.find(marked).unwrap_or(0);
    let before = whole[..at].chars().count();
    let start = before.saturating_sub(20);
    let mut text: String = whole.chars().skip(start).take(LINE).collect();
    if start > 0 {
        text.insert_str(0, "… ");
    }
    text
}

fn happened(session: &Session, exchange: &Exchange) -> Option<String> {
    Some(match exchange.ended {
        Ended::Answered | Ended::NoAnswer => return None,
        Ended::Exited(ExitCause::Code(code)) => format!("the process ended with status {code}"),
        Ended::Exited(ExitCause::Signal(signal)) => {
            format!("the process was ended by signal {signal}")
        }
        Ended::Exited(ExitCause::Lost) => "the process and its sandbox were lost".into(),
        Ended::ClosedOutput => "standard output was closed, the process lives on".into(),
        Ended::Silent(Silence::Deadline | Silence::Input) if exchange.late => {
            "the answer came only when standard input was closed".into()
        }
        Ended::Silent(Silence::Deadline) => "no more output before the deadline".into(),
        Ended::Silent(Silence::Input) => "no more output: the module waits for input".into(),
        Ended::Silent(Silence::Flood) => "endless output".into(),
        Ended::Silent(Silence::Processes) => "endless processes".into(),
        Ended::Silent(Silence::Memory) => "endless memory".into(),
        // An agent may also only close standard input.
        Ended::Killed if session.case().is_driven() => "the agent stopped waiting here".into(),
        Ended::Killed => "the harness killed the process here".into(),
    })
}
