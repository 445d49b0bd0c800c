//! What the user should know about a run or do next.

use super::location::location;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use stickler_face::args::CheckArgs;
use stickler_face::library::Library;
use stickler_face::{Face, subject};
use stickler_judge::{AnySession, Idle, Level, Reported, Verdict};
use stickler_report::count;
use stickler_session::sandbox::Tier;
use stickler_suite::config::Config;
use stickler_suite::{Bench, Checked, Cut, Pace, never_called};
use stickler_transcript::{Fate, Purpose};

/// How many failures of an interrupted run were not tried again.
pub(super) fn untried(outcomes: &[Reported]) -> Option<String> {
    let failed = outcomes.iter().filter(|one| one.verdict == Verdict::Fail);
    let all = failed.clone().count();
    let untried = failed.filter(|one| !one.is_confirmed).count();
    (untried > 0)
        .then(|| format!("{untried} of {all} failed rules were not tried again in a fresh process"))
}

/// Facts about the subject and the run, in a few words each.
pub(super) fn facts(face: &dyn Face, bench: &Bench<'_>, checked: &Checked) -> Vec<String> {
    let Bench { config, host, .. } = *bench;
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

/// What to do about what was not tried.
pub(super) fn hints(
    face: &dyn Face,
    bench: &Bench<'_>,
    output: &Checked,
    idle: &[Idle],
) -> Vec<String> {
    let Bench {
        config, argv, host, ..
    } = *bench;
    let mut hints = Vec::new();
    let subject = face.vocabulary().subject;
    if !output.knowledge.understood {
        let library = output
            .sessions
            .iter()
            .find_map(|session| Library::missed_by(session, config, argv, &face.library_folders()));
        hints.extend(library.map(|library| library.hint(subject, config)));
    }
    if let Some(why) = face.without_items(config) {
        hints.push(format!("nothing was evaluated, because {why}"));
    } else if config.examples.is_empty() {
        let mut hint = match (&config.file, location(config)) {
            (Some(file), _) => format!(
                "nothing was evaluated, because there is no example: add an [[example]] to {}",
                file.display()
            ),
            (None, Some(module)) if !face.takes_folders() => format!(
                "nothing was evaluated, because there is no example: `stickler init {module}` writes one to fill in"
            ),
            // Such a subject needs no description to begin with.
            (None, _) => format!(
                "nothing was evaluated, because there is no example: give {}",
                face.example_options()
            ),
        };
        if let Some(more) = face.example_hint(config, &output.sessions) {
            hint.push_str(&format!("; {more}"));
        }
        hints.push(hint);
    }
    hints.extend(proving_nothing(idle));
    hints.extend(face.remarks(config, &output.sessions));
    hints.extend(held(config, &output.sessions));
    hints.extend(uncalled(config, &output.sessions));
    if let Some(reason) = host.fallback_reason() {
        hints.push(format!(
            "sandbox: {reason}; `stickler doctor` says what to do"
        ));
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
    let unheld = &output.unheld;
    let sessions = count(unheld.sessions, "session");
    match unheld.why {
        Some(Cut::Time | Cut::UsualTime) => hints.push(format!(
            "{sessions} did not run for lack of time ({} more): --time DURATION gives more, --time none runs all{}",
            roughly(unheld.takes),
            lacking(&output.outcomes)
        )),
        Some(Cut::Sessions) => hints.push(format!(
            "{sessions} more than --sessions did not run{}",
            lacking(&output.outcomes)
        )),
        Some(Cut::Failure) => {
            hints.push("the run ended at the first failure: other rules may fail too".to_owned());
        }
        None => {}
    }
    let readings = output.sessions.iter().map(|one| one.reading());
    let truncated = readings.filter(|reading| reading.is_truncated()).count();
    if truncated > 0 {
        hints.push(format!(
            "in {} the {subject} changed more or larger files than Stickler compares: give an example with fewer \
             files, or list paths under [effects] ignore",
            count(truncated, "session")
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

/// The stand-ins that no evaluation called.
fn uncalled(config: &Config, sessions: &[AnySession]) -> Option<String> {
    let names = config.fakes.iter().map(|(name, _)| &**name);
    let never = never_called(names, sessions)?;
    let quoted: Vec<String> = never.iter().map(|name| format!("`{name}`")).collect();
    let (stand_in, was, it) = match quoted.len() {
        0 => return None,
        1 => ("stand-in", "was", "it replaces a name that is"),
        _ => ("stand-ins", "were", "they replace names that are"),
    };
    Some(format!(
        "the {stand_in} {} of [fake] {was} never called in an evaluation: {it} looked up in PATH; an absolute path is \
         not replaced",
        quoted.join(", ")
    ))
}

/// The examples that hold before the subject does anything, and whether all do.
fn holding(sessions: &[AnySession]) -> (BTreeSet<&str>, bool) {
    let mut first: BTreeMap<&str, bool> = BTreeMap::new();
    for session in sessions {
        for claim in session.claims() {
            let item = session.item_of(claim.exchange).filter(|item| item.original);
            let Some(item) = item.filter(|_| claim.key.is(Purpose::EVALUATE)) else {
                continue;
            };
            // What changes something and says otherwise is for the rules.
            let mut exchanges = session.reading().exchanges();
            let own = exchanges.find(|one| one.number == claim.exchange);
            let changes = own.and_then(|own| own.effects.as_ref());
            let holds = claim.fate == Fate::Unchanged && changes.is_none_or(Vec::is_empty);
            *first.entry(&item.example).or_insert(true) &= holds;
        }
    }
    let all = !first.is_empty() && first.values().all(|holds| *holds);
    let held = first.into_iter().filter(|(_, holds)| *holds);
    (held.map(|(name, _)| name).collect(), all)
}

/// What to do about examples that hold already.
fn held(config: &Config, sessions: &[AnySession]) -> Option<String> {
    let (held, all) = holding(sessions);
    if all {
        return Some(
            "nothing was changed, because each example already holds in the sandbox, so most rules \
             cannot fail: give an example that does not hold yet, or a `setup` that breaks it"
                .to_owned(),
        );
    }
    let examples = config.examples.iter();
    let mut unexpected =
        examples.filter(|one| one.expect.is_empty() && held.contains(&one.name[..]));
    let first = &unexpected.next()?.name;
    let more = match unexpected.count() {
        0 => String::new(),
        1 => " (another one, too)".to_owned(),
        more => format!(" ({more} others, too)"),
    };
    Some(format!(
        "the example \"{first}\" already holds in the sandbox{more}, so it shows no change: give it a `setup` that \
         breaks it, or declare what you `expect`"
    ))
}

/// The rules of level `must` of which no session was held, in words.
fn lacking(outcomes: &[Reported]) -> String {
    let lacking = outcomes
        .iter()
        .filter(|one| one.is_unheld && one.level == Level::Must);
    let codes: Vec<&str> = lacking.map(|one| &one.code[..]).collect();
    match codes.len() {
        0 => String::new(),
        1 => format!("; a rule of level must without a session: {}", codes[0]),
        number => format!(
            "; {number} rules of level must without a session: {}",
            codes.join(" ")
        ),
    }
}

/// An estimate in words.
fn roughly(time: Duration) -> String {
    match time.as_secs() {
        0..10 => "a few seconds".to_owned(),
        seconds @ 10..90 => format!("about {seconds} s"),
        seconds => format!("about {} min", (seconds + 30) / 60),
    }
}

/// What takes most of the time in a long run, and how to shorten it.
pub(super) fn slow(
    face: &dyn Face,
    checked: &Checked,
    ran: Duration,
    args: &CheckArgs,
) -> Option<String> {
    const LONG: Duration = Duration::from_secs(60);
    // Who has to leave sessions out knows what the time is worth.
    if args.quick || ran < LONG || checked.unheld.why.is_some_and(Cut::is_time) {
        return None;
    }
    let mut times: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    let phases = face.vocabulary().phases;
    let sessions = checked.sessions.iter();
    for exchange in sessions.flat_map(|one| one.reading().exchanges()) {
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

/// How long it took to make the subject ready, if that was long: the time of the sessions is told without it.
pub(super) fn readied(took: Duration) -> Option<String> {
    const LONG: Duration = Duration::from_secs(5);
    (took >= LONG).then(|| {
        format!(
            "building took {} s before that; the next run builds only what has changed",
            took.as_secs()
        )
    })
}

/// The examples that prove nothing, with what kept them from it.
fn proving_nothing(all: &[Idle]) -> Vec<String> {
    let mut reasons: Vec<((bool, &str), Vec<String>)> = Vec::new();
    for one in all {
        let name = format!("\"{}\"", one.example);
        let reason = (one.evaluated, &*one.why);
        match reasons.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    let words = reasons.into_iter().map(|((evaluated, why), names)| {
        let (examples, what) = match (names.len(), evaluated) {
            (1, false) => ("example", "was not evaluated"),
            (_, false) => ("examples", "were not evaluated"),
            (1, true) => ("example", "never succeeds"),
            (_, true) => ("examples", "never succeed"),
        };
        let more = match evaluated {
            true => "; if that is right, `expect` can say so",
            false => "",
        };
        format!("the {examples} {} {what}: {why}{more}", names.join(", "))
    });
    words.collect()
}
