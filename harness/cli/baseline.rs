//! `stickler check --baseline`: today's failures become known ones.

use crate::failure::{Done, Failure};
use crate::terminal;
use std::fmt::Write as _;
use stickler_judge::{Exit, Outcome, Verdict};
use stickler_suite::config::Config;

/// Appends an `[[xfail]]` for each failed rule to the configuration file.
///
/// # Errors
/// Where there is no file, or it cannot be written.
pub fn write(config: &Config, outcomes: &[Outcome]) -> Done {
    let Some(file) = &config.file else {
        return Err(Failure::usage(
            "--baseline writes into stickler.toml, and there is none here; `stickler init MODULE` writes one",
        ));
    };
    let failed: Vec<&Outcome> = outcomes
        .iter()
        .filter(|outcome| matches!(outcome.verdict, Verdict::Fail | Verdict::Flaky))
        .collect();
    let mut text = std::fs::read_to_string(file).map_err(anyhow::Error::from)?;
    for outcome in &failed {
        let reason = format!(
            "known since {}: {}",
            crate::date::today(),
            outcome.message.as_deref().unwrap_or("fails")
        );
        // TOML's basic strings are quoted as JSON's are.
        let quoted = serde_json::to_string(&reason).map_err(anyhow::Error::from)?;
        let _ = write!(text, "\n[[xfail]]\nrule = \"{}\"\nreason = {quoted}\n", outcome.code);
    }
    let unfinished = file.with_extension("toml.part");
    std::fs::write(&unfinished, &text)
        .and_then(|()| std::fs::rename(&unfinished, file))
        .map_err(|error| Failure::usage(format!("writing {}: {error}", file.display())))?;
    terminal::note(&format!(
        "{} known failures written to {}; each has to fail from now on, or its entry be taken out",
        failed.len(),
        file.display()
    ));
    Ok(Exit::Success)
}
