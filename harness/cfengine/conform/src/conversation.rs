//! What the scripted modules noted, and the transcripts of their conversations.

use crate::agent::Run;
use crate::noted::{Noted, What};
use crate::situation::{Situation, Want};
use cfengine_protocol::Facts;
use stickler_conform::Stored;
use stickler_oracle::End;
use stickler_session::sandbox::ExitStatus;
use stickler_transcript::{
    AgentRun, Bytes, Case, Driver, Event, ExitCause, Fate, Item, ItemOutcome, Mode, Name, Stream,
    Subject, Transcript, Usage, VERSION,
};

/// What transcripts of a situation say of the agent.
pub(crate) struct Told<'t> {
    pub(crate) version: &'t str,
    pub(crate) stored: &'t Stored,
    /// Errors in words that no measured release has.
    pub(crate) errors: &'t [String],
    /// What was seen of the run.
    pub(crate) want: &'t Want,
    /// The requests of releases, without places, if they are known.
    pub(crate) promised: Vec<String>,
    /// Did all of them send all of these?
    pub(crate) all_promised: bool,
}

/// The conversations of a run, one for each module that was started, or an empty one if there is none.
pub(crate) fn sessions(situation: &Situation, run: &Run, told: &Told<'_>) -> Vec<Transcript> {
    let began = run.noted.values().flatten().map(|noted| noted.t).min();
    let began = began.unwrap_or_default();
    let mut all: Vec<Transcript> = run
        .noted
        .iter()
        .map(|(name, noted)| Transcript {
            case: case(situation, run, told, Some(name)),
            events: events(situation, run, told, name, noted, began),
        })
        .collect();
    if all.is_empty() {
        let complete = !matches!(run.end, End::Hung { .. });
        all.push(Transcript {
            case: case(situation, run, told, None),
            events: vec![Event::End { t: 0, complete }],
        });
    }
    all
}

fn case(situation: &Situation, run: &Run, told: &Told<'_>, module: Option<&str>) -> Case {
    let several = situation.modules.len() > 1;
    let id = match module {
        Some(module) if several => format!("{} {module}", situation.name),
        _ => situation.name.clone(),
    };
    let facts = Facts {
        agent_ended: match &run.end {
            End::Exit(ExitStatus::Code(_)) if is_fatal(told.want) => Some("fatal error".to_owned()),
            End::Exit(ExitStatus::Code(code)) => Some(format!("exit code {code}")),
            End::Exit(ExitStatus::Signal(signal)) => Some(format!("signal {signal}")),
            End::Hung { .. } => Some("hung".to_owned()),
        },
        promised: placed(&told.promised, &run.folder),
        all_promised: told.all_promised && !several,
        ..Facts::default()
    };
    let mut case = Case {
        version: VERSION,
        id,
        dialect: "promise-module".to_owned(),
        driver: Driver::Recorded,
        subject: Subject {
            name: module.map_or_else(String::new, |name| format!("{name}.py")),
            ..Subject::default()
        },
        facts: facts.into_map(),
        // By this name, findings in this situation are known ones.
        items: vec![Item {
            example: situation.name.clone(),
            original: true,
            ..Item::default()
        }],
        tier: "none".to_owned(),
        agent: Some(AgentRun {
            name: "cf-agent".to_owned(),
            compat: Name::from(told.version),
            mode: mode(situation),
        }),
        ..Case::default()
    };
    told.stored.note(&mut case);
    case
}

/// Did the agent end with an error that it takes for one of its own?
fn is_fatal(want: &Want) -> bool {
    want.says
        .iter()
        .any(|(level, text)| level.is_empty() && text.starts_with("fatal"))
}

/// Recordings name the folder so.
fn placed(promised: &[String], folder: &str) -> Vec<String> {
    let placed = promised.iter().map(|one| one.replace("@DIR@", folder));
    placed.collect()
}

fn mode(situation: &Situation) -> Mode {
    let args = || situation.args.iter().flatten();
    if args().any(|arg| arg.starts_with("--simulate")) {
        Mode::Simulate
    } else if args().any(|arg| arg == "-n" || arg == "--dry-run") {
        Mode::DryRun
    } else {
        Mode::Normal
    }
}

fn events(
    situation: &Situation,
    run: &Run,
    told: &Told<'_>,
    module: &str,
    noted: &[Noted],
    began: u64,
) -> Vec<Event> {
    let mut events = Vec::new();
    let mut processes: Vec<u64> = Vec::new();
    let mut ended: Vec<bool> = Vec::new();
    for one in noted {
        let t = one.t.saturating_sub(began) + 1;
        let known = processes.iter().position(|known| *known == one.process);
        let process = known.unwrap_or_else(|| {
            processes.push(one.process);
            ended.push(false);
            events.push(Event::Start {
                t,
                process: processes.len() - 1,
            });
            processes.len() - 1
        });
        let exit = |cause| Event::Exit {
            t,
            process,
            cause,
            usage: Usage::default(),
        };
        let closed = |stream, by_harness| Event::Closed {
            t,
            process,
            stream,
            by_harness,
        };
        let event = match &one.what {
            What::Start | What::Request(_) => continue,
            What::In(bytes) => Event::In {
                t,
                process,
                data: bytes[..].into(),
            },
            What::Out(bytes) => Event::Out {
                t,
                process,
                data: bytes[..].into(),
            },
            What::Eof => closed(Stream::Stdin, true),
            What::Close(stream) if stream == "stdout" => closed(Stream::Stdout, false),
            What::Close(_) => closed(Stream::Stdin, false),
            What::Exit(code) => exit(ExitCause::Code(*code)),
            What::Kill(signal) => exit(ExitCause::Signal(*signal)),
            What::Signal(signal) => {
                events.push(Event::Killed { t, process });
                exit(ExitCause::Signal(*signal))
            }
        };
        ended[process] |= matches!(event, Event::Exit { .. });
        events.push(event);
    }
    let hung = matches!(run.end, End::Hung { .. });
    let patient = hung && situation.waits;
    let crashed = matches!(run.end, End::Exit(ExitStatus::Signal(_)));
    let mut t = events.last().map_or(0, Event::time) + 1;
    let took = u64::try_from(run.took.as_micros()).unwrap_or(u64::MAX);
    if hung {
        t = t.max(took);
    }
    let file = format!("/{module}.py");
    let alive = run.alive.iter().any(|line| line.contains(&file));
    for (process, ended) in ended.iter().enumerate() {
        // The agent waited longer than it may, until it was ended itself.
        if !ended && patient {
            events.push(Event::Killed { t, process });
        }
        // A module that is gone without a word was killed: it notes all else that ends it.
        if !ended && !hung && !crashed && !alive {
            events.push(Event::Killed { t, process });
            events.push(Event::Exit {
                t,
                process,
                cause: ExitCause::Signal(9),
                usage: Usage::default(),
            });
        }
    }
    if !hung && !crashed && !is_fatal(told.want) {
        for name in situation.promises() {
            conclude(name, situation, told, &mut events, t);
        }
    }
    events.push(Event::End {
        t: t + 1,
        complete: !hung,
    });
    events
}

