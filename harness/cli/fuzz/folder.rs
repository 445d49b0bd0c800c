//! The folder of a campaign: its corpus, its findings, and a summary of how far it came. Campaigns on
//! many machines are merged by their folders.

use anyhow::Context;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use stickler_judge::Exit;
use stickler_report::count;
use stickler_transcript::read_transcripts;

/// The corpus in the folder.
pub const CORPUS: &str = "corpus";
/// The files that reproduce findings.
pub const FINDINGS: &str = "findings";
/// How far the campaign came.
pub const SUMMARY: &str = "summary.json";

/// Is it the folder of a campaign, and no corpus?
pub fn is_campaign(folder: &Path) -> bool {
    folder.join(SUMMARY).is_file()
        || [CORPUS, FINDINGS]
            .iter()
            .any(|part| folder.join(part).is_dir())
}

/// Writes a file, which is either whole or as it was.
pub fn write(path: &Path, value: &Value) -> anyhow::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    put(path, &text)
}

/// The same with bytes.
pub fn put(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Several may write into one folder.
    let unfinished = folder.join(format!(".{name}.{}.part", std::process::id()));
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        fs::File::create(&unfinished)?.write_all(bytes)?;
        fs::rename(&unfinished, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&unfinished);
    })?;
    Ok(())
}

/// What one campaign came to.
pub struct Came {
    folder: PathBuf,
    cases: u64,
    /// The defects of each level.
    found: [u64; 3],
    ended: String,
    exit: u8,
}

impl Came {
    /// Reads the summary in a folder. `None` if there is none.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(folder: &Path) -> anyhow::Result<Option<Came>> {
        let path = folder.join(SUMMARY);
        if !path.exists() {
            return Ok(None);
        }
        let wrong = || format!("{}: no summary of a campaign", path.display());
        let text = fs::read(&path).with_context(wrong)?;
        let value: Value = serde_json::from_slice(&text).with_context(wrong)?;
        let number = |name: &str| value[name].as_u64();
        let exit = number("exit").and_then(|exit| u8::try_from(exit).ok());
        Ok(Some(Came {
            folder: folder.to_owned(),
            cases: number("cases").with_context(wrong)?,
            found: ["must", "should", "may"].map(|level| number(level).unwrap_or(0)),
            ended: value["ended"].as_str().with_context(wrong)?.to_owned(),
            exit: exit.with_context(wrong)?,
        }))
    }

    /// What it came to, in a line.
    pub fn line(&self) -> String {
        let sessions = count(usize::try_from(self.cases).unwrap_or(usize::MAX), "session");
        let named = self.found.iter().zip(["must", "should", "advice"]);
        let found: String = named
            .filter(|(count, _)| **count > 0)
            .map(|(count, name)| format!(", {count} {name}"))
            .collect();
        let end = match &self.ended[..] {
            "running" => ", did not end properly",
            _ => "",
        };
        format!("{}: {sessions}{found}{end}", self.folder.display())
    }

    /// Its exit code. Without a session, nothing was tested.
    pub fn exit(&self) -> Exit {
        let known = [
            Exit::Findings,
            Exit::Usage,
            Exit::NoSession,
            Exit::NothingExercised,
            Exit::Harness,
        ];
        let exit = known.into_iter().find(|exit| *exit as u8 == self.exit);
        match exit {
            Some(exit) => exit,
            None if self.cases == 0 => Exit::NothingExercised,
            None => Exit::Success,
        }
    }
}

/// The summary of several campaigns, so that what was merged can be merged again.
pub fn merged(parts: &[Came], exit: Exit) -> Value {
    let sum = |of: &dyn Fn(&Came) -> u64| parts.iter().map(of).sum::<u64>();
    json!({
        "event": "merged",
        "parts": parts.iter().map(|part| part.folder.display().to_string()).collect::<Vec<_>>(),
        "cases": sum(&|part| part.cases),
        "ended": "merged",
        "exit": exit as u8,
    })
}

/// What came of merging findings.
#[derive(Default)]
pub struct Findings {
    /// The files of defects that were not known.
    pub new: Vec<PathBuf>,
    /// What was left out, and why.
    pub wrong: Vec<String>,
}

/// Copies findings. Of one defect, which has the same name everywhere, the shorter file stays.
///
/// # Errors
/// If a folder cannot be read, or a file not be written.
pub fn merge_findings(into: &Path, from: &[PathBuf]) -> anyhow::Result<Findings> {
    let mut merged = Findings::default();
    for folder in from {
        let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        files.retain(|file| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".jsonl") && !name.starts_with('.')
        });
        for file in files {
            let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
            if let Err(error) = read_transcripts(&bytes[..]) {
                merged.wrong.push(format!("{}: {error}", file.display()));
                continue;
            }
            let to = into.join(file.file_name().unwrap_or_default());
            let known = fs::metadata(&to).ok().map(|data| data.len());
            if known.is_none_or(|known| (bytes.len() as u64) < known) {
                put(&to, &bytes).with_context(|| to.display().to_string())?;
            }
            if known.is_none() {
                merged.new.push(to);
            }
        }
    }
    Ok(merged)
}
