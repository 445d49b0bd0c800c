//! `--last-failed`: the sessions behind the failures of the last check. Its reproducers hold them.

use crate::transcripts;
use std::collections::BTreeSet;
use std::path::Path;
use stickler_face::Failure;
use stickler_judge::Rule;

/// What failed.
pub(super) struct LastFailed {
    /// The codes of the rules.
    pub codes: BTreeSet<String>,
    /// The names of the sessions.
    pub cases: BTreeSet<String>,
}

/// Reads the reproducers of a subject, by the beginning of their names. `None` if there are none.
///
/// # Errors
/// If one cannot be read.
pub(super) fn read(
    folder: &Path,
    name: &str,
    rules: &[&Rule],
) -> Result<Option<LastFailed>, Failure> {
    let mut last = LastFailed {
        codes: BTreeSet::new(),
        cases: BTreeSet::new(),
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, file) = (entry.path(), entry.file_name());
        let Some(code) = file
            .to_str()
            .and_then(|file| file.strip_suffix(".jsonl"))
            .and_then(|file| file.strip_prefix(name)?.strip_prefix('-')?.split_once('-'))
            .map(|(code, _)| code)
        else {
            continue;
        };
        if rules.iter().any(|rule| rule.code == code) {
            let sessions = transcripts::read(&path)?;
            last.codes.insert(code.to_owned());
            last.cases
                .extend(sessions.into_iter().map(|one| one.case.id));
        }
    }
    Ok(Some(last).filter(|last| !last.codes.is_empty()))
}
