//! Holds the sessions of one subject: creation and a second run, drift, noop.

use super::left::{Left, effects, left};
use super::stage::{Answer, ComparisonStage, Round};
use crate::bench::Bench;
use crate::builder::CaseBuilder;
use crate::config::Intent;
use crate::conversation;
use crate::dialect::Dialect;
use crate::error::RunError;
use crate::instance::{Instance, fill_commands, scratch_dir};
use crate::learned::Learned;
use crate::redact::Redactor;
use crate::run::replay;
use crate::setting::Setting;
use crate::snapshot::acquainted;
use crate::spoil::Spoil;
use crate::undo::undo;
use crate::vocabulary::Vocabulary;
use stickler_judge::{AnySession, Claim};
use stickler_reading::words::shown;
use stickler_reading::{Ended, Exchange, Observation, looks};
use stickler_transcript::{Bytes, Case, Declared, Fate, Key, Purpose, Transcript};

/// How many lines of a subject's own words are shown.
const LINES: usize = 6;

/// What a subject did in all stages.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its name in the comparison.
    pub name: String,
    /// Its dialect.
    pub dialect: &'static str,
    /// What it claims and does, by stage.
    pub rounds: Vec<Round>,
    /// The stages that could not be held, and why.
    pub left_out: Vec<(ComparisonStage, String)>,
    /// What the declared commands for drift say, if they fail.
    pub no_drift: Option<String>,
    /// The case of the first session, for names of directories.
    pub case: Case,
    /// The sessions, without secrets.
    pub transcripts: Vec<Transcript>,
    /// Hides the subject's secrets.
    pub redactor: Redactor,
}

impl Held {
    /// What it claims and does in a stage.
    pub fn round(&self, stage: ComparisonStage) -> Option<&Round> {
        self.rounds.iter().find(|round| round.stage == stage)
    }

    /// Does it say at least once that the intent is brought about?
    pub fn succeeds(&self) -> bool {
        let mut claims = self.rounds.iter().map(|round| round.claim);
        claims.any(|claim| matches!(claim, Answer::Changed | Answer::InSync))
    }
}

/// Has a subject bring the intent about. The item is the only example of `config`
/// ([`crate::config::Party::join`]). `secrets` are those of all subjects: they share the intent.
///
/// # Errors
/// If the subject cannot be started, if the item is no item of it, or if the harness fails.
pub fn hold(bench: &Bench<'_>, intent: &Intent, secrets: &Redactor) -> Result<Held, RunError> {
    let Bench {
        dialect, config, ..
    } = *bench;
    let mut known = acquainted(bench)?;
    suits(bench, &known)?;
    let run = |known: &Learned, plan: &dyn Fn(&Setting<'_>) -> Case| {
        let setting = bench.setting(known);
        replay(bench, plan(&setting), 1, None)
    };
    if !known.common.understood {
        let opening = run(&known, &|setting| {
            let mut case = setting.case("equal/opening");
            case.open().close_and_wait().build()
        })?;
        return Err(unstarted(dialect.vocabulary(), &opening));
    }
    let mut sessions = vec![run(&known, &made)?];
    let mut stages = vec![
        (ComparisonStage::Creation, 0),
        (ComparisonStage::SecondRun, 0),
    ];
    dialect.learn(&mut known, &sessions[0]);
    suits(bench, &known)?;
    let mut left_out = Vec::new();
    let mut no_drift = None;
    match spoiling(intent, &left_at(&sessions[0], ComparisonStage::Creation)) {
        None => left_out.push((
            ComparisonStage::Drift,
            "there is nothing to undo; declare `drift`".to_owned(),
        )),
        Some(spoil) => match run(&known, &|setting| spoilt(setting, &spoil)) {
            Ok(session) => {
                stages.push((ComparisonStage::Drift, sessions.len()));
                sessions.push(session);
            }
            // A subject that did not bring the intent about may leave nothing to spoil.
            Err(RunError::Command { what, why }) => {
                let why = format!("{what} failed: {}", why.trim_end());
                left_out.push((ComparisonStage::Drift, why.clone()));
                no_drift = Some(why);
            }
            Err(other) => return Err(other),
        },
    }
    let setting = bench.setting(&known);
    if setting
        .verbs
        .can_look(&known.common, &setting.example(0, 0))
    {
        stages.push((ComparisonStage::Noop, sessions.len()));
        sessions.push(run(&known, &looked)?);
    } else {
        let subject = dialect.vocabulary().subject;
        let why = format!("the {subject} cannot say what it would change");
        left_out.push((ComparisonStage::Noop, why));
    }
    let redactor = Redactor::informed(dialect, config, &sessions).and(secrets);
    let transcripts = sessions.iter().map(|one| one.reading().transcript());
    let transcripts: Vec<Transcript> = transcripts.map(|one| redactor.redacted(one)).collect();
    let shown: Vec<AnySession> = transcripts
        .iter()
        .map(|one| dialect.read(one.clone()))
        .collect();
    let mut rounds = Vec::new();
    for (stage, at) in stages {
        match sessions[at].reading().is_truncated() {
            true => left_out.push((stage, "it changed more paths than are recorded".to_owned())),
            false => rounds.push(round(dialect, stage, &sessions[at], &shown[at])),
        }
    }
    Ok(Held {
        name: config
            .examples
            .first()
            .map_or_else(String::new, |one| one.name.clone()),
        dialect: dialect.vocabulary().dialect,
        rounds,
        left_out,
        no_drift,
        case: sessions[0].case().clone(),
        transcripts,
        redactor,
    })
}

