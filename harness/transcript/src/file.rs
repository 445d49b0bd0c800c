//! Reading and writing transcripts as JSON Lines.

use crate::{Case, Event, Transcript, VERSION};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};
use thiserror::Error;

/// Why a file is not a transcript.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be read.
    #[error("reading the transcript")]
    Io(#[from] io::Error),
    /// A line is no event of this format.
    #[error("line {line} is no transcript event: {why}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// What the parser says.
        why: String,
    },
    /// The file does not begin with a case.
    #[error("this is no Stickler transcript: line {line} should hold the event \"case\"")]
    Foreign {
        /// Line number, from 1.
        line: usize,
    },
    /// The file is from a later version.
    #[error(
        "this transcript has version {found}, this Stickler reads up to {VERSION}; use a newer Stickler"
    )]
    Newer {
        /// Its version.
        found: u32,
    },
    /// The file stops in the middle.
    #[error("the transcript is cut off: the session \"{case}\" has no event \"end\"")]
    Truncated {
        /// The session that is not complete.
        case: String,
    },
    /// There is nothing in it.
    #[error("the transcript is empty")]
    Empty,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum First<C> {
    Case(C),
}

#[derive(Deserialize)]
struct Kind {
    event: Option<String>,
    version: Option<u32>,
}

/// Reads all sessions of a file.
///
/// # Errors
/// Where the file is foreign, from a later version, damaged or cut off.
pub fn read_transcripts(source: impl BufRead) -> Result<Vec<Transcript>, ReadError> {
    let mut done: Vec<Transcript> = Vec::new();
    let mut open: Option<Transcript> = None;
    for (index, text) in source.split(b'\n').enumerate() {
        let line = index + 1;
        let text = text?;
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let bad = |why: serde_json::Error| ReadError::Line {
            line,
            why: why.to_string(),
        };
        match open.as_mut() {
            None => {
                let kind: Kind =
                    serde_json::from_slice(&text).map_err(|_| ReadError::Foreign { line })?;
                if kind.event.as_deref() != Some("case") {
                    return Err(ReadError::Foreign { line });
                }
                if let Some(found) = kind.version.filter(|version| *version > VERSION) {
                    return Err(ReadError::Newer { found });
                }
                let First::Case(case) = serde_json::from_slice(&text).map_err(bad)?;
                open = Some(Transcript {
                    case,
                    events: Vec::new(),
                });
            }
            Some(transcript) => {
                let event: Event = serde_json::from_slice(&text).map_err(bad)?;
                let last = matches!(event, Event::End { .. });
                transcript.events.push(event);
                if last {
                    done.extend(open.take());
                }
            }
        }
    }
    match open {
        Some(transcript) => Err(ReadError::Truncated {
            case: transcript.case.id,
        }),
        None if done.is_empty() => Err(ReadError::Empty),
        None => Ok(done),
    }
}

/// Writes sessions, one after the other.
///
/// # Errors
/// Where `sink` cannot be written.
pub fn write_transcripts<'t>(
    sink: &mut impl Write,
    transcripts: impl IntoIterator<Item = &'t Transcript>,
) -> io::Result<()> {
    fn line(sink: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *sink, value)?;
        sink.write_all(b"\n")
    }
    for transcript in transcripts {
        line(sink, &First::<&Case>::Case(&transcript.case))?;
        for event in &transcript.events {
            line(sink, event)?;
        }
    }
    Ok(())
}

/// The published JSON schema of a line of a transcript.
pub fn schema() -> &'static str {
    include_str!("../schema.json")
}
