//! The web page of a campaign on an agent.

use super::ended::{End, Ended};
use super::view::verdict;
use crate::args::FuzzArgs;
use stickler_face::{Face, Failure};
use stickler_judge::{Exit, Pages};
use stickler_report::{Campaign, Defect, Sample, Sources, thousands};

/// What is known of a campaign before it begins.
pub(super) struct About {
    pub(super) subject: String,
    pub(super) command: String,
    pub(super) facts: Vec<String>,
    pub(super) began: String,
    pub(super) seed: u64,
}

/// The page.
///
/// # Errors
/// If it cannot be rendered.
pub(super) fn page(
    face: &dyn Face,
    args: &FuzzArgs,
    about: About,
    ended: &Ended,
    exit: Exit,
) -> Result<Vec<u8>, Failure> {
    let status = &ended.status;
    let number = |count: u64| thousands(usize::try_from(count).unwrap_or(usize::MAX));
    let mut remarks = Vec::new();
    match ended.end {
        End::Limit => {}
        End::Finding => remarks.push("The campaign ended at the first finding that fails it."),
        End::Interrupted => remarks.push("The campaign was interrupted."),
    }
    remarks.push(match status.branches {
        Some(_) => "It followed the agent's branches, exits, messages and requests.",
        None => "It followed the agent's exits, messages and requests.",
    });
    let defects = ended.found.iter().map(|one| Defect {
        outcome: one.outcome.clone(),
        at: one.at.as_secs_f64(),
        cases: one.cases,
        shown: (1, 1),
        again: false,
    });
    let samples = ended.samples.iter().map(|one| Sample {
        at: one.time.as_secs_f64(),
        requests: one.requests,
        corpus: one.corpus,
        answers: one.corpus,
        lines: one.branches,
    });
    let counters = [
        ("situations", number(status.cases)),
        ("requests", number(status.requests)),
        ("corpus", thousands(status.corpus)),
        ("not seen again", thousands(status.unstable)),
    ];
    let campaign = Campaign {
        subject: about.subject,
        location: String::new(),
        command: about.command,
        facts: about.facts,
        verdict: verdict(ended),
        exit,
        strict: args.strict,
        began: about.began,
        seconds: status.time.as_secs_f64(),
        seed: Some(about.seed),
        remarks: remarks.into_iter().map(str::to_owned).collect(),
        pages: Pages::of_rules(face.dialect().all_rules()),
        defects: defects.collect(),
        counters: counters
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec(),
        samples: samples.collect(),
        yields: Vec::new(),
        unreached: Vec::new(),
        sources: Sources::Unknown("Agents do not tell which of their lines ran.".to_owned()),
    };
    let mut page = Vec::new();
    stickler_report::render_campaign(&campaign, &mut page)
        .map_err(|error| Failure::harness(stickler_face::failure::chain(&error)))?;
    Ok(page)
}
