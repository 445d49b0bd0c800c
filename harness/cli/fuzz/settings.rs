//! The settings of campaigns, and what can go wrong with them.

use crate::args::FuzzArgs;
use crate::parsed;
use std::time::{SystemTime, UNIX_EPOCH};
use stickler_face::args::SubjectArgs;
use stickler_face::{Face, Failure, terminal};
use stickler_fuzz::{CampaignError, Coverage as Followed, CoverageKind, Limits};
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

/// When a campaign ends.
///
/// # Errors
/// If an option cannot be read.
pub fn limits(args: &FuzzArgs) -> Result<Limits, Failure> {
    let time = args.time.as_deref().map(|text| {
        let wrong = || format!("--for {text}: write a duration such as 90s, 5m or 8h");
        parsed::duration(text).ok_or_else(|| Failure::usage(wrong()))
    });
    if args.cases == Some(0) {
        return Err(Failure::usage("--cases 0: at least one session must run"));
    }
    Ok(Limits {
        time: time.transpose()?,
        cases: args.cases,
        until_finding: args.until_finding,
        replay_only: args.replay_only,
    })
}

/// A campaign explores something else each time.
pub fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |now| now.as_nanos());
    // Short enough to type.
    u64::try_from(nanoseconds % 1_000_000_007).unwrap_or(0)
}

/// Opens the coverage of a subject, or notes why it is not followed. With `forced`, it is followed even if its memory
/// cannot be told from that of other programs.
///
/// # Errors
/// If its files cannot be made.
pub fn followed(
    kind: CoverageKind,
    forced: bool,
    subject: &str,
) -> Result<Option<Followed>, Failure> {
    match Followed::open(kind, forced) {
        Ok(opened) => Ok(Some(opened)),
        Err(_) if kind.shares_segments() => {
            terminal::note(&format!(
                "this {subject} was built with AFL++, but this user cannot separate its memory from \
                 other programs'; `--coverage afl` follows it nevertheless"
            ));
            Ok(None)
        }
        Err(error) => Err(Failure::harness(format!(
            "making a folder for coverage: {error}"
        ))),
    }
}
