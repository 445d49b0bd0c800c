//! The settings of campaigns, and what can go wrong with them.

use crate::parsed;
use stickler_face::args::SubjectArgs;
use stickler_face::{Face, Failure};
use stickler_fuzz::CampaignError;
use stickler_suite::RunSettings;

/// What went wrong with a campaign, and the exit code for it.
pub fn failure(error: CampaignError) -> Failure {
    match error {
        CampaignError::Run(error) => Failure::from(error),
        CampaignError::Corpus(error) => Failure::usage(error.to_string()),
    }
}

/// The settings of the first sessions and of the workers.
///
/// # Errors
/// If no session may run, or if the dialect's options cannot be read.
pub fn settings(
    face: &dyn Face,
    subject: &SubjectArgs,
    jobs: Option<usize>,
    seed: u64,
) -> Result<RunSettings, Failure> {
    Ok(RunSettings {
        jobs: parsed::jobs(jobs)?,
        seed,
        speech: face.speech(&subject.given)?,
        ..RunSettings::default()
    })
}
