//! `stickler fuzz`: campaigns on a module.

mod agent;
mod corpora;
mod earlier;
mod folder;
mod live;
mod page;
mod seconds;
mod settings;
mod unreached;
mod yields;

use crate::args::{Coverage, FuzzArgs, FuzzCommand};
use crate::check::selected;
use crate::date;
use crate::outputs::Output;
use crate::parsed;
use crate::reproducer;
use earlier::Earlier;
use live::{Live, Own};
use page::About;
use settings::{any_seed, failure, followed, limits, settings};
use std::path::{Path, PathBuf};
use stickler_face::args::{ListFormat, ReportArgs};
use stickler_face::{Chosen, Dialects, Done, Failure, Interrupt, chosen, subject, terminal};
use stickler_fuzz::{
    CampaignOutcome, Coverage as Followed, CoverageKind, Ended, Limits, Setup, campaign, files,
    sources,
};
use stickler_judge::{Exit, Level, Pages};
use stickler_report::{Options, count};
use stickler_suite::config::{Config, Sandbox};
use stickler_suite::{Bench, Redactor, RunSettings};
use stickler_transcript::Bytes;

/// Runs the command.
pub fn run(dialects: &Dialects, args: &FuzzArgs) -> Done {
    match &args.command {
        Some(FuzzCommand::Merge(args)) => corpora::merge(args),
        Some(FuzzCommand::Min(args)) => corpora::minimise(dialects, args),
        Some(FuzzCommand::Runtime) => {
            terminal::print(stickler_fuzz::RUNTIME)?;
            Ok(Exit::Success)
        }
        None => {
            let interrupt = Interrupt::catch()?;
            if args.agent {
                return agent::run(dialects, args, &interrupt);
            }
            let args = &FuzzArgs {
                subject: subject::of_module(dialects, &args.subject, args.module.as_ref())?,
                ..args.clone()
            };
            let chosen = chosen::of_subject(dialects, &args.subject)?;
            fuzz(&chosen, args, &interrupt)
        }
    }
}

