//! `stickler check`: the conformance suite.

mod hints;
mod last_failed;
mod location;
mod select;
mod settings;
mod several;
mod watch;

pub use location::{files, location};
pub use select::selected;

use crate::bar::{Bar, Failures};
use crate::date;
use crate::outputs::{self, Output};
use crate::reproducer;
use hints::{facts, hints, readied, slow, untried};
use settings::settings;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use stickler_face::args::{CheckArgs, ReportArgs};
use stickler_face::missing::nearest;
use stickler_face::{Chosen, Dialects, Done, Face, Failure, Interrupt, chosen, subject, terminal};
use stickler_judge::{Exit, Pages, Report};
use stickler_report::{Format, Options, render};
use stickler_suite::config::Config;
use stickler_suite::{Bench, Checked, Checking, Filter};
use stickler_transcript::Event;

pub fn run(dialects: &Dialects, args: &CheckArgs) -> Done {
    if args.watch {
        return watch::run(dialects, args);
    }
    for own in dialects.each() {
        if let Some(done) = own.face.check(&own, args)? {
            return done;
        }
    }
    let interrupt = Interrupt::catch()?;
    if args.modules.len() > 1 {
        return several::run(dialects, args, &interrupt);
    }
    match one(dialects, args, args.modules.first(), &interrupt)? {
        Ended::Report(report) => Ok(report.exit()),
        Ended::Baseline(exit) => Ok(exit),
    }
}

/// When a check began.
struct Began {
    clock: Instant,
    date: String,
    /// How long the subject took to be made ready.
    readied: Duration,
}

/// What a check ends with.
enum Ended {
    /// Its report.
    Report(Box<Report>),
    /// A baseline that was written, which has no report.
    Baseline(Exit),
}

/// Checks one subject, and shows the report.
fn one(
    dialects: &Dialects,
    args: &CheckArgs,
    module: Option<&PathBuf>,
    interrupt: &Interrupt,
) -> Result<Ended, Failure> {
    let args = CheckArgs {
        subject: subject::of_module(dialects, &args.subject, module)?,
        ..args.clone()
    };
    let chosen = chosen::of_subject(dialects, &args.subject)?;
    if args.report.verbose {
        terminal::note(&format!("dialect {chosen}"));
    }
    check(&chosen, &args, interrupt)
}

fn check(chosen: &Chosen<'_>, args: &CheckArgs, interrupt: &Interrupt) -> Result<Ended, Failure> {
    let face = chosen.face;
    let dialect = face.dialect();
    let mut began = Began {
        clock: Instant::now(),
        date: date::now(),
        readied: Duration::ZERO,
    };
    let mut rules = selected(&args.report, &dialect.rules())?;
    let mut settings = settings(face, args, &rules)?;
    let mut config = subject::describe(chosen, &args.subject)?;
    only(&mut config, &args.examples)?;
    if args.baseline {
        crate::baseline::file(&config)?;
    }
    let readying = Instant::now();
    let argv = subject::prepare(dialect, &config, interrupt)?;
    began.readied = readying.elapsed();
    let host = subject::host(dialect, &args.sandbox, &config)?;
    let mut outputs = outputs::open(&args.report)?;
    let name = reproducer::name(location(&config).as_deref(), &argv);
    let last = match args.last_failed {
        true => last_failed::read(&args.reproducers, &name, &rules)?,
        false => None,
    };
    if let Some(last) = &last {
        rules.retain(|rule| last.codes.contains(rule.code));
        settings.filter = Some(Filter::Cases(last.cases.clone()));
    } else if args.last_failed {
        terminal::note(&format!(
            "nothing in {} failed in the last check: running all sessions",
            args.reproducers.display()
        ));
    }
    // Other formats are for programs, and a baseline has no report.
    let told = args.report.format == Format::Pretty && !args.baseline;
    let bar = Bar::of(interrupt.clone()).with_failures(told.then_some(Failures {
        strict: args.report.strict,
        color: args.report.color,
    }));
    settings.live = bar.live();
    let bench = Bench {
        dialect,
        host: &host,
        config: &config,
        argv: &argv,
    };
    let checking = Checking {
        bench,
        settings: &settings,
        rules: &rules,
        reproducers: &args.reproducers,
        name: &name,
    };
    let mut checked = stickler_suite::check(&checking, &bar)?;
    drop(bar);
    if checked.sessions.is_empty() && !checked.interrupted {
        return Err(Failure::usage("this shard has no case; use fewer shards"));
    }
    if args.words.is_some() && checked.chosen == 0 && !checked.interrupted {
        return Err(Failure::usage(format!(
            "-k \"{}\" chooses no session; `stickler check --durations=all` lists their names",
            args.words.as_deref().unwrap_or_default()
        )));
    }
    write_reproducers(&mut checked);
    let held_all = !checked.partial || last.is_some() && checked.unheld.why.is_none();
    if held_all && !checked.interrupted {
        let prefixes = rules.iter();
        let prefixes = prefixes.map(|rule| format!("{name}-{}-", rule.code));
        reproducer::remove_stale(
            &args.reproducers,
            &prefixes.collect::<Vec<_>>(),
            &checked.reproducers,
        );
    }
    let kept = if args.keep {
        reproducer::keep(&checked.sessions, &checked.redactor).map(|folder| {
            terminal::note(&format!("all sessions are kept in {}", folder.display()));
        })
    } else {
        Ok(())
    };
    if args.baseline && checked.interrupted {
        terminal::note("the run was interrupted, so no baseline is written");
    } else if args.baseline {
        let exit = crate::baseline::write(face.vocabulary(), &config, &checked)?;
        return kept.map(|()| Ended::Baseline(exit));
    }
    let report = report(face, args, &bench, &checked, began);
    show(&report, &args.report, &mut outputs)?;
    if let Some(most) = args.durations {
        let list = durations(&checked, most.0);
        if args.report.format == Format::Pretty {
            terminal::print(list)?;
        } else {
            // A program reads standard output.
            terminal::note(list.trim());
        }
    }
    kept?;
    // Sandboxes must be gone before the signal ends the program.
    drop(host);
    interrupt.obey();
    Ok(Ended::Report(Box::new(report)))
}

