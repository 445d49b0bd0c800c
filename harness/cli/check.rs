//! `stickler check`: the conformance suite.

use crate::args::{CheckArgs, ReportArgs, Speaker};
use crate::face::{self, Face, Job};
use crate::failure::{Done, Failure};
use crate::interrupt::Interrupt;
use crate::outputs::{self, Output};
use crate::reproducer;
use crate::subject;
use crate::terminal::{self, Bar};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use stickler_judge::{Outcome, Report, Rule, Verdict, View};
use stickler_reading::Exchange;
use stickler_report::{Options, count, render};
use stickler_session::sandbox::{Host, Tier};
use stickler_suite::config::Config;
use stickler_suite::{Checked, Checking, Effort, Pace, Redactor, RunSettings, Speech};

pub fn run(args: &CheckArgs) -> Done {
    let dialect = subject::dialect(&args.subject)?;
    face::with(&dialect, Check(args))?
}

struct Check<'a>(&'a CheckArgs);

impl Job for Check<'_> {
    type Done = Done;
    fn with<F: Face>(self, face: &F) -> Done {
        check(face, self.0)
    }
}

fn check<F: Face>(face: &F, args: &CheckArgs) -> Done {
    let began = Instant::now();
    let rules = selected(&args.report, &face.rules())?;
    let settings = settings(args, &rules, &face.rules())?;
    let config = subject::describe(face, &args.subject)?;
    if args.baseline {
        crate::baseline::file(&config)?;
    }
    let argv = subject::argv(face, &config)?;
    let host = subject::host(&args.sandbox, &config)?;
    let mut outputs = outputs::open(&args.report.outputs)?;
    let interrupt = Interrupt::catch()?;
    let bar = Bar::of(interrupt.clone());
    let name = reproducer::name(location(&config).as_deref(), &argv);
    let checking = Checking {
        host: &host,
        config: &config,
        argv: &argv,
        settings: &settings,
        rules: &rules,
        reproducers: &args.reproducers,
        name: &name,
    };
    let mut checked = stickler_suite::check(face, &checking, &bar)?;
    drop(bar);
    if checked.sessions.is_empty() && !checked.interrupted {
        return Err(Failure::usage("this shard has no case; use fewer shards"));
    }
    write_reproducers(&mut checked);
    if !checked.partial && !checked.interrupted {
        let prefixes = rules.iter();
        let prefixes = prefixes.map(|rule| format!("{name}-{}-", rule.code));
        reproducer::remove_stale(
            &args.reproducers,
            &prefixes.collect::<Vec<_>>(),
            &checked.reproducers,
        );
    }
    let kept = if args.keep {
        reproducer::keep(&checked.sessions, &Redactor::of(&config)).map(|folder| {
            terminal::note(&format!("all sessions are kept in {}", folder.display()));
        })
    } else {
        Ok(())
    };
    if args.baseline && checked.interrupted {
        terminal::note("the run was interrupted, so no baseline is written");
    } else if args.baseline {
        let written = crate::baseline::write(face.vocabulary(), &config, &checked.outcomes)?;
        return kept.map(|()| written);
    }
    let report = report(face, args, &config, &host, &checked, began);
    show(&report, &args.report, &mut outputs)?;
    kept?;
    // Sandboxes must be gone before the signal ends the program.
    drop(host);
    interrupt.obey();
    Ok(report.exit())
}

/// Writes the reproducers. A report names only those that were written.
fn write_reproducers<S>(checked: &mut Checked<S>) {
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

/// The rules that the filters select.
///
/// # Errors
/// If they select none.
pub fn selected<V>(
    args: &ReportArgs,
    rules: &[&'static Rule<V>],
) -> Result<Vec<&'static Rule<V>>, Failure> {
    let mut selected = match &args.select[..] {
        [] => rules.to_vec(),
        prefixes => matching(rules, prefixes)?,
    };
    let ignored = matching(rules, &args.ignore)?;
    selected.retain(|rule| ignored.iter().all(|other| other.code != rule.code));
    if selected.is_empty() {
        return Err(Failure::usage(
            "--select and --ignore together leave no rule; `stickler rules` lists them",
        ));
    }
    Ok(selected)
}

/// The rules whose codes begin with one of these prefixes.
fn matching<'r, V>(
    rules: &[&'r Rule<V>],
    prefixes: &[String],
) -> Result<Vec<&'r Rule<V>>, Failure> {
    let prefixes: Vec<String> = prefixes.iter().map(|it| it.to_ascii_uppercase()).collect();
    let begins = |rule: &Rule<V>, prefix: &String| rule.code.starts_with(&prefix[..]);
    for prefix in &prefixes {
        if !rules.iter().any(|rule| begins(rule, prefix)) {
            return Err(Failure::usage(format!(
                "no rule begins with \"{prefix}\"; `stickler rules` lists them"
            )));
        }
    }
    let matches = |rule: &&&Rule<V>| prefixes.iter().any(|prefix| begins(rule, prefix));
    Ok(rules.iter().filter(matches).copied().collect())
}

