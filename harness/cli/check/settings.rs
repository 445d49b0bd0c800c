//! What the arguments say about the run.

use super::select::matching;
use crate::parsed;
use std::time::Duration;
use stickler_face::args::CheckArgs;
use stickler_face::{Face, Failure};
use stickler_judge::Rule;
use stickler_suite::{Effort, Filter, RunSettings, Words};

/// How long sessions are held by default.
const TIME: Duration = Duration::from_secs(60);

/// The settings of a run.
///
/// # Errors
/// If an argument is wrong.
pub(super) fn settings(
    face: &dyn Face,
    args: &CheckArgs,
    rules: &[&Rule],
) -> Result<RunSettings, Failure> {
    let shard = args.shard.as_deref().map(parsed::shard).transpose()?;
    let jobs = parsed::jobs(args.jobs)?;
    let exercised = match &args.sessions_for[..] {
        // Without `--select`, all sessions run: a rule may be broken in a session of another rule.
        [] if args.report.select.is_empty() => None,
        [] => Some(rules.to_vec()),
        prefixes => Some(matching(&face.dialect().rules(), prefixes)?),
    };
    let relations = exercised.map(|rules| {
        let relations = rules.iter().flat_map(|rule| rule.relations());
        relations.collect()
    });
    Ok(RunSettings {
        jobs,
        seed: args.seed,
        effort: match (args.quick, args.deep) {
            (true, _) => Effort::Quick,
            (_, true) => Effort::Deep,
            _ => Effort::Normal,
        },
        speech: face.speech(&args.subject.given)?,
        shard,
        relations,
        filter: args.words.as_deref().map(words).transpose()?,
        time: time(args, TIME * face.slowness(&args.subject.given)?)?,
        is_usual_time: args.time.is_none(),
        sessions: args.sessions,
        first_failure: args.first_failure,
        fewer_examples: !args.examples.is_empty(),
        warm: !args.cold,
        ..RunSettings::default()
    })
}

fn words(text: &str) -> Result<Filter, Failure> {
    let words = Words::parse(text).map_err(|error| Failure::usage(format!("-k: {error}")))?;
    Ok(Filter::Words(words))
}

/// The time of the run: as given, or a minute, or more for subjects that a check makes slower. By default, `--deep` and `--sessions` have no
/// limit, nor has a baseline, which would lack the failures that were not found in time.
fn time(args: &CheckArgs, usual: Duration) -> Result<Option<Duration>, Failure> {
    match args.time.as_deref() {
        None => Ok(Some(usual).filter(|_| !args.deep && !args.baseline && args.sessions.is_none())),
        Some("none") => Ok(None),
        Some(text) => {
            let wrong =
                || format!("--time {text}: write a duration such as 90s, 5m or 1h, or none");
            let time = parsed::duration(text).map(Some);
            time.ok_or_else(|| Failure::usage(wrong()))
        }
    }
}
