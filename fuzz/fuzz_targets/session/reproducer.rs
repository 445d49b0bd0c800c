//! Writes what `stickler replay` runs again, beside the crash of `libFuzzer`.

use std::fs::File;
use std::path::PathBuf;
use stickler_fuzz::Finding;
use stickler_suite::Redactor;
use stickler_transcript::write_transcripts;

/// Returns the path, or why there is no file.
pub fn save(finding: &Finding, redactor: &Redactor) -> String {
    // The prefix of a path, not always a folder.
    let mut arguments = std::env::args();
    let prefix = arguments.find_map(|argument| {
        let prefix = argument.strip_prefix("-artifact_prefix=")?;
        Some(prefix.to_owned())
    });
    let (rule, name) = (&finding.signature.rule, finding.input.name());
    let name = format!("{}session-{rule}-{name}.jsonl", prefix.unwrap_or_default());
    let transcripts = finding.transcripts.iter();
    let transcripts: Vec<_> = transcripts.map(|one| redactor.redacted(one)).collect();
    let written = File::create(&name)
        .map_err(|error| error.to_string())
        .and_then(|mut file| {
            write_transcripts(&mut file, &transcripts).map_err(|error| error.to_string())
        });
    match written {
        Ok(()) => std::fs::canonicalize(&name)
            .unwrap_or_else(|_| PathBuf::from(&name))
            .display()
            .to_string(),
        Err(why) => format!("(no file {name}: {why})"),
    }
}
