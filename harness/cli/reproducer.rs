//! Files that reproduce findings.

use crate::failure::Failure;
use anyhow::Context;
use cfengine_protocol::Session;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stickler_judge::{Outcome, Verdict};
use stickler_suite::{Redactor, behind};
use stickler_transcript::{Transcript, write_transcripts};

/// The folder for what Stickler leaves.
pub const FOLDER: &str = ".stickler";

/// Writes one file for each failed rule and names it in the outcome.
///
/// # Errors
/// Where the files cannot be written.
pub fn write_all(
    outcomes: &mut [Outcome],
    sessions: &[Session],
    redactor: &Redactor,
) -> Result<(), Failure> {
    for outcome in outcomes {
        if !matches!(outcome.verdict, Verdict::Fail | Verdict::Flaky) {
            continue;
        }
        let needed = behind(sessions, outcome);
        if needed.is_empty() {
            continue;
        }
        let path = write(&outcome.code, sessions, &needed, redactor)?;
        outcome.reproducer = Some(path.display().to_string());
    }
    Ok(())
}

fn write(
    code: &str,
    sessions: &[Session],
    needed: &BTreeSet<usize>,
    redactor: &Redactor,
) -> Result<PathBuf, Failure> {
    let transcripts: Vec<Transcript> = needed
        .iter()
        .map(|index| {
            let mut transcript = sessions[*index].transcript.clone();
            redactor.transcript(&mut transcript);
            transcript
        })
        .collect();
    // Named by what was done, not by when: the same finding has the same name.
    let cases: Vec<&str> = transcripts.iter().map(|t| &t.case.id[..]).collect();
    let digest = blake3::hash(cases.join("\n").as_bytes()).to_hex();
    save(
        &Path::new(FOLDER).join(format!("{code}-{}.jsonl", &digest[..4])),
        &transcripts,
    )
}

/// Writes all sessions of a run.
///
/// # Errors
/// Where the files cannot be written.
pub fn keep(sessions: &[Session], redactor: &Redactor) -> Result<PathBuf, Failure> {
    let folder = Path::new(FOLDER).join("sessions");
    for session in sessions {
        let mut transcript = session.transcript.clone();
        redactor.transcript(&mut transcript);
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

/// Writes a file by way of a temporary one: it is whole or not there.
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