/// Refuses an item that is none of the subject's.
fn suits(bench: &Bench<'_>, known: &Learned) -> Result<(), RunError> {
    let Bench {
        dialect, config, ..
    } = *bench;
    let words = dialect.vocabulary();
    let served = &config.subject.kinds;
    let kinds = config.examples.iter().filter_map(|one| one.kind.as_ref());
    let mut unserved = kinds.filter(|kind| !served.is_empty() && !served.contains(kind));
    let unserved = unserved.next().map(|kind| {
        let served = served.join(", ");
        format!(
            "the {} serves {served}, but no {} \"{kind}\"",
            words.subject, words.kind
        )
    });
    let refused = unserved.or_else(|| dialect.refuses(config, known));
    refused.map_or(Ok(()), |why| Err(RunError::Description(why)))
}

/// What to say of a subject that does not answer its opening message.
fn unstarted(words: &Vocabulary, session: &AnySession) -> RunError {
    let reading = session.reading();
    let first = reading.exchange_at(0);
    let said = first.map_or_else(Vec::new, |exchange| {
        [&exchange.output[..], &exchange.errors[..]].concat()
    });
    let why = first.map_or_else(String::new, |one| match one.ended {
        Ended::Answered => String::new(),
        ended => format!(" {}", ended.in_words("the process")),
    });
    RunError::Preparation {
        what: format!(
            "the {} cannot be started: {}{why}",
            words.subject, words.not_understood
        ),
        diagnosis: last_lines(&said, session.case()),
    }
}

