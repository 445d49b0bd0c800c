//! The subject's command line.

use crate::config::Config;
use crate::error::RunError;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use stickler_transcript::Bytes;

/// The subject's command line, with its programs looked up.
///
/// # Errors
/// If the module or its interpreter does not exist; the message says what to do.
pub fn command_line(config: &Config) -> Result<Vec<Bytes>, RunError> {
    let subject = &config.subject;
    let words: Vec<PathBuf> = if subject.command.is_empty() {
        let Some(path) = &subject.path else {
            return Err(RunError::Subject(
                "no module is named; give its path, or `path` in stickler.toml".into(),
            ));
        };
        subject
            .interpreter
            .iter()
            .map(PathBuf::from)
            .chain([absolute(config, path)])
            .collect()
    } else {
        subject.command.iter().map(PathBuf::from).collect()
    };
    Ok(words
        .into_iter()
        .map(|word| word.into_os_string().into_vec().into())
        .collect())
}

fn absolute(config: &Config, path: &std::path::Path) -> PathBuf {
    let joined = config.dir.join(path);
    std::fs::canonicalize(&joined).unwrap_or(joined)
}
