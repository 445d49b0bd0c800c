//! Writes files that reproduce findings.

use anyhow::Context;
use std::fs;
use std::path::{Path, PathBuf};
use stickler_face::Failure;
use stickler_judge::AnySession;
use stickler_suite::Redactor;
use stickler_transcript::{Bytes, Transcript, write_transcripts};

/// The folder for Stickler's files.
pub const FOLDER: &str = ".stickler";

/// Writes all sessions of a run.
///
/// # Errors
/// If the files cannot be written.
pub fn keep(sessions: &[AnySession], redactor: &Redactor) -> Result<PathBuf, Failure> {
    let folder = Path::new(FOLDER).join("sessions");
    for session in sessions {
        let transcript = redactor.redacted(session.reading().transcript());
        let name = file_name(&transcript.case.id);
        save(&folder.join(format!("{name}.jsonl")), &[transcript])?;
    }
    Ok(folder)
}

/// How the names of a subject's reproducers begin: its path in its repository, or the name of its
/// program.
pub fn name(location: Option<&str>, argv: &[Bytes]) -> String {
    let program = || {
        let first = argv.first().map_or(&b""[..], |word| word);
        String::from_utf8_lossy(first).into_owned()
    };
    let path = location.map_or_else(program, str::to_owned);
    // Absolute paths differ from machine to machine.
    let path = if path.starts_with('/') {
        path.rsplit('/').next().unwrap_or_default()
    } else {
        &path
    };
    file_name(path)
}

/// A text as the name of a file, which is not hidden.
pub fn file_name(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.=".contains(c);
    text.trim_start_matches('.')
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .collect()
}

/// Removes the reproducers of earlier runs whose names begin so. What cannot be removed stays.
pub fn remove_stale(folder: &Path, prefixes: &[String], written: &[(PathBuf, Vec<Transcript>)]) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name.ends_with(".jsonl")
            && prefixes.iter().any(|prefix| name.starts_with(&prefix[..]))
            && !written.iter().any(|(known, _)| *known == path)
        {
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes a folder for Stickler's files. Version control ignores the usual one.
///
/// # Errors
/// If it cannot be made.
pub fn make(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let ignore = Path::new(FOLDER).join(".gitignore");
    if folder.starts_with(FOLDER) && !ignore.exists() {
        fs::write(ignore, "*\n")?;
    }
    Ok(())
}

/// Writes a file. It is either complete or absent.
///
/// # Errors
/// If it cannot be written.
pub fn save(path: &Path, transcripts: &[Transcript]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let unfinished = path.with_extension("part");
    let write = || -> anyhow::Result<()> {
        make(folder).with_context(|| format!("making {}", folder.display()))?;
        let mut bytes = Vec::new();
        write_transcripts(&mut bytes, transcripts)?;
        fs::write(&unfinished, bytes).with_context(|| format!("writing {}", path.display()))?;
        fs::rename(&unfinished, path).with_context(|| format!("writing {}", path.display()))?;
        Ok(())
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        Failure::usage(format!("{error:#}"))
    })
}