fn fuzz(chosen: &Chosen<'_>, args: &FuzzArgs, interrupt: &Interrupt) -> Done {
    let face = chosen.face;
    let dialect = face.dialect();
    let rules = selected(
        &ReportArgs {
            select: args.select.clone(),
            ignore: args.ignore.clone(),
            ..ReportArgs::default()
        },
        &dialect.rules(),
    )?;
    let limits = limits(args)?;
    let config = subject::describe(chosen, &args.subject)?;
    if let Some(why) = face.without_items(&config) {
        return Err(Failure::usage(format!("there is nothing to fuzz: {why}")));
    }
    let argv = subject::prepare(dialect, &config, interrupt)?;
    let name = reproducer::name(crate::check::location(&config).as_deref(), &argv);
    let usual = || Path::new(reproducer::FOLDER).join("fuzz").join(&name);
    let own = args.folder.clone().unwrap_or_else(usual);
    let corpus = args.corpus.clone();
    let corpus = corpus.unwrap_or_else(|| own.join(folder::CORPUS));
    let findings = args.reproducers.clone();
    let findings = findings.unwrap_or_else(|| own.join(folder::FINDINGS));
    let in_own = args.folder.is_some()
        || [&corpus, &findings]
            .iter()
            .any(|folder| folder.starts_with(&own));
    // A replay says nothing about the campaign that found the corpus.
    let is_own = in_own && !args.replay_only;
    let mut earlier = match is_own {
        true => Earlier::read(&own),
        false => Earlier::default(),
    };
    let before = match is_own {
        true => earlier::known(&own),
        false => Vec::new(),
    };
    let seed = args.seed.or(earlier.seed).unwrap_or_else(any_seed);
    let shard = args.shard.clone().or(earlier.shard.take());
    let settings = RunSettings {
        shard: shard.as_deref().map(parsed::shard).transpose()?,
        ..settings(face, &args.subject, args.jobs, seed)?
    };
    let run = earlier.runs;
    (earlier.seed, earlier.shard) = (Some(seed), shard);
    let files = files(&config);
    let coverage = coverage(args, &argv)?;
    let coverage = match args.report {
        Some(_) => coverage.map(|followed| followed.noting(&folders(&files))),
        None => coverage,
    };
    let shown = Config {
        sandbox: Sandbox {
            expose: exposed(&config, coverage.as_ref()),
            ..config.sandbox.clone()
        },
        ..config.clone()
    };
    let shares_segments = coverage
        .as_ref()
        .is_some_and(|coverage| coverage.kind().shares_segments());
    let host = subject::host_with(dialect, &args.sandbox, &shown, shares_segments)?;
    let bench = Bench {
        dialect,
        host: &host,
        config: &config,
        argv: &argv,
    };
    // Without examples, a campaign begins with what a look at the subject gives.
    let harvest = match config.examples.is_empty() && !args.replay_only {
        true => face.harvest(&bench)?,
        false => None,
    };
    let folder = args.report.as_deref();
    let mut output = folder.map(Output::page).transpose()?;
    // Version control ignores the usual folder, but not one that the user names.
    if in_own {
        reproducer::make(&own)
            .map_err(|error| Failure::usage(format!("{}: {error}", own.display())))?;
    }
    let live = Live::new(
        args,
        interrupt,
        &name,
        &findings,
        is_own.then_some(Own {
            folder: own,
            earlier,
        }),
        Redactor::of(&config),
    );
    let facts = facts(&bench, coverage.as_ref());
    live.title(&title(&facts, limits, seed));
    if let Some(harvest) = &harvest {
        live.harvested(harvest);
    }
    let about = About {
        pages: Pages::of_rules(dialect.all_rules()),
        subject: name.clone(),
        location: crate::check::location(&config).unwrap_or_default(),
        command: subject::shown(&argv),
        facts,
        began: date::now(),
        seed,
        files,
        totals: Vec::new(),
        unreached: Vec::new(),
    };
    let outcome = campaign(
        &Setup {
            bench,
            settings: &settings,
            rules: &rules,
            corpus: &corpus,
            sources: &sources(&config),
            harvest: harvest.as_ref(),
            coverage: coverage.as_ref(),
            wants_coverage: !matches!(args.coverage, Coverage::Auto | Coverage::Off),
            before: &before,
            files: &about.files,
            run,
            limits,
            strict: args.strict,
        },
        &live,
    )
    .map_err(failure)?;
    let redactor = live.redactor();
    let summary = live.ended(&outcome, exit(args, &outcome));
    let totals = live.totals(&outcome.status);
    let words = face.vocabulary();
    let mut brief = unreached::brief(&outcome, words, &redactor);
    if args.yields {
        brief.extend(yields::table(&outcome));
    }
    let reproducers = live.finish();
    let exit = exit(args, &outcome);
    let shown = report(
        args,
        &outcome,
        &reproducers,
        &corpus,
        &redactor,
        (&summary, &totals, &brief),
    );
    // The page is written even if standard output is closed.
    if let Some(output) = &mut output {
        let unreached = unreached::gaps(&outcome, words, &redactor);
        let about = About {
            totals,
            unreached,
            ..about
        };
        let campaign = page::campaign(
            args,
            about,
            &outcome,
            &reproducers,
            coverage.as_ref(),
            exit,
            &redactor,
        );
        let mut page = Vec::new();
        stickler_report::render_campaign(&campaign, &mut page)
            .map_err(|error| Failure::harness(stickler_face::failure::chain(&error)))?;
        output.write(&page)?;
        output.tell();
    }
    shown.map(|()| exit)
}

/// The exit code of a campaign.
fn exit(args: &FuzzArgs, outcome: &CampaignOutcome) -> Exit {
    let mut findings = outcome.findings.iter();
    match &outcome.ended {
        _ if findings.any(|finding| finding.fails(args.strict)) => Exit::Findings,
        Ended::Empty(_) => Exit::NothingExercised,
        Ended::Interrupted if outcome.status.cases == 0 => Exit::NothingExercised,
        _ => Exit::Success,
    }
}

