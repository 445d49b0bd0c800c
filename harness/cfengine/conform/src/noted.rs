//! What scripted modules note of their conversations.

use anyhow::Context;
use serde::Deserialize;

/// Something that a module noted.
#[derive(Clone, Debug)]
pub struct Noted {
    /// When, in microseconds.
    pub t: u64,
    /// Its process.
    pub process: u64,
    /// What happened.
    pub what: What,
}

/// What a module notes.
#[derive(Clone, Debug)]
pub enum What {
    /// It was started.
    Start,
    /// It read this.
    In(Vec<u8>),
    /// It understood this as a request.
    Request(Vec<u8>),
    /// It wrote this.
    Out(Vec<u8>),
    /// Its standard input ended.
    Eof,
    /// It closed a stream.
    Close(String),
    /// It exited.
    Exit(i32),
    /// Its script killed it.
    Kill(i32),
    /// Somebody else sent this signal.
    Signal(i32),
}

#[derive(Deserialize)]
struct Raw {
    t: u64,
    p: u64,
    #[serde(flatten)]
    what: RawWhat,
}

/// Each byte is a character.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawWhat {
    Start(serde::de::IgnoredAny),
    In(String),
    Request(String),
    Out(String),
    Eof(serde::de::IgnoredAny),
    Close(String),
    Exit(i32),
    Kill(i32),
    Signal(i32),
}

fn bytes(text: &str) -> anyhow::Result<Vec<u8>> {
    let bytes = text.chars().map(|c| u8::try_from(u32::from(c)));
    bytes
        .collect::<Result<_, _>>()
        .context("a character that stands for no byte")
}

impl Noted {
    /// Reads the record of a module. A module may be killed while it writes, so the last line may be incomplete.
    pub(crate) fn read(text: &[u8]) -> anyhow::Result<Vec<Noted>> {
        let whole = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let lines = text[..whole].split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        let read = |line: &[u8]| -> anyhow::Result<Noted> {
            let raw: Raw = serde_json::from_slice(line).context("a module's record")?;
            let what = match raw.what {
                RawWhat::Start(_) => What::Start,
                RawWhat::In(text) => What::In(bytes(&text)?),
                RawWhat::Request(text) => What::Request(bytes(&text)?),
                RawWhat::Out(text) => What::Out(bytes(&text)?),
                RawWhat::Eof(_) => What::Eof,
                RawWhat::Close(stream) => What::Close(stream),
                RawWhat::Exit(code) => What::Exit(code),
                RawWhat::Kill(signal) => What::Kill(signal),
                RawWhat::Signal(signal) => What::Signal(signal),
            };
            Ok(Noted {
                t: raw.t,
                process: raw.p,
                what,
            })
        };
        lines.map(read).collect()
    }
}
