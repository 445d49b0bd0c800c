//! `stickler fuzz merge` and `stickler fuzz min`.

use super::{failure, settings, sources};
use crate::args::{MergeArgs, MinArgs};
use crate::face::{self, Face, Job};
use crate::failure::{Done, Failure};
use crate::interrupt::Interrupt;
use crate::{subject, terminal};
use std::sync::atomic::AtomicBool;
use stickler_fuzz::{
    Ended, Finding, Follow, Limits, Setup, Status, campaign, merge as merged, minimised,
};
use stickler_judge::Exit;
use stickler_report::count;

/// Copies the inputs of several corpora into one.
pub fn merge(args: &MergeArgs) -> Done {
    let (added, wrong) =
        merged(&args.into, &args.from).map_err(|error| Failure::usage(error.to_string()))?;
    for error in &wrong {
        terminal::note(&format!("left out: {error}"));
    }
    let added = count(added, "new input");
    terminal::print(format!("{}: {added}\n", args.into.display()))?;
    Ok(Exit::Success)
}

/// Runs a corpus, and removes what shows nothing that other inputs do not show.
pub fn minimise(args: &MinArgs) -> Done {
    let interrupt = Interrupt::catch()?;
    let args = &MinArgs {
        subject: subject::of_module(&args.subject, args.module.as_ref())?,
        ..args.clone()
    };
    if !args.corpus.is_dir() {
        return Err(subject::missing(&args.corpus));
    }
    let dialect = subject::dialect(&args.subject)?;
    face::with(&dialect, Min { args, interrupt })?
}

struct Min<'a> {
    args: &'a MinArgs,
    interrupt: Interrupt,
}

impl Job for Min<'_> {
    type Done = Done;

    fn with<F: Face>(self, face: &F) -> Done {
        let Min { args, interrupt } = self;
        let config = subject::describe(face, &args.subject)?;
        let argv = subject::argv(face, &config)?;
        let host = subject::host(&args.sandbox, &config)?;
        let setup = Setup {
            host: &host,
            config: &config,
            argv: &argv,
            // One after the other, so that the smallest input comes first.
            settings: &settings(args.speaker, Some(1), 0)?,
            rules: &face.rules(),
            corpus: &args.corpus,
            sources: &sources(&config),
            coverage: None,
            wants_coverage: false,
            limits: Limits {
                replay_only: true,
                ..Limits::default()
            },
            strict: false,
        };
        let outcome = campaign(face, &setup, &Silent(&interrupt)).map_err(failure)?;
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
}

/// Shows nothing.
struct Silent<'i>(&'i Interrupt);

impl Follow for Silent<'_> {
    fn found(&self, _: &Finding) {}
    fn note(&self, text: &str) {
        terminal::note(text);
    }
    fn status(&self, _: &Status) {}
    fn stop(&self) -> &AtomicBool {
        self.0.stop()
    }
}