/// How the module tells which lines it runs, if it does.
fn coverage(args: &FuzzArgs, argv: &[Bytes]) -> Result<Option<Followed>, Failure> {
    let kind = match args.coverage {
        Coverage::Off => None,
        Coverage::Python => Some(CoverageKind::Python),
        Coverage::Bash => Some(CoverageKind::Bash),
        Coverage::Ruby => Some(CoverageKind::Ruby),
        Coverage::Native => Some(CoverageKind::Native),
        Coverage::Afl => Some(CoverageKind::Afl),
        // A replay only looks whether something fails.
        Coverage::Auto if args.replay_only => None,
        Coverage::Auto => CoverageKind::of_command(argv),
    };
    let Some(kind) = kind else {
        return Ok(None);
    };
    followed(kind, args.coverage == Coverage::Afl, "module")
}

/// What sandboxes show: what the author says, and the files for coverage.
fn exposed(config: &Config, coverage: Option<&Followed>) -> Vec<PathBuf> {
    let mut exposed = config.sandbox.expose.clone();
    exposed.extend(coverage.map(|coverage| coverage.folder().to_owned()));
    exposed
}

/// The folders of these files, but not that of an interpreter: scripts beside it are not the
/// module's.
fn folders(files: &[PathBuf]) -> Vec<PathBuf> {
    let runs = |file: &&PathBuf| CoverageKind::of_program(&file.display().to_string()).is_some();
    let own = files.iter().filter(|file| !runs(file));
    own.filter_map(|file| Some(file.canonicalize().ok()?.parent()?.to_owned()))
        .collect()
}

/// Facts about the module and the campaign, in a few words each.
fn facts(bench: &Bench<'_>, coverage: Option<&Followed>) -> Vec<String> {
    let Bench {
        dialect,
        host,
        config,
        ..
    } = *bench;
    let words = dialect.vocabulary();
    let mut facts = vec![words.dialect.to_owned()];
    facts.push(match config.examples.len() {
        0 => "no example".to_owned(),
        n => count(n, "example"),
    });
    facts.push(subject::sandbox(&host.tier().to_string()));
    facts.push(match coverage {
        Some(coverage) => {
            let kind = coverage.kind();
            format!("follows {} {}", kind.name(), kind.units())
        }
        None => "follows answers".to_owned(),
    });
    facts
}

fn title(facts: &[String], limits: Limits, seed: u64) -> String {
    let mut parts = facts.to_vec();
    if !limits.replay_only {
        parts.push(format!("seed {seed}"));
    }
    parts.join(" · ")
}

/// Shows the findings again, with their excerpts, and how the campaign ended.
fn report(
    args: &FuzzArgs,
    outcome: &CampaignOutcome,
    reproducers: &[Option<PathBuf>],
    corpus: &Path,
    redactor: &Redactor,
    (summary, totals, unreached): (&serde_json::Value, &[String], &[String]),
) -> Result<(), Failure> {
    if args.format == ListFormat::Json {
        return terminal::print(format!("{summary}\n"));
    }
    let options = Options {
        width: terminal::width(),
        color: args.color.on_stdout(),
        verbose: args.verbose,
        ..Options::default()
    };
    let mut out = Vec::new();
    let shown = |level: Level| level > Level::May || args.verbose;
    for (finding, path) in outcome.findings.iter().zip(reproducers) {
        if !shown(finding.level) {
            continue;
        }
        let block = live::block(finding, path.as_deref(), redactor);
        out.push(b'\n');
        stickler_report::render_outcome(&block, args.strict, &options, &mut out)
            .map_err(|error| Failure::harness(stickler_face::failure::chain(&error)))?;
        if finding.again {
            out.extend(b"      an earlier run of this campaign found it\n");
        }
        if finding.is_flaky() {
            let (times, tries) = finding.shown;
            out.extend(
                format!("      flaky: it occurred in {times} of {tries} fresh processes\n").bytes(),
            );
        }
    }
    out.extend(live::closing(outcome, corpus, &[totals, unreached].concat(), args.verbose).bytes());
    terminal::print(&out)?;
    if let Ended::Empty(why) = &outcome.ended {
        terminal::error(&format!("nothing was tested: {why}"));
    }
    Ok(())
}
