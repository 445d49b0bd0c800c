//! `stickler conform`: plays situations with an agent under test, and says which measured release it behaves as, where
//! it does something else, and which rules it breaks.

mod choice;
mod follows;
mod known;
mod played;
mod record;
pub mod replay;

use crate::args::ConformArgs;
use crate::bar::Bar;
use crate::check::{selected, show};
use crate::{date, outputs, reproducer};
use choice::Choice;
use known::Known;
use played::{Run, own_situations, play, sessions};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;
use stickler_conform::{Standing, Stored, Table, Unplayed, agreements, situations, words};
use stickler_face::conform::{Conforming, texts};
use stickler_face::{Chosen, Dialects, Done, Face, Failure, Interrupt, subject, terminal};
use stickler_judge::{
    AnySession, Expectations, Explained, Pages, Report, Reported, Rule, Timeline, Verdict,
};
use stickler_suite::config::Config;
use stickler_suite::{Dialect, behind, judged};
use stickler_transcript::Transcript;

/// Runs the command.
pub fn run(dialects: &Dialects, args: &ConformArgs) -> Done {
    let chosen = match &args.dialect {
        Some(name) => dialects.named(name)?,
        None => dialects.named(dialects.usual().vocabulary().dialect)?,
    };
    let face = chosen.face;
    let program = args.command.first().map(Path::new);
    let is_own = program.and_then(Path::file_name) == Some("stickler".as_ref());
    if is_own && args.record.is_some() {
        return Err(Failure::usage(
            "--record writes what a real agent does, and this is Stickler's own",
        ));
    }
    let interrupt = Interrupt::catch()?;
    let began = (Instant::now(), date::now());
    let settings = Choice::of(args)?;
    let rules = rules(face, args)?;
    let known = args.baseline.as_deref().map(Known::read).transpose()?;
    let more = texts(&args.situations)?;
    let mut outputs = outputs::open(&args.report)?;
    let host = subject::host(face.dialect(), &args.sandbox, &Config::default())?;
    let asked = Conforming {
        command: &args.command,
        host: &host,
        more: &more,
        only: None,
        stop: interrupt.shared(),
    };
    let mut table = table(&chosen, &asked)?;
    let picked = settings.picked(&*table)?;
    if let Some(Some(known)) = &known {
        known.check(&*table, &face.dialect().rules_for_agents())?;
    }
    let bar = Bar::of(interrupt.clone());
    let played = play(&*table, &picked, &settings, &bar)?;
    drop(bar);
    let interrupted = interrupt.stop().load(Ordering::Relaxed);
    if let Some(name) = &args.record {
        return record::write(&mut *table, &played, name, &args.into, interrupted);
    }
    let unplayed = match interrupted {
        true => Unplayed::Interrupted,
        false => Unplayed::Time,
    };
    let sessions = sessions(face, &played, &own_situations(&more));
    let release = played.standing.as_ref().map(|one| &one.release[..]);
    let partial = picked.len() < table.len();
    let mut outcomes = Vec::new();
    if args.report.select.is_empty() {
        let all = situations(
            &*table,
            &picked,
            &played.ran,
            release,
            &played.differing,
            unplayed,
        );
        outcomes.extend(all.into_iter().map(|one| match &known {
            Some(Some(known)) => known.applied(one),
            _ => one,
        }));
    }
    let expectations = match &known {
        Some(Some(known)) => known.expectations(partial),
        _ => Expectations::default(),
    };
    let agent = name(&*table);
    let broken = judged(face.dialect(), &rules, &sessions, &expectations);
    let broken = broken
        .into_iter()
        .map(|outcome| reported(outcome, &sessions));
    // Rules say why, situations only where.
    outcomes.splice(0..0, broken);
    follows::file(&mut outcomes, &sessions, &table.broken());
    let written = reproducers(
        args,
        &agent,
        face.vocabulary().dialect,
        &*table,
        &played,
        &sessions,
        &mut outcomes,
    );
    if !partial && !interrupted && args.report.select.is_empty() && args.report.ignore.is_empty() {
        reproducer::remove_stale(&args.reproducers, &[format!("{agent}-")], &written);
    }
    if let (Some(file), Some(None)) = (&args.baseline, &known) {
        return known::write(file, &outcomes, &sessions, interrupted);
    }
    let report = report(
        face,
        args,
        &*table,
        &played,
        &sessions,
        outcomes,
        began,
        interrupted,
    );
    show(&report, &args.report, &mut outputs)?;
    drop(table);
    drop(host);
    interrupt.obey();
    Ok(report.exit())
}