/// Adds the agent's conclusion about a promise, if the classes at its end tell it without doubt: `oc_NAME_kept` and so
/// on.
fn conclude(name: &str, situation: &Situation, told: &Told<'_>, events: &mut Vec<Event>, t: u64) {
    let want = told.want;
    let is = |what: &str| want.classes.contains(&format!("oc_{name}_{what}"));
    let outcome = match (is("kept"), is("repaired"), is("failed")) {
        (true, false, false) => Fate::Unchanged,
        (false, true, false) => Fate::Changed,
        (false, false, true) => Fate::Failed,
        _ => return,
    };
    let is_error = |level: &str| matches!(level, "error" | "CRITICAL");
    let errors = want.says.iter().filter(|(level, _)| is_error(level));
    let errors = errors.map(|(_, text)| text).chain(told.errors);
    let unresolved = want
        .says
        .iter()
        .any(|(_, text)| text.starts_with("unresolved"));
    let outcome = ItemOutcome {
        t,
        kind: Bytes::from("t"),
        identity: Bytes::from(name),
        place: name.to_owned(),
        outcome,
        turn: 1,
        unresolved,
        warns: mode(situation) != Mode::Normal,
        cause: None,
        errors: errors.map(|text| Bytes::from(&text[..])).collect(),
        defines: defined(name, want, events),
    };
    // The agent knew it before it ended the module.
    let ends = |event: &Event| match event {
        Event::In { data, .. } => is_terminate(data),
        Event::Killed { .. } => true,
        Event::Closed {
            stream: Stream::Stdin,
            by_harness,
            ..
        } => *by_harness,
        _ => false,
    };
    let talks = |event: &Event| match event {
        Event::In { data, .. } => !is_terminate(data),
        Event::Out { .. } | Event::Start { .. } => true,
        _ => false,
    };
    // Or before it spoke of another promise.
    let own = events.iter().rposition(|event| names(event, name));
    let next = own.and_then(|own| {
        let mut later = events.iter().enumerate().skip(own + 1);
        later.find_map(|(at, event)| matches!(event, Event::In { .. }).then_some(at))
    });
    let last = events.iter().rposition(talks).map_or(0, |at| at + 1);
    let first_end = events.iter().position(ends).unwrap_or(events.len());
    // Of several promises, the answer is the last that concerns one of them: what becomes of the module later does not.
    let answered = own
        .filter(|_| situation.promises().len() > 1)
        .and_then(|own| {
            let answers = |event: &Event| matches!(event, Event::Out { .. });
            events.iter().rposition(answers).filter(|at| *at > own)
        });
    let at = match (next.or(answered.map(|at| at + 1)), events.get(first_end)) {
        (Some(next), _) => next.min(first_end.max(last)),
        // What follows is the answer to `terminate`.
        (None, Some(Event::In { .. })) => first_end,
        (None, _) => first_end.max(last),
    };
    let t = events.get(at).map_or(outcome.t, Event::time);
    let outcome = ItemOutcome { t, ..outcome };
    events.insert(at, Event::Outcome(Box::new(outcome)));
}

/// Policies report classes of modules so.
const SEEN: &str = "SEEN ";

/// The classes that the policy has seen and that answers about a promise name.
fn defined(name: &str, want: &Want, events: &[Event]) -> Vec<Bytes> {
    let mut answers = String::new();
    let mut is_own = false;
    for event in events {
        match event {
            Event::In { .. } => is_own = names(event, name),
            Event::Out { data, .. } if is_own => answers += &String::from_utf8_lossy(data),
            _ => {}
        }
    }
    let seen = want
        .reports
        .iter()
        .filter_map(|report| report.strip_prefix(SEEN));
    seen.filter(|class| answers.contains(class))
        .map(Bytes::from)
        .collect()
}

/// Is this a request for the promise of a name?
fn names(event: &Event, name: &str) -> bool {
    let Event::In { data, .. } = event else {
        return false;
    };
    let text: String = String::from_utf8_lossy(data).split([' ', '\t']).collect();
    text.contains(&format!("\"promiser\":\"{name}\""))
        || text.contains(&format!("promiser={name}\n"))
}

/// Does the agent end a module with these bytes?
fn is_terminate(sent: &[u8]) -> bool {
    let text: String = String::from_utf8_lossy(sent).split_whitespace().collect();
    text.contains("\"operation\":\"terminate\"") || text.contains("operation=terminate")
}
