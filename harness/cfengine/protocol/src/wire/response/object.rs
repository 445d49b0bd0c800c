//! Finds the JSON object among a message's lines.

use super::ObjectPlace;
use crate::wire::json::{self, Json, JsonError, JsonErrorKind};
use std::ops::Range;

/// The JSON value that is the answer.
pub(super) struct Found {
    pub(super) place: ObjectPlace,
    pub(super) json: Result<Json, JsonError>,
}

impl Found {
    fn answers(&self) -> bool {
        self.json.as_ref().is_ok_and(answers)
    }
}

fn answers(json: &Json) -> bool {
    json.get("operation").is_some() || json.get("result").is_some()
}

/// How many attempts may each read the whole message; the limit prevents output that makes the
/// search slow.
const ATTEMPTS: usize = 16;

/// Finds the answer, and the other objects in the message.
///
/// It looks first for lines that begin with `{`: of several, it takes the first with an operation
/// or a result, else the first valid one, else the first. Then it looks for an object with text on
/// its line, and then for another JSON value that fills a line.
pub(super) fn find(text: &[u8], lines: &[Range<usize>]) -> (Option<Found>, Vec<Range<usize>>) {
    let mut found = on_lines(text, lines);
    if found.is_empty() {
        // A list is an answer of the wrong type, not text around the objects in it.
        let list = |found: &Found| matches!(found.json, Ok(Json::Array(_)));
        let value = other_value(text, lines);
        let one = match value {
            Some(found) if list(&found) => Some(found),
            value => glued(text, lines).or(value),
        };
        found.extend(one);
    }
    let choice = found
        .iter()
        .position(Found::answers)
        .or_else(|| found.iter().position(|found| found.json.is_ok()))
        .or_else(|| (!found.is_empty()).then_some(0));
    let Some(choice) = choice else {
        return (None, Vec::new());
    };
    let chosen = found.remove(choice);
    let others = found.into_iter().filter(|other| other.json.is_ok());
    let mut extra: Vec<_> = others.map(|other| other.place.range).collect();
    if let Some(after) = &chosen.place.glued_after
        && let Ok((_, end)) = object_at(&text[..after.end], after.start)
    {
        extra.push(after.start..end);
    }
    extra.sort_by_key(|range| range.start);
    (Some(chosen), extra)
}

fn on_lines(text: &[u8], lines: &[Range<usize>]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let closes = |line: &Range<usize>| {
        let line = &text[line.clone()];
        line.trim_ascii_end().ends_with(b"}") && !line.starts_with(b"log_")
    };
    // A broken object over several lines extends to the last line that closes a bracket, unless
    // that line is a separate object.
    let last_close = lines.iter().rfind(|line| closes(line)).cloned();
    let last_close = last_close.filter(|line| json::parse(&text[line.clone()]).is_err());
    let mut attempts = ATTEMPTS;
    for line in lines {
        let taken = found
            .last()
            .is_some_and(|last| line.start < last.place.range.end);
        if taken || !begins_object(&text[line.clone()]) {
            continue;
        }
        let start = line.start + blanks(&text[line.clone()]);
        let end_of_line = |at: usize| lines_end(text, at);
        let one = match json::parse_prefix_at(&text[..line.end], start) {
            Ok((json, end)) => value(text, start..end, line.end, Ok(json)),
            Err(error) if error.kind == JsonErrorKind::UnexpectedEnd && attempts > 0 => {
                attempts -= 1;
                match json::parse_prefix_at(text, start) {
                    Ok((json, end)) => value(text, start..end, end_of_line(end), Ok(json)),
                    Err(over_lines) => match &last_close {
                        Some(close) if close.start > line.start => {
                            value(text, start..close.end, close.end, Err(over_lines))
                        }
                        _ => value(text, start..line.end, line.end, Err(error)),
                    },
                }
            }
            Err(error) => value(text, start..line.end, line.end, Err(error)),
        };
        found.push(one);
    }
    found
}

/// A value at the start of its line.
fn value(
    text: &[u8],
    range: Range<usize>,
    line_end: usize,
    json: Result<Json, JsonError>,
) -> Found {
    let spans_lines = text[range.clone()].contains(&b'\n');
    let glued_after = without_blanks(text, range.end..line_end);
    Found {
        place: ObjectPlace {
            range,
            spans_lines,
            glued_before: None,
            glued_after,
        },
        json,
    }
}

/// An object with text before it on its line. Log lines come last, because there the LF after the
/// log message may just be missing.
fn glued(text: &[u8], lines: &[Range<usize>]) -> Option<Found> {
    let is_log = |line: &&Range<usize>| text[(*line).clone()].starts_with(b"log_");
    let others = lines.iter().filter(|line| !is_log(line));
    let mut attempts = 4 * ATTEMPTS;
    for line in others.chain(lines.iter().filter(is_log)) {
        let bytes = &text[line.clone()];
        let brackets = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'{');
        for start in brackets.map(|(at, _)| line.start + at) {
            if attempts == 0 {
                return None;
            }
            attempts -= 1;
            let one_line = object_at(&text[..line.end], start);
            let Ok((json, end)) = one_line.or_else(|_| object_at(text, start)) else {
                continue;
            };
            if !answers(&json) {
                continue;
            }
            let mut found = value(text, start..end, lines_end(text, end), Ok(json));
            found.place.glued_before = Some(line.start..start);
            return Some(found);
        }
    }
    None
}

fn other_value(text: &[u8], lines: &[Range<usize>]) -> Option<Found> {
    lines.iter().find_map(|line| {
        let start = line.start + blanks(&text[line.clone()]);
        let (json, end) = json::parse_prefix_at(&text[..line.end], start).ok()?;
        let alone = without_blanks(text, end..line.end).is_none();
        alone.then(|| value(text, start..end, line.end, Ok(json)))
    })
}

fn object_at(text: &[u8], start: usize) -> Result<(Json, usize), ()> {
    if text.get(start) != Some(&b'{') {
        return Err(());
    }
    json::parse_prefix_at(text, start).map_err(|_| ())
}

fn begins_object(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    line.get(blanks(line)) == Some(&b'{')
}

fn blanks(line: &[u8]) -> usize {
    line.iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
        .count()
}

fn lines_end(text: &[u8], at: usize) -> usize {
    text[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(text.len(), |length| at + length)
}

/// The range without blanks at its ends; `None` if it contains only blanks.
fn without_blanks(text: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let bytes = &text[range.clone()];
    let start = range.start + blanks(bytes);
    let end = range.start + bytes.trim_ascii_end().len();
    (start < end).then_some(start..end)
}