/// Leaves only the examples with these names.
fn only(config: &mut Config, names: &[String]) -> Result<(), Failure> {
    let known: Vec<&str> = config.examples.iter().map(|one| &one.name[..]).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&&name[..])) {
        let nearest = nearest(name, known.iter().copied());
        let hint = match (nearest, &known[..]) {
            (Some(near), _) => format!("did you mean \"{near}\"?"),
            (None, []) => "there is none".to_owned(),
            (None, known) => format!("the examples are: \"{}\"", known.join("\", \"")),
        };
        return Err(Failure::usage(format!(
            "--example {name}: no example has this name\n  {hint}"
        )));
    }
    let is_chosen = |name: &String| names.is_empty() || names.contains(name);
    config.examples.retain(|example| is_chosen(&example.name));
    Ok(())
}

/// The slowest sessions, as lines of text.
fn durations(checked: &Checked, most: usize) -> String {
    let sessions = checked.sessions.iter().map(|session| {
        let transcript = &session.reading().transcript();
        let took = transcript.events.last().map_or(0, Event::time);
        (took, &transcript.case.id)
    });
    let mut slowest: Vec<(u64, &String)> = sessions.collect();
    slowest.sort_by(|a, b| b.cmp(a));
    let mut text = String::from("\nslowest sessions:\n");
    for (took, id) in slowest.iter().take(most) {
        text.push_str(&format!("{:>8.3} s  {id}\n", *took as f64 / 1e6));
    }
    text
}

/// Writes the reproducers. A report names only those that were written.
fn write_reproducers(checked: &mut Checked) {
    for (path, transcripts) in &checked.reproducers {
        let Err(failure) = reproducer::save(path, transcripts) else {
            continue;
        };
        terminal::note(&format!("no reproducer: {}", failure.message));
        let name = path.display().to_string();
        for outcome in &mut checked.outcomes {
            outcome.reproducer.take_if(|known| *known == name);
        }
    }
}

fn report(
    face: &dyn Face,
    args: &CheckArgs,
    bench: &Bench<'_>,
    checked: &Checked,
    began: Began,
) -> Report {
    let config = bench.config;
    let idle = face.idle(&checked.sessions);
    let mut hints = hints(face, bench, checked, &idle);
    let ran = began.clock.elapsed().saturating_sub(began.readied);
    hints.extend(slow(face, checked, ran, args));
    hints.extend(readied(began.readied));
    if checked.interrupted {
        hints.extend(untried(&checked.outcomes));
    }
    let first = checked.sessions.first();
    Report {
        subject: first.map_or_else(String::new, |session| session.case().subject.name.clone()),
        location: location(config).unwrap_or_default(),
        files: files(config),
        command: checked.redactor.text(&subject::shown(bench.argv)),
        began: began.date,
        rules_page: face.dialect().rules_page(),
        pages: Pages::of_rules(face.dialect().all_rules()),
        facts: facts(face, bench, checked),
        exchanges: checked.exchanges(),
        sessions: checked.sessions.len(),
        seconds: ran.as_secs_f64(),
        strict: args.report.strict,
        hints,
        seed: args.seed,
        interrupted: checked.interrupted,
        idle: !config.examples.is_empty() && !idle.is_empty(),
        without_examples: config.examples.is_empty() && face.without_items(config).is_none(),
        outcomes: checked.outcomes.clone(),
    }
}

/// Prints a report and writes its files.
///
/// # Errors
/// If that fails.
pub fn show(report: &Report, args: &ReportArgs, outputs: &mut [Output]) -> Result<(), Failure> {
    let options = Options {
        width: terminal::width(),
        color: args.color.on_stdout(),
        verbose: args.verbose,
        whole_conclusion: !terminal::is_shown(),
        ..Options::default()
    };
    let mut written = Ok(());
    for output in &mut *outputs {
        let mut bytes = Vec::new();
        let plain = Options {
            color: false,
            ..options.clone()
        };
        render(report, output.format, &plain, &mut bytes)
            .map_err(|error| Failure::harness(stickler_face::failure::chain(&error)))?;
        written = written.and(output.write(&bytes));
    }
    let mut bytes = Vec::new();
    render(report, args.format, &options, &mut bytes)
        .map_err(|error| Failure::harness(stickler_face::failure::chain(&error)))?;
    // The report is shown even if a file cannot be written.
    terminal::print(&bytes)?;
    written?;
    outputs.iter().for_each(Output::tell);
    Ok(())
}
