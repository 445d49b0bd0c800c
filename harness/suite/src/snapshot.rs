//! Sessions for a closer look, outside the suite: the plain session of each
//! example, as often as is needed to learn what is volatile in it, and probes
//! of a subject that nobody has described yet.

use crate::builder::{CaseBuilder, Setting};
use crate::config::{Config, Example};
use crate::dialect::Dialect;
use crate::error::RunError;
use crate::instance::{Instance, fill_value, scratch_dir};
use crate::knowledge::Knowledge;
use crate::plans;
use crate::redact::Redactor;
use crate::run::{Progress, replay};
use crate::{conversation, volatile};
use stickler_judge::View;
use stickler_session::sandbox::Host;
use stickler_transcript::{Bytes, Case, Value};

/// The plain sessions of one example.
#[derive(Clone, Debug)]
pub struct Plain<S> {
    /// Name of the example.
    pub example: String,
    /// It is a promise that validation must reject; it is never evaluated.
    pub invalid: bool,
    /// The same session, held again and again.
    pub sessions: Vec<S>,
}

/// A conversation, to compare with what was accepted before.
#[derive(Clone, Debug)]
pub struct Spoken {
    /// Name of the subject.
    pub subject: String,
    /// Name of the example.
    pub example: String,
    /// What the example is, in words.
    pub what: String,
    /// What was said; what differs from run to run is masked, and secrets are.
    pub text: String,
}

/// What is said in sessions of one example. `None` where there are none.
pub fn spoken<D: Dialect>(
    dialect: &D,
    plain: &Plain<D::Session>,
    redactor: &Redactor,
) -> Option<Spoken> {
    let text = |session: &D::Session| {
        let shown = if redactor.is_empty() {
            conversation::text(dialect, session)
        } else {
            let redacted = redactor.redacted(&session.reading().transcript);
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
        subject: first.case().subject.name.clone(),
        example: plain.example.clone(),
        what,
        text: texts.fold(new, |masked, again| volatile::between(&masked, &again)),
    })
}

/// Holds the plain session of each example and of each invalid promise `times`
/// times: header, validate, evaluate again and again, terminate.
///
/// # Errors
/// As [`crate::run`].
pub fn plain_sessions<D: Dialect>(
    dialect: &D,
    host: &Host,
    config: &Config,
    argv: &[Bytes],
    times: usize,
    progress: &dyn Progress,
) -> Result<Vec<Plain<D::Session>>, RunError> {
    let knowledge = first_look(dialect, host, config, argv)?.1;
    let setting = Setting::new(dialect, host, config, argv, &knowledge);
    let mut planned: Vec<(Plain<D::Session>, Case)> = Vec::new();
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
    progress.planned(planned.len() * times);
    // All once, then all again: what depends on the time has time to change.
    for _ in 0..times {
        for (plain, case) in &mut planned {
            plain
                .sessions
                .push(replay(dialect, host, case.clone(), 1, None)?);
            progress.done(&case.id);
        }
    }
    Ok(planned.into_iter().map(|(plain, _)| plain).collect())
}

/// The opening message alone: what the subject says of itself.
///
/// # Errors
/// As [`crate::run`].
pub fn first_look<D: Dialect>(
    dialect: &D,
    host: &Host,
    config: &Config,
    argv: &[Bytes],
) -> Result<(D::Session, Knowledge), RunError> {
    let unknown = Knowledge::default();
    let setting = Setting::new(dialect, host, config, argv, &unknown);
    let case = setting.case("look/header").open().close_and_wait().build();
    let mut knowledge = Knowledge::default();
    let session = replay(dialect, host, case, 1, None)?;
    dialect.learn(&mut knowledge, &session);
    Ok((session, knowledge))
}

/// Validates a promise with these attributes, in a fresh process. Nothing is
/// evaluated.
///
/// # Errors
/// As [`crate::run`].
pub fn probe<D: Dialect>(
    dialect: &D,
    host: &Host,
    config: &Config,
    argv: &[Bytes],
    knowledge: &Knowledge,
    attributes: &[(String, Value)],
) -> Result<D::Session, RunError> {
    let setting = Setting::new(dialect, host, config, argv, knowledge);
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
    replay(dialect, host, case, 1, None)
}

fn entry<S>(example: &Example, invalid: bool) -> Plain<S> {
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
        // The last outcome repeats: seen once more it is seen.
        for n in 2..=instance.info.expect.len().max(2) {
            case.evaluate_as(&format!("e{n}"), "v", instance);
        }
    }
    case.terminate().build()
}