/// The rules for agents that judge.
fn rules(face: &dyn Face, args: &ConformArgs) -> Result<Vec<&'static Rule>, Failure> {
    let all = face.dialect().rules_for_agents();
    match all.is_empty() && args.report.select.is_empty() {
        true => Ok(all),
        false => selected(&args.report, &all),
    }
}

fn table(chosen: &Chosen<'_>, asked: &Conforming<'_>) -> Result<Box<dyn Table>, Failure> {
    let words = chosen.face.vocabulary();
    chosen.face.conformance(asked).ok_or_else(|| {
        Failure::usage(format!(
            "there are no situations for agents of {}",
            words.subjects
        ))
    })?
}

fn reported(outcome: Explained, sessions: &[AnySession]) -> Reported {
    let outcome = match outcome.verdict {
        Verdict::NotExercised => outcome.because("no situation exercises this rule"),
        _ => outcome,
    };
    let timelines = match outcome.verdict.is_failure() {
        true => behind(sessions, &outcome)
            .into_iter()
            .map(|index| Timeline::of(sessions[index].reading().transcript()))
            .collect(),
        false => Vec::new(),
    };
    outcome.reported(None, timelines)
}

/// A name for the agent in names of files.
fn name(table: &dyn Table) -> String {
    reproducer::file_name(&table.agent().replace(' ', "-"))
}

/// Writes a file for each failed outcome, and names it there.
fn reproducers(
    args: &ConformArgs,
    agent: &str,
    dialect: &str,
    table: &dyn Table,
    played: &Run,
    sessions: &[AnySession],
    outcomes: &mut [Reported],
) -> Vec<(PathBuf, Vec<Transcript>)> {
    let mut written = Vec::new();
    for outcome in outcomes.iter_mut().filter(|one| one.verdict.is_failure()) {
        let Some(found) = outcome.findings.first() else {
            continue;
        };
        let of_case = |session: &&AnySession| session.case().id == found.case;
        let of_situation = |session: &&AnySession| {
            let stored = Stored::of(session.case());
            stored.is_some_and(|stored| stored.situation["name"] == *outcome.code)
        };
        let mut own: Vec<Transcript> = sessions
            .iter()
            .filter(of_case)
            .map(|one| one.reading().transcript().clone())
            .collect();
        if own.is_empty() {
            let all = sessions.iter().filter(of_situation);
            own = all.map(|one| one.reading().transcript().clone()).collect();
        }
        if own.is_empty() {
            own.extend(empty(table, played, dialect, &outcome.code, args));
        }
        if own.is_empty() {
            continue;
        }
        let path = reproducer_path(&args.reproducers, agent, &outcome.code, &found.case);
        match reproducer::save(&path, &own) {
            Ok(()) => {
                outcome.reproducer = Some(path.display().to_string());
                written.push((path, own));
            }
            Err(failure) => terminal::note(&format!("no reproducer: {}", failure.message)),
        }
    }
    written
}

fn reproducer_path(folder: &Path, agent: &str, code: &str, case: &str) -> PathBuf {
    let name = match code == case {
        true => reproducer::file_name(code),
        false => format!(
            "{}-{}",
            reproducer::file_name(code),
            reproducer::file_name(case)
        ),
    };
    folder.join(format!("{agent}-{name}.jsonl"))
}

