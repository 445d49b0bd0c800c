//! The settings of campaigns, and what can go wrong with them.

use crate::args::Speaker;
use crate::failure::Failure;
use crate::parsed;
use stickler_fuzz::CampaignError;
use stickler_suite::RunSettings;

/// What went wrong with a campaign, and the exit code for it.
pub fn failure(error: CampaignError) -> Failure {
    match error {
        CampaignError::Run(error) => Failure::from(error),
        CampaignError::Corpus(error) => Failure::usage(error.to_string()),
    }
}

/// The settings of the first sessions and of the workers, which speak so.
///
/// # Errors
/// If no session may run.
pub fn settings(speaker: Speaker, jobs: Option<usize>, seed: u64) -> Result<RunSettings, Failure> {
    Ok(RunSettings {
        jobs: parsed::jobs(jobs)?,
        seed,
        speech: speaker.into(),
        ..RunSettings::default()
    })
}