fn settings<V>(
    args: &CheckArgs,
    rules: &[&Rule<V>],
    all: &[&Rule<V>],
) -> Result<RunSettings, Failure> {
    let shard = args.shard.as_deref().map(parse_shard).transpose()?;
    let jobs = match args.jobs {
        Some(0) => return Err(Failure::usage("--jobs 0: at least one session must run")),
        Some(jobs) => jobs,
        None => std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
    };
    let exercised = match &args.sessions_for[..] {
        // Without `--select`, all sessions run: a rule may be broken in a session of another rule.
        [] if args.report.select.is_empty() => None,
        [] => Some(rules.to_vec()),
        prefixes => Some(matching(all, prefixes)?),
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
        speech: match args.speaker {
            Speaker::Agent => Speech::Agent,
            Speaker::Spec => Speech::Spec,
        },
        shard,
        relations,
    })
}

fn parse_shard(text: &str) -> Result<(usize, usize), Failure> {
    let parsed = text
        .split_once('/')
        .and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match parsed {
        Some((k, n)) if 1 <= k && k <= n => Ok((k, n)),
        _ => Err(Failure::usage(format!(
            "--shard {text}: write K/N with K from 1 to N, such as 1/4"
        ))),
    }
}

/// How many failures of an interrupted run were not tried again.
fn untried(outcomes: &[Outcome]) -> Option<String> {
    let failed = outcomes.iter().filter(|one| one.verdict == Verdict::Fail);
    let all = failed.clone().count();
    let untried = failed.filter(|one| !one.confirmed).count();
    (untried > 0)
        .then(|| format!("{untried} of {all} failed rules were not tried again in a fresh process"))
}

fn report<F: Face>(
    face: &F,
    args: &CheckArgs,
    config: &Config,
    host: &Host,
    checked: &Checked<F::Session>,
    began: Instant,
) -> Report {
    let mut hints = hints(face, config, host, checked);
    hints.extend(slow(face, checked, began, args));
    if checked.interrupted {
        hints.extend(untried(&checked.outcomes));
    }
    let first = checked.sessions.first();
    Report {
        subject: first.map_or_else(String::new, |session| session.case().subject.name.clone()),
        location: location(config).unwrap_or_default(),
        facts: facts(face, config, host, checked),
        exchanges: checked.exchanges(),
        sessions: checked.sessions.len(),
        seconds: began.elapsed().as_secs_f64(),
        strict: args.report.strict,
        hints,
        seed: args.seed,
        interrupted: checked.interrupted,
        outcomes: checked.outcomes.clone(),
    }
}

/// The module's path for annotations: from the root of its repository, or else from the current
/// folder.
fn location(config: &Config) -> Option<String> {
    let path = config.dir.join(config.subject.path.as_ref()?);
    // The module may be a link to a file elsewhere.
    let folder = Path::new(".").join(path.parent()?).canonicalize().ok()?;
    let path = folder.join(path.file_name()?);
    let root = folder.ancestors().find(|root| root.join(".git").exists());
    let root = root.map(Path::to_owned).or(std::env::current_dir().ok());
    let local = root.and_then(|root| Some(path.strip_prefix(root).ok()?.to_owned()));
    Some(local.unwrap_or(path).display().to_string())
}

