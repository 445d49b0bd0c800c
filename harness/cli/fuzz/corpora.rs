//! `stickler fuzz merge` and `stickler fuzz min`.

use super::earlier;
use super::folder::{self, Came};
use super::settings::{failure, settings};
use crate::args::{MergeArgs, MinArgs};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use stickler_face::{Chosen, Dialects, Done, Failure, Interrupt, chosen, subject, terminal};
use stickler_fuzz::{
    CampaignEvent, Ended, Limits, Setup, campaign, merge as merged, minimised, sources,
};
use stickler_judge::Exit;
use stickler_report::count;
use stickler_suite::{Bench, Observer};

/// Copies the inputs of several corpora into one, or all that several campaigns have found.
pub fn merge(args: &MergeArgs) -> Done {
    let all = args.from.iter().chain([&args.into]);
    if all.clone().any(|folder| folder::is_campaign(folder)) {
        return merge_campaigns(args);
    }
    let added = inputs(&args.into, &args.from)?;
    terminal::print(format!("{}: {added}\n", args.into.display()))?;
    Ok(Exit::Success)
}

/// Copies inputs, and says how many are new.
fn inputs(into: &Path, from: &[PathBuf]) -> Result<String, Failure> {
    let (added, wrong) = merged(into, from).map_err(|error| Failure::usage(error.to_string()))?;
    for error in &wrong {
        terminal::note(&format!("left out: {error}"));
    }
    Ok(count(added, "new input"))
}

/// Copies inputs and findings. The exit code is the highest of the campaigns: what one machine has
/// found must not be lost.
fn merge_campaigns(args: &MergeArgs) -> Done {
    let usage = |error: anyhow::Error| Failure::usage(format!("{error:#}"));
    if let Some(missing) = args.from.iter().find(|folder| !folder.is_dir()) {
        let missing = missing.display();
        return Err(Failure::usage(format!("{missing}: no such folder")));
    }
    let (campaigns, mut corpora): (Vec<PathBuf>, Vec<PathBuf>) = args
        .from
        .iter()
        .cloned()
        .partition(|folder| folder::is_campaign(folder));
    let part = |name| {
        let parts = campaigns.iter().map(|folder| folder.join(name));
        parts.filter(|part| part.is_dir()).collect::<Vec<_>>()
    };
    corpora.extend(part(folder::CORPUS));
    let added = inputs(&args.into.join(folder::CORPUS), &corpora)?;
    let findings = args.into.join(folder::FINDINGS);
    let findings = folder::merge_findings(&findings, &part(folder::FINDINGS)).map_err(usage)?;
    for wrong in &findings.wrong {
        terminal::note(&format!("left out: {wrong}"));
    }
    earlier::merge(&args.into, &campaigns).map_err(usage)?;
    let (mut parts, mut exit) = (Vec::new(), Exit::Success);
    for folder in &campaigns {
        let came = Came::read(folder).map_err(usage)?;
        let code = came.as_ref().map_or(Exit::NothingExercised, Came::exit);
        match came {
            Some(came) => {
                terminal::print(format!("{}\n", came.line()))?;
                parts.push(came);
            }
            None => terminal::note(&format!(
                "{} has no {}: the result of its campaign is unknown",
                folder.display(),
                folder::SUMMARY
            )),
        }
        if code as u8 > exit as u8 {
            exit = code;
        }
    }
    if !campaigns.is_empty() {
        let summary = folder::merged(&parts, exit);
        folder::write(&args.into.join(folder::SUMMARY), &summary).map_err(usage)?;
    }
    let into = args.into.display();
    let new = count(findings.new.len(), "new finding");
    terminal::print(format!("{into}: {added}, {new}\n"))?;
    for finding in &findings.new {
        terminal::print(format!("  {}\n", finding.display()))?;
    }
    Ok(exit)
}

/// Runs a corpus, and removes what shows nothing that other inputs do not show.
pub fn minimise(dialects: &Dialects, args: &MinArgs) -> Done {
    let interrupt = Interrupt::catch()?;
    let args = &MinArgs {
        subject: subject::of_module(dialects, &args.subject, args.module.as_ref())?,
        ..args.clone()
    };
    if !args.corpus.is_dir() {
        return Err(stickler_face::missing::missing(&args.corpus));
    }
    let chosen = chosen::of_subject(dialects, &args.subject)?;
    minimised_with(&chosen, args, &interrupt)
}

fn minimised_with(chosen: &Chosen<'_>, args: &MinArgs, interrupt: &Interrupt) -> Done {
    let face = chosen.face;
    let dialect = face.dialect();
    let config = subject::describe(chosen, &args.subject)?;
    let argv = subject::prepare(dialect, &config, interrupt)?;
    let host = subject::host(dialect, &args.sandbox, &config)?;
    let setup = Setup {
        bench: Bench {
            dialect,
            host: &host,
            config: &config,
            argv: &argv,
        },
        // One after the other, so that the smallest input comes first.
        settings: &settings(face, &args.subject, Some(1), 0)?,
        rules: &dialect.rules(),
        corpus: &args.corpus,
        sources: &sources(&config),
        harvest: None,
        coverage: None,
        wants_coverage: false,
        before: &[],
        files: &[],
        run: 0,
        limits: Limits {
            replay_only: true,
            ..Limits::default()
        },
        strict: false,
    };
    let outcome = campaign(&setup, &Silent(interrupt)).map_err(failure)?;
    match outcome.ended {
        Ended::Interrupted => return Err(Failure::usage("interrupted: nothing was removed")),
        Ended::Empty(why) => {
            return Err(Failure {
                exit: Exit::NothingExercised,
                message: format!("nothing was removed: {why}"),
            });
        }
        _ => {}
    }
    let removed = minimised(&args.corpus, &outcome.corpus)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let kept = count(outcome.corpus.len(), "input");
    let removed = count(removed, "input");
    terminal::print(format!(
        "{}: {kept} kept, {removed} removed\n",
        args.corpus.display()
    ))?;
    Ok(Exit::Success)
}

/// Shows only notes.
struct Silent<'i>(&'i Interrupt);

impl Observer<CampaignEvent<'_>> for Silent<'_> {
    fn tell(&self, event: CampaignEvent<'_>) {
        if let CampaignEvent::Note(text) = event {
            terminal::note(text);
        }
    }

    fn stop(&self) -> &AtomicBool {
        self.0.stop()
    }
}
