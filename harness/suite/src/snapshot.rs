//! Sessions outside the suite: the plain session of each example, repeated to learn what is
//! volatile in it, and probes of a subject without a description.

use crate::bench::Bench;
use crate::builder::CaseBuilder;
use crate::config::Example;
use crate::dialect::{Dialect, Planned, PlanningStage};
use crate::effort::Effort;
use crate::error::RunError;
use crate::instance::{Instance, fill_value, scratch_dir};
use crate::learned::Learned;
use crate::observer::{RunEvent, RunObserver};
use crate::plans;
use crate::redact::Redactor;
use crate::run::replay;
use crate::setting::Setting;
use crate::{conversation, volatile};
use stickler_judge::AnySession;
use stickler_transcript::{Case, Purpose, Value};

/// The plain sessions of one example.
#[derive(Clone, Debug)]
pub struct Plain {
    /// Name of the example.
    pub example: String,
    /// The item is invalid: the suite never evaluates it.
    pub invalid: bool,
    /// The same session, run several times.
    pub sessions: Vec<AnySession>,
}

/// A conversation, to compare with the accepted one.
#[derive(Clone, Debug)]
pub struct Spoken {
    /// Name of the subject, or of that part of it.
    pub subject: String,
    /// Name of the example.
    pub example: String,
    /// What the example is, in words.
    pub what: String,
    /// The conversation, with masks over volatile parts and secrets.
    pub text: String,
}

/// The conversation in the sessions of one example. `None` if there are no sessions.
pub fn spoken(dialect: &dyn Dialect, plain: &Plain, redactor: &Redactor) -> Option<Spoken> {
    let text = |session: &AnySession| {
        let shown = if redactor.is_empty() {
            conversation::text(dialect, session)
        } else {
            let redacted = redactor.redacted(session.reading().transcript());
            redactor.text(&conversation::text(dialect, &dialect.read(redacted)))
        };
        volatile::known_now(&shown, &conversation::sent(session))
    };
    let first = plain.sessions.first()?;
    let mut texts = plain.sessions.iter().map(text);
    let new = texts.next()?;
    let what = match plain.invalid {
        true => format!(
            "invalid {} \"{}\"",
            dialect.vocabulary().item,
            plain.example
        ),
        false => format!("example \"{}\"", plain.example),
    };
    Some(Spoken {
        subject: dialect.snapshot_name(first),
        example: plain.example.clone(),
        what,
        text: texts.fold(new, |masked, again| volatile::between(&masked, &again)),
    })
}

/// Runs the plain session of each example and of each invalid item `times` times: header,
/// validate, repeated evaluations, terminate.
///
/// # Errors
/// As [`crate::run`].
pub fn plain_sessions(
    bench: &Bench<'_>,
    times: usize,
    observer: &RunObserver<'_>,
) -> Result<Vec<Plain>, RunError> {
    let mut known = acquainted(bench)?;
    let Bench {
        dialect, config, ..
    } = *bench;
    let refused = |known: &Learned| {
        dialect
            .refuses(config, known)
            .map_or(Ok(()), |why| Err(RunError::Description(why)))
    };
    refused(&known)?;
    let before = known.clone();
    let setting = bench.setting(&before);
    let mut planned: Vec<(Plain, Case)> = Vec::new();
    for (index, example) in config.examples.iter().enumerate() {
        planned.push((
            entry(example, false),
            plain(&setting, &setting.example(index, 0)),
        ));
    }
    for (index, example) in config.invalid.iter().enumerate() {
        planned.push((
            entry(example, true),
            plain(&setting, &setting.invalid(index)),
        ));
    }
    observer.tell(RunEvent::Planned(planned.len() * times));
    // Runs all once, then all again, so that parts that depend on the time can change in between.
    for _ in 0..times {
        for (plain, case) in &mut planned {
            let session = replay(bench, case.clone(), 1, None)?;
            dialect.learn(&mut known, &session);
            plain.sessions.push(session);
            observer.tell(RunEvent::Done(&case.id));
        }
        // What the sessions show may be a reason, too.
        refused(&known)?;
    }
    Ok(planned.into_iter().map(|(plain, _)| plain).collect())
}

/// What the suite has to know before it sends an example.
pub(crate) fn acquainted(bench: &Bench<'_>) -> Result<Learned, RunError> {
    let dialect = bench.dialect;
    let unknown = dialect.unknown();
    let setting = bench.setting(&unknown);
    let mut known = unknown.clone();
    for planned in dialect.plans(&setting, &unknown, PlanningStage::First, Effort::Quick) {
        if let Planned::Case(case) = planned {
            dialect.learn(&mut known, &replay(bench, case, 1, None)?);
        }
    }
    let before = known.clone();
    for case in dialect.names(&bench.setting(&before), &before) {
        dialect.learn(&mut known, &replay(bench, case, 1, None)?);
    }
    Ok(known)
}

/// Sends only the opening message: what the subject says about itself.
///
/// # Errors
/// As [`crate::run`].
pub fn first_look(bench: &Bench<'_>) -> Result<(AnySession, Learned), RunError> {
    let dialect = bench.dialect;
    let unknown = dialect.unknown();
    let setting = bench.setting(&unknown);
    let case = setting.case("look/header").open().close_and_wait().build();
    let mut known = unknown.clone();
    let session = replay(bench, case, 1, None)?;
    dialect.learn(&mut known, &session);
    Ok((session, known))
}

/// Validates an item with these attributes in a fresh process. Evaluates nothing.
///
/// # Errors
/// As [`crate::run`].
pub fn probe(
    bench: &Bench<'_>,
    known: &Learned,
    attributes: &[(String, Value)],
) -> Result<AnySession, RunError> {
    let setting = bench.setting(known);
    let mut instance = plans::probe(&setting);
    for (name, value) in attributes {
        let value = fill_value(value, &scratch_dir(0));
        instance.attributes.push((name.clone().into_bytes(), value));
    }
    let case = setting
        .case("look/probe")
        .open()
        .validate(&instance)
        .terminate()
        .build();
    replay(bench, case, 1, None)
}

fn entry(example: &Example, invalid: bool) -> Plain {
    Plain {
        example: example.name.clone(),
        invalid,
        sessions: Vec::new(),
    }
}

fn plain(setting: &Setting<'_>, instance: &Instance) -> Case {
    let mut case: CaseBuilder<'_> = setting.case(format!("snap/{}", instance.info.label));
    case.setup(instance).observing().open().validate(instance);
    if !instance.info.invalid {
        case.evaluate(instance);
        // The last outcome repeats: one more evaluation shows it.
        for n in 2..=instance.info.expect.len().max(2) {
            case.evaluate_as(Purpose::EVALUATE.turn(n), Purpose::VALIDATE, instance);
        }
    }
    case.terminate().build()
}
