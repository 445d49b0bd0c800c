//! Reads and writes transcripts as JSON Lines.

use crate::first::First;
use crate::{Case, Event, Transcript, VERSION};
use serde::Deserialize;
use std::io::{self, BufRead, Write};
use thiserror::Error;

/// Why a file is not a transcript.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be read.
    #[error("reading the transcript")]
    Io(#[from] io::Error),
    /// A line is no event of this format.
    #[error("line {line} is not an event of a transcript: {why}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// The parser's message.
        why: String,
    },
    /// The file does not begin with a case.
    #[error("this is not a Stickler transcript: line {line} should hold the event \"case\"")]
    Foreign {
        /// Line number, from 1.
        line: usize,
    },
    /// The file has another version.
    #[error(
        "this transcript has version {found}, but this Stickler reads version {VERSION}; use the Stickler that wrote it"
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// The file ends in the middle of a session.
    #[error("the transcript is cut off: the session \"{case}\" has no event \"end\"")]
    Truncated {
        /// The session that is not complete.
        case: String,
    },
    /// There is nothing in it.
    #[error("the transcript is empty")]
    Empty,
}

#[derive(Deserialize)]
struct Kind {
    event: Option<String>,
    version: Option<u32>,
}

/// Reads all sessions of a file. A recorder may be killed at any time, so an incomplete session of
/// a recorder is accepted.
///
/// # Errors
/// If the file is no transcript, has another version, is damaged, or is cut off without being a
/// recording.
pub fn read_transcripts(mut source: impl BufRead) -> Result<Vec<Transcript>, ReadError> {
    // Compiled once, whatever is read.
    read(&mut source)
}

fn read(source: &mut dyn BufRead) -> Result<Vec<Transcript>, ReadError> {
    let mut done: Vec<Transcript> = Vec::new();
    let mut open: Option<Transcript> = None;
    for line in (Lines { source, number: 0 }) {
        let line = line?;
        match open.as_mut() {
            None => match (late_outcome(&line), done.last_mut()) {
                // An agent may draw a conclusion long after the module has ended.
                (Some(outcome), Some(last)) => {
                    let end = last.events.len().saturating_sub(1);
                    last.events.insert(end, outcome);
                }
                (None, Some(last)) if !line.whole && is_recorded(last) => break,
                _ => open = Some(first(&line)?),
            },
            Some(transcript) => {
                let event: Event = match serde_json::from_slice(&line.text) {
                    Ok(event) => event,
                    Err(_) if !line.whole && is_recorded(transcript) => break,
                    Err(why) => return Err(line.bad(&why)),
                };
                let last = matches!(event, Event::End { .. });
                transcript.events.push(event);
                if last {
                    done.extend(open.take());
                }
            }
        }
    }
    match open {
        Some(mut transcript) if is_recorded(&transcript) => {
            transcript.events.push(Event::End {
                t: 0,
                complete: false,
            });
            done.push(transcript);
            Ok(done)
        }
        Some(transcript) => Err(ReadError::Truncated {
            case: transcript.case.id,
        }),
        None if done.is_empty() => Err(ReadError::Empty),
        None => Ok(done),
    }
}

/// The outcome on a line, if there is one.
fn late_outcome(line: &Line) -> Option<Event> {
    let event = serde_json::from_slice(&line.text).ok();
    event.filter(|event| matches!(event, Event::Outcome(_)))
}

fn is_recorded(transcript: &Transcript) -> bool {
    transcript.case.is_driven()
}

fn first(line: &Line) -> Result<Transcript, ReadError> {
    let foreign = || ReadError::Foreign { line: line.number };
    let kind: Kind = serde_json::from_slice(&line.text).map_err(|_| foreign())?;
    if kind.event.as_deref() != Some("case") {
        return Err(foreign());
    }
    if let Some(found) = kind.version.filter(|version| *version != VERSION) {
        return Err(ReadError::Version { found });
    }
    let First::Case(case) = serde_json::from_slice(&line.text).map_err(|why| line.bad(&why))?;
    Ok(Transcript {
        case,
        events: Vec::new(),
    })
}

/// A line that is not empty.
struct Line {
    /// From 1.
    number: usize,
    text: Vec<u8>,
    /// Does it end with a line feed?
    whole: bool,
}

impl Line {
    fn bad(&self, why: &serde_json::Error) -> ReadError {
        ReadError::Line {
            line: self.number,
            why: why.to_string(),
        }
    }
}

struct Lines<'s> {
    source: &'s mut dyn BufRead,
    number: usize,
}

impl Iterator for Lines<'_> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut text = Vec::new();
            match self.source.read_until(b'\n', &mut text) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
            self.number += 1;
            if !text.iter().all(u8::is_ascii_whitespace) {
                return Some(Ok(Line {
                    number: self.number,
                    whole: text.ends_with(b"\n"),
                    text,
                }));
            }
        }
    }
}

/// Writes sessions one after the other.
///
/// # Errors
/// If `sink` cannot be written.
pub fn write_transcripts<'t>(
    sink: &mut dyn Write,
    transcripts: impl IntoIterator<Item = &'t Transcript>,
) -> io::Result<()> {
    for transcript in transcripts {
        write_case(sink, &transcript.case)?;
        for event in &transcript.events {
            write_event(sink, event)?;
        }
    }
    Ok(())
}

/// Writes the first line of a session.
///
/// # Errors
/// If `sink` cannot be written.
pub fn write_case(sink: &mut dyn Write, case: &Case) -> io::Result<()> {
    let mut line = serde_json::to_vec(&First::<&Case>::Case(case))?;
    line.push(b'\n');
    sink.write_all(&line)
}

/// Writes one event.
///
/// # Errors
/// If `sink` cannot be written.
pub fn write_event(sink: &mut dyn Write, event: &Event) -> io::Result<()> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    sink.write_all(&line)
}

/// The published JSON schema of a line of a transcript.
pub fn schema() -> &'static str {
    include_str!("../../../docs/schema/transcript.schema.json")
}