fn last_lines(bytes: &[u8], case: &Case) -> String {
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .map(|line| shown(line, case, 200))
        .collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// Begins the session of a stage.
fn begun<'s>(setting: &'s Setting<'_>, name: &str, item: &Instance) -> CaseBuilder<'s> {
    let mut case = setting.case(format!("equal/{name}"));
    case.setup(item).observing().open().validate(item);
    case
}

/// Brings the item about, and asks again.
fn made(setting: &Setting<'_>) -> Case {
    let item = setting.example(0, 0);
    let mut case = begun(setting, "creation", &item);
    first(&mut case, &item);
    let again = Purpose::EVALUATE.turn(2);
    case.evaluate_as(again.clone(), Purpose::VALIDATE, &item)
        .verify(again, &item)
        .observe(ComparisonStage::SecondRun.name())
        .terminate()
        .build()
}

fn first(case: &mut CaseBuilder<'_>, item: &Instance) {
    case.evaluate(item)
        .verify(Purpose::EVALUATE, item)
        .observe(ComparisonStage::Creation.name());
}

/// The point after the result was spoilt.
const SPOILT: &str = "spoilt";

/// What spoils the result: the author's commands, or steps that undo it.
fn spoiling(intent: &Intent, left: &Left) -> Option<Vec<Spoil>> {
    if intent.drift.is_empty() {
        return Some(vec![Spoil::Files(undo(&effects(left))?)]);
    }
    let commands = fill_commands(&intent.drift, &scratch_dir(0)).into_iter();
    Some(commands.map(Spoil::Command).collect())
}

/// Brings the item about, spoils it, and asks again.
fn spoilt(setting: &Setting<'_>, spoil: &[Spoil]) -> Case {
    let item = setting.example(0, 0);
    let mut case = begun(setting, "drift", &item);
    first(&mut case, &item);
    for how in spoil {
        case.spoil(how, false);
    }
    case.observe(SPOILT);
    let again = Purpose::EVALUATE.turn(2);
    case.evaluate_as(again.clone(), Purpose::VALIDATE, &item)
        .verify(again, &item)
        .observe(ComparisonStage::Drift.name())
        .terminate()
        .build()
}

/// Only asks what the subject would change.
fn looked(setting: &Setting<'_>) -> Case {
    let item = setting.example(0, 0).looked_at();
    let mut case = begun(setting, "noop", &item);
    case.evaluate(&item)
        .observe(ComparisonStage::Noop.name())
        .terminate()
        .build()
}

/// The key of a stage's evaluation, and the point at which the stage begins.
fn place(case: &Case, stage: ComparisonStage) -> (Key, Option<&'static str>) {
    let label = case.items.first().map_or("", |item| &item.label);
    let again = || Purpose::EVALUATE.turn(2).of(label);
    match stage {
        ComparisonStage::Creation | ComparisonStage::Noop => (Purpose::EVALUATE.of(label), None),
        ComparisonStage::SecondRun => (again(), Some(ComparisonStage::Creation.name())),
        ComparisonStage::Drift => (again(), Some(SPOILT)),
    }
}

/// The observations up to the end of a stage.
fn seen(session: &AnySession, stage: ComparisonStage) -> &[Observation] {
    let all = session.reading().observations();
    // A session that breaks off is observed at its end.
    &all[..after(all, stage.name()).unwrap_or(all.len())]
}

/// How many observations there are up to a point.
fn after(all: &[Observation], point: &str) -> Option<usize> {
    let at = all.iter().position(|one| one.point == point)?;
    Some(at + 1)
}

/// What differs at the end of a stage from the state before the session.
fn left_at(session: &AnySession, stage: ComparisonStage) -> Left {
    left(seen(session, stage), session.case())
}

/// What a session shows of a stage. `shown` is the same session without secrets.
fn round(
    dialect: &dyn Dialect,
    stage: ComparisonStage,
    session: &AnySession,
    shown: &AnySession,
) -> Round {
    let case = session.case();
    let (key, from) = place(case, stage);
    let claims = match stage {
        ComparisonStage::Noop => session.forecasts(),
        _ => session.claims(),
    };
    let is_refusal = |claim: &&Claim| claim.fate == Fate::Refused;
    let own = claims.iter().find(|claim| claim.key == key);
    let own = own.or_else(|| claims.iter().find(is_refusal));
    let claim = Answer::of(own.map(|claim| claim.fate));
    let seen = seen(shown, stage);
    let start = from.and_then(|point| after(seen, point)).unwrap_or(0);
    Round {
        stage,
        claim,
        why: match claim {
            Answer::Changed | Answer::InSync => None,
            _ => why(dialect, shown, own.map(|claim| claim.exchange), &key),
        },
        left: left(seen, case),
        did: left(&seen[start..], case),
        undeclared: undeclared(session, shown, &key),
        conversation: conversation::text(dialect, shown),
    }
}

/// What is not as the author declared, by path and in words.
fn undeclared(session: &AnySession, shown: &AnySession, key: &Key) -> Vec<(Bytes, String)> {
    let case = session.case();
    let all = looks(session.reading().transcript());
    let all = all.zip(looks(shown.reading().transcript()));
    let broken = all.filter_map(|(look, masked)| {
        let (Declared::Creates { path, .. } | Declared::Absent { path }) = look.declared else {
            return None;
        };
        if look.key != key {
            return None;
        }
        look.broken(case)?;
        // Without the secret, the difference may be gone.
        let words = masked.broken(case).map(|(_, words)| words);
        let words = words.unwrap_or_else(|| {
            let path = stickler_reading::words::shown(path, case, 80);
            format!("`{path}` is not as the author declared")
        });
        Some((path.clone(), words))
    });
    broken.collect()
}

/// What the subject says where it does not claim success: in the exchange of its claim, or else in the last
/// one about the item.
fn why(
    dialect: &dyn Dialect,
    session: &AnySession,
    claimed: Option<usize>,
    key: &Key,
) -> Option<String> {
    let heard: Vec<&Exchange> = session.reading().exchanges().collect();
    let of_key = |one: &&&Exchange| one.key.parted().0 == *key;
    let of_claim = heard.iter().find(|one| claimed == Some(one.number));
    let asked = of_claim.or_else(|| heard.iter().rfind(of_key)).copied();
    let is_about = |one: &&&Exchange| one.item.is_some();
    let one = asked.or_else(|| heard.iter().rfind(is_about).copied());
    let one = one.or(heard.last().copied())?;
    if one.ended != Ended::Answered {
        let words = one.ended.in_words("the process");
        let said = last_lines(&one.errors, session.case());
        return Some([words, said].join("\n").trim_end().to_owned());
    }
    let said = dialect.said(session, one.number.saturating_sub(1)).answered;
    Some(said.into_iter().take(LINES).collect::<Vec<_>>().join("\n"))
}