fn facts<F: Face>(
    face: &F,
    config: &Config,
    host: &Host,
    checked: &Checked<F::Session>,
) -> Vec<String> {
    let mut traits = face.traits(&checked.sessions);
    if !checked.knowledge.understood {
        traits.insert(0, face.vocabulary().not_understood.to_owned());
    }
    let mut facts = vec![face.described(&traits)];
    if let Some(interpreter) = &config.subject.interpreter {
        let name = interpreter.rsplit('/').next().unwrap_or(interpreter);
        facts.push(name.to_owned());
    }
    facts.push(match config.examples.len() {
        0 => "no example".to_owned(),
        1 => "1 example".to_owned(),
        n => format!("{n} examples"),
    });
    facts.extend(face.found(checked));
    facts.push(subject::sandbox(&host.tier().to_string()));
    facts
}

fn hints<F: Face>(
    face: &F,
    config: &Config,
    host: &Host,
    output: &Checked<F::Session>,
) -> Vec<String> {
    let mut hints = Vec::new();
    let subject = face.vocabulary().subject;
    if config.examples.is_empty() {
        let mut hint = match (&config.file, location(config)) {
            (Some(file), _) => format!(
                "nothing was evaluated, because there is no example: add an [[example]] to {}",
                file.display()
            ),
            (None, Some(module)) => format!(
                "nothing was evaluated, because there is no example: `stickler init {module}` writes one to fill in"
            ),
            (None, None) => format!(
                "nothing was evaluated, because there is no example: give {}",
                face.example_options()
            ),
        };
        if let Some(more) = face.example_hint(config, &output.sessions) {
            hint.push_str(&format!("; {more}"));
        }
        hints.push(hint);
    }
    if let Some(reason) = host.fallback_reason() {
        hints.push(format!("sandbox: {reason}"));
    }
    if host.tier() == Tier::None {
        hints.push(
            format!("without a sandbox, the {subject} changes this machine; only your examples were evaluated"),
        );
    }
    if output.not_held > 0 {
        hints.push(format!(
            "interrupted before {} could run: rules that passed so far may fail in these",
            count(output.not_held, "case")
        ));
    }
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, why) in &output.left_out {
        *left_out.entry(why).or_default() += 1;
    }
    hints.extend(
        left_out.into_iter().map(|(why, number)| {
            format!("{} left out: the {subject} {why}", count(number, "case"))
        }),
    );
    hints
}

/// What takes most of the time in a long run, and how to shorten it.
fn slow<F: Face>(
    face: &F,
    checked: &Checked<F::Session>,
    began: Instant,
    args: &CheckArgs,
) -> Option<String> {
    const LONG: Duration = Duration::from_secs(60);
    if args.quick || began.elapsed() < LONG {
        return None;
    }
    let mut times: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    let phases = face.vocabulary().phases;
    let sessions = checked.sessions.iter().map(View::reading);
    for exchange in sessions.flat_map(|reading| &reading.exchanges) {
        let exchange: &Exchange = exchange.borrow();
        let words = if face.vocabulary().opening == Some(exchange.phase) {
            "start"
        } else if phases.contains(&(exchange.phase, Pace::Work)) {
            "evaluation"
        } else {
            continue;
        };
        if let Some(us) = exchange.took() {
            let (sum, number) = times.entry(words).or_default();
            *sum += us;
            *number += 1;
        }
    }
    let (words, (us, number)) = times.into_iter().max_by_key(|(_, (us, _))| *us)?;
    let seconds = us as f64 / 1e6 / number.max(1) as f64;
    Some(format!(
        "each {words} of the {} takes {seconds:.2} s on average: --quick runs only the cheapest cases of each rule",
        face.vocabulary().subject
    ))
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
        ..Options::default()
    };
    let mut written = Ok(());
    for output in outputs {
        let mut bytes = Vec::new();
        let plain = Options {
            color: false,
            ..options.clone()
        };
        render(report, output.format, &plain, &mut bytes)
            .map_err(|error| Failure::harness(crate::failure::chain(&error)))?;
        written = written.and(output.write(&bytes));
    }
    let mut bytes = Vec::new();
    render(report, args.format, &options, &mut bytes)
        .map_err(|error| Failure::harness(crate::failure::chain(&error)))?;
    // The report is shown even if a file cannot be written.
    terminal::print(&bytes)?;
    written
}
