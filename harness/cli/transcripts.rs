//! Stored transcripts, read from files.

use crate::failure::Failure;
use crate::subject::missing;
use cfengine_protocol::Session;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use stickler_transcript::{Transcript, read_transcripts};

/// The dialect that this Stickler judges.
const DIALECT: &str = "promise-module";

/// Reads all sessions of a file; `-` is standard input.
///
/// # Errors
/// Where there is no such file, or it holds something else; the message names
/// the file and says what to do.
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
                "{name}: is a folder; name the files in it: {name}/*.jsonl"
            )));
        }
        let open = File::open(file)
            .map_err(|error| Failure::usage(format!("{name}: cannot be read: {error}")))?;
        parse(&name, BufReader::new(open))?
    };
    for transcript in &transcripts {
        let dialect = &transcript.case.dialect;
        if dialect != DIALECT {
            return Err(Failure::usage(format!(
                "{name}: the session \"{}\" is of the dialect \"{dialect}\"; this Stickler judges \"{DIALECT}\"",
                transcript.case.id
            )));
        }
    }
    Ok(transcripts)
}

/// How messages call the file.
pub fn name(file: &Path) -> String {
    if file.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    }
}

fn parse(name: &str, source: impl BufRead) -> Result<Vec<Transcript>, Failure> {
    read_transcripts(source)
        .map_err(|error| Failure::usage(format!("{name}: {}", crate::failure::chain(&error))))
}

/// Ready to be judged.
pub fn sessions(transcripts: Vec<Transcript>) -> Vec<Session> {
    transcripts.into_iter().map(Session::new).collect()
}
