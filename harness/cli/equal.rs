//! `stickler equal`: one intent, which subjects of any dialects bring about, and where they part.

mod show;

use crate::args::EqualArgs;
use crate::reproducer;
use std::path::{Path, PathBuf};
use stickler_face::args::{ListFormat, SandboxArgs, SubjectArgs};
use stickler_face::missing::missing;
use stickler_face::{
    Chosen, Dialects, Done, Failure, Interrupt, chosen, placeholder, subject, terminal,
};
use stickler_judge::Exit;
use stickler_session::sandbox::Tier;
use stickler_suite::config::{Config, EqualFile, Intent, Party};
use stickler_suite::equal::{Held, Line, Verdict, compare, hold};
use stickler_suite::{Bench, Dialect, Redactor};
use stickler_transcript::Transcript;

pub fn run(dialects: &Dialects, args: &EqualArgs) -> Done {
    if !args.file.exists() {
        return Err(missing(&args.file));
    }
    let (intent, subjects) = read(dialects, &args.file)?;
    let with_name = |subject: &Subject<'_>, failure| named(&subject.party.name, &failure);
    let mut secrets = Redactor::default();
    let mut configs = Vec::new();
    for subject in &subjects {
        let config = describe(subject, &intent).map_err(|failure| with_name(subject, failure))?;
        secrets = secrets.and(&Redactor::of(&config));
        configs.push(config);
    }
    let mut held = Vec::new();
    let mut tiers: Vec<Tier> = Vec::new();
    for (subject, config) in subjects.iter().zip(&configs) {
        let dialect = subject.chosen.face.dialect();
        let done = hold_with(dialect, config, &intent, &secrets, &args.sandbox);
        let (one, tier) = done.map_err(|failure| with_name(subject, failure))?;
        held.push(one);
        tiers.push(tier);
    }
    if args.keep {
        keep(&held)?;
    }
    let sandbox = sandboxes(&tiers);
    no_drift(&args.file, &held)?;
    let (verdict, found) = compare(&held);
    match args.format {
        ListFormat::Json => {
            let lines = Line::all(&intent.name, &held, verdict, &found).into_iter();
            let text: String = lines.map(|line| line.text()).collect();
            terminal::print(redacted(&held, text))?;
        }
        ListFormat::Pretty => {
            let shown = show::Comparison {
                intent: &intent.name,
                held: &held,
                verdict,
                found: &found,
                sandbox: &sandbox,
                verbose: args.verbose,
                color: args.color.on_stdout(),
            };
            terminal::print(redacted(&held, shown.text()))?;
        }
    }
    Ok(match verdict {
        Verdict::Agree => Exit::Success,
        Verdict::Differ => Exit::Findings,
        Verdict::Nothing => Exit::NothingExercised,
    })
}

/// A subject of the comparison.
struct Subject<'d> {
    chosen: Chosen<'d>,
    /// Its `stickler.toml`.
    description: PathBuf,
    party: Party,
}

/// Reads the file, each subject in the words of its dialect.
fn read<'d>(dialects: &'d Dialects, file: &Path) -> Result<(Intent, Vec<Subject<'d>>), Failure> {
    let all = dialects.words();
    let usage = |error: stickler_suite::config::ConfigError| Failure::usage(error.to_string());
    let own = EqualFile::read(file, all[0]).map_err(usage)?;
    let mut all_chosen = Vec::new();
    let mut parties = Vec::new();
    for (index, description) in own.descriptions.iter().enumerate() {
        let chosen = chosen::of_subject(dialects, &described(description))?;
        let words = chosen.face.vocabulary();
        let party = own.party(index, words);
        parties.push(party.map_err(|error| usage(error.among(words, &all)))?);
        all_chosen.push(chosen);
    }
    own.name(&mut parties, all[0]).map_err(usage)?;
    let with = all_chosen.into_iter().zip(&own.descriptions).zip(parties);
    let subjects = with.map(|((chosen, description), party)| Subject {
        chosen,
        description: description.clone(),
        party,
    });
    Ok((own.intent.clone(), subjects.collect()))
}

/// The arguments that name a description.
fn described(file: &Path) -> SubjectArgs {
    SubjectArgs {
        config: Some(file.to_owned()),
        ..SubjectArgs::default()
    }
}

/// Reads the description of a subject. The intent is its only example.
fn describe(subject: &Subject<'_>, intent: &Intent) -> Result<Config, Failure> {
    let config = subject::describe(&subject.chosen, &described(&subject.description))?;
    let config = subject.party.join(intent, config);
    for note in placeholder::in_examples(&config) {
        terminal::note(&note);
    }
    Ok(config)
}

/// Holds the sessions of a subject.
fn hold_with(
    dialect: &dyn Dialect,
    config: &Config,
    intent: &Intent,
    secrets: &Redactor,
    sandbox: &SandboxArgs,
) -> Result<(Held, Tier), Failure> {
    let argv = subject::prepare(dialect, config, &Interrupt::default())?;
    let host = subject::host(dialect, sandbox, config)?;
    let bench = Bench {
        dialect,
        host: &host,
        config,
        argv: &argv,
    };
    let held = hold(&bench, intent, secrets)?;
    Ok((held, host.tier()))
}

/// A failure with the name of the subject in front.
fn named(name: &str, failure: &Failure) -> Failure {
    let name = stickler_report::visible(name);
    Failure {
        exit: failure.exit,
        message: format!("subject \"{name}\": {}", failure.message),
    }
}

/// Refuses commands for drift that fail for each subject: then it is the commands that are wrong.
fn no_drift(file: &Path, held: &[Held]) -> Result<(), Failure> {
    let whys: Option<Vec<&String>> = held.iter().map(|one| one.no_drift.as_ref()).collect();
    match whys.as_deref() {
        Some([why, ..]) => Err(Failure::usage(format!(
            "{}: `drift` cannot be run with any subject: {why}",
            file.display()
        ))),
        _ => Ok(()),
    }
}

/// The sandboxes in words. Says what only the best one shows.
fn sandboxes(tiers: &[Tier]) -> String {
    let mut names: Vec<String> = Vec::new();
    for tier in tiers {
        let name = subject::sandbox(&tier.to_string());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if tiers.iter().any(|tier| *tier != Tier::Overlay) {
        terminal::note(
            "without the overlay sandbox, only changes in the scratch directory are seen",
        );
    }
    names.join(" and ")
}

/// Keeps the sessions of all subjects.
fn keep(held: &[Held]) -> Result<(), Failure> {
    let folder = Path::new(reproducer::FOLDER).join("equal");
    for one in held {
        let name = reproducer::file_name(&one.name);
        let transcripts: &[Transcript] = &one.transcripts;
        reproducer::save(&folder.join(format!("{name}.jsonl")), transcripts)?;
    }
    terminal::note(&format!("all sessions are kept in {}", folder.display()));
    Ok(())
}

/// The text without the secrets of all subjects.
fn redacted(held: &[Held], text: String) -> String {
    held.iter().fold(text, |text, one| one.redactor.text(&text))
}
