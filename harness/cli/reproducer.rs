//! Writes files that reproduce findings.

use crate::failure::Failure;
use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};
use stickler_judge::View;
use stickler_suite::Redactor;
use stickler_transcript::{Transcript, write_transcripts};

/// The folder for Stickler's files.
pub const FOLDER: &str = ".stickler";

/// Writes the reproducers.
///
/// # Errors
/// If they cannot be written.
pub fn write_all(reproducers: &[(PathBuf, Vec<Transcript>)]) -> Result<(), Failure> {
    for (path, transcripts) in reproducers {
        save(path, transcripts)?;
    }
    Ok(())
}

/// Writes all sessions of a run.
///
/// # Errors
/// If the files cannot be written.
pub fn keep(sessions: &[impl View], redactor: &Redactor) -> Result<PathBuf, Failure> {
    let folder = Path::new(FOLDER).join("sessions");
    for session in sessions {
        let transcript = redactor.redacted(&session.reading().transcript);
        let name: String = transcript
            .case
            .id
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || "-_.=".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        save(&folder.join(format!("{name}.jsonl")), &[transcript])?;
    }
    Ok(folder)
}

/// Writes a temporary file and renames it, so that the file is either complete or absent.
fn save(path: &Path, transcripts: &[Transcript]) -> Result<PathBuf, Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || -> anyhow::Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let mut bytes = Vec::new();
        write_transcripts(&mut bytes, transcripts)?;
        let unfinished = path.with_extension("part");
        fs::write(&unfinished, bytes).with_context(|| format!("writing {}", path.display()))?;
        fs::rename(&unfinished, path).with_context(|| format!("writing {}", path.display()))?;
        Ok(())
    };
    write()?;
    Ok(path.to_owned())
}