/// A conversation without a message, for situations that have none.
fn empty(
    table: &dyn Table,
    played: &Run,
    dialect: &str,
    name: &str,
    args: &ConformArgs,
) -> Option<Transcript> {
    let at = (0..table.len()).find(|at| table.name(*at) == name)?;
    let stored = Stored {
        agent: words(&args.command),
        situation: table.line(at),
        release: played.standing.as_ref().map(|one| one.release.clone()),
    };
    let mut case = stickler_transcript::Case {
        version: stickler_transcript::VERSION,
        id: name.to_owned(),
        dialect: dialect.to_owned(),
        driver: stickler_transcript::Driver::Recorded,
        tier: "none".to_owned(),
        ..stickler_transcript::Case::default()
    };
    stored.note(&mut case);
    let end = stickler_transcript::Event::End {
        t: 0,
        complete: true,
    };
    Some(Transcript {
        case,
        events: vec![end],
    })
}

#[expect(
    clippy::too_many_arguments,
    reason = "a report is made of all that a run knows"
)]
fn report(
    face: &dyn Face,
    args: &ConformArgs,
    table: &dyn Table,
    played: &Run,
    sessions: &[AnySession],
    outcomes: Vec<Reported>,
    (began, date): (Instant, String),
    interrupted: bool,
) -> Report {
    let mut facts = vec![face.vocabulary().dialect.to_owned()];
    facts.push(match &played.standing {
        Some(standing) => stands(standing) + &of_own(table, played, standing),
        None => "nothing was recorded of these situations".to_owned(),
    });
    let rules = face.dialect().all_rules();
    let pages = Pages::of_rules(rules);
    let release = played.standing.as_ref().map(|one| one.release.clone());
    let pages = Pages::new(move |outcome| {
        let page = pages.of(outcome);
        match page.is_empty() {
            false => page,
            true => page_of_situation(&outcome.code, release.as_deref()),
        }
    });
    let mut hints = Vec::new();
    if !played.later.is_empty() {
        let names: Vec<&str> = played.later.iter().map(|at| table.name(*at)).collect();
        hints.push(format!(
            "agreed only when played again: {}",
            names.join(", ")
        ));
    }
    Report {
        subject: table.agent(),
        location: String::new(),
        files: Vec::new(),
        command: words(&args.command).join(" "),
        began: date,
        rules_page: face.dialect().rules_page(),
        pages,
        facts,
        exchanges: sessions.iter().map(|one| one.reading().length()).sum(),
        sessions: played.ran.values().filter(|one| one.is_ok()).count(),
        seconds: began.elapsed().as_secs_f64(),
        strict: args.report.strict,
        hints,
        seed: 0,
        interrupted,
        idle: false,
        without_examples: false,
        outcomes,
    }
}

/// Which release the agent behaves as, in words.
fn stands(standing: &Standing) -> String {
    let Standing {
        release,
        agrees,
        of,
    } = standing;
    match agrees == of {
        true => format!("behaves as {release} in all of {of} situations"),
        false => format!("behaves as {release} in {agrees} of {of} situations"),
    }
}

/// How often the agent agrees with its own release, if that is another one and was measured.
fn of_own(table: &dyn Table, played: &Run, standing: &Standing) -> String {
    let own = table.version();
    let is_measured = table.releases().iter().any(|release| release == own);
    if own == standing.release || !is_measured {
        return String::new();
    }
    match agreements(table, &played.ran, own) {
        Ok((agrees, of)) => format!(", as its own release {own} in {agrees} of {of}"),
        Err(_) => String::new(),
    }
}

fn page_of_situation(name: &str, release: Option<&str>) -> String {
    let release = release.unwrap_or("the measured release");
    format!(
        "# {name}\n\nA situation of `stickler conform`. The agent should do what {release} does. \
         `stickler replay` with the reproducer plays it again."
    )
}

/// Judges sessions by rules, without known findings.
pub fn outcomes_of(
    dialect: &dyn Dialect,
    rules: &[&'static Rule],
    sessions: &[AnySession],
) -> Vec<Reported> {
    judged(dialect, rules, sessions, &Expectations::default())
        .into_iter()
        .map(|outcome| reported(outcome, sessions))
        .collect()
}
