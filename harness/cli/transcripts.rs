//! Reads stored transcripts from files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use stickler_face::missing::missing;
use stickler_face::{Dialects, Failure};
use stickler_transcript::{Transcript, read_transcripts};

/// Reads all sessions of a file; `-` is standard input.
///
/// # Errors
/// If the file does not exist, or contains something else; the message names the file and says what
/// to do.
pub fn read(file: &Path) -> Result<Vec<Transcript>, Failure> {
    let name = name(file);
    let transcripts = if file.as_os_str() == "-" {
        parse(&name, std::io::stdin().lock())?
    } else {
        if !file.exists() {
            return Err(missing(file));
        }
        if file.is_dir() {
            return Err(Failure::usage(format!(
                "{name}: is a folder; name its files: {name}/*.jsonl"
            )));
        }
        let open = File::open(file)
            .map_err(|error| Failure::usage(format!("{name}: cannot be read: {error}")))?;
        parse(&name, BufReader::new(open))?
    };
    Ok(transcripts)
}

/// The file's name in messages.
pub fn name(file: &Path) -> String {
    if file.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    }
}

fn parse(name: &str, source: impl BufRead) -> Result<Vec<Transcript>, Failure> {
    read_transcripts(source).map_err(|error| {
        Failure::usage(format!("{name}: {}", stickler_face::failure::chain(&error)))
    })
}

/// The dialect of transcripts.
///
/// # Errors
/// If they have several dialects.
pub fn dialect<'t>(
    dialects: &Dialects,
    transcripts: impl IntoIterator<Item = &'t Transcript>,
) -> Result<String, Failure> {
    let mut transcripts = transcripts.into_iter();
    let Some(first) = transcripts.next() else {
        return Ok(dialects.usual().vocabulary().dialect.to_owned());
    };
    let dialect = &first.case.dialect;
    match transcripts.find(|other| other.case.dialect != *dialect) {
        None => Ok(dialect.clone()),
        Some(other) => Err(Failure::usage(format!(
            "the session \"{}\" has the dialect \"{}\", the session \"{}\" has \"{}\"; judge them separately",
            first.case.id, dialect, other.case.id, other.case.dialect
        ))),
    }
}
