//! What releases of cf-agent do with a module's output. It uses the same parser and the same
//! conclusions as a run, but runs nothing.

use crate::answered::{About, Place, evaluated, refusal};
use crate::context::class_name;
use crate::log::{Format, Log, Severity};
use crate::module::{Answer, Fate, NoHeader, Printed, Reader, Silence, flags, header_line};
use crate::outcome::Outcome;
use cfengine_protocol::release::{self, Release};
use cfengine_protocol::wire::Protocol;
use std::fmt;
use std::io;

/// The message that a module received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The agent's header.
    Header,
    /// `validate_promise`
    Validate,
    /// `evaluate_promise`
    Evaluate,
    /// `terminate`
    Terminate {
        /// Whether the module keeps running.
        lingers: bool,
    },
}

/// What follows a module's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Nothing, but the module is still running.
    Nothing,
    /// The end of the output.
    End,
    /// More output than the limit allows.
    Flood,
}

impl Behind {
    /// Why a reader gets no more.
    pub(crate) fn silence(self) -> Option<Silence> {
        match self {
            Self::Nothing => Some(Silence::Time),
            Self::Flood => Some(Silence::Flood),
            Self::End => None,
        }
    }
}

/// A message to a module, and the output after it.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'r> {
    /// The message.
    pub asked: Asked,
    /// Their protocol.
    pub protocol: Protocol,
    /// All output, up to the next message.
    pub output: &'r [u8],
    /// What follows the output.
    pub behind: Behind,
    /// The module's name.
    pub module: &'r str,
    /// The promise's type, if the message is about a promise.
    pub kind: &'r str,
    /// Its promiser.
    pub promiser: &'r str,
    /// Its policy file.
    pub file: &'r str,
    /// The line in it.
    pub line: u32,
    /// Whether the promise only allows warnings.
    pub warns: bool,
}

/// The reaction of a release to a reply. As text: `would …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// Its actions, in order.
    does: Vec<String>,
    /// The errors and warnings that it prints.
    complaints: Vec<String>,
    /// Whether its messages are omitted: it exits before it prints them, or they are not
    /// predictable.
    silent: bool,
}

impl fmt::Display for Deployed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("would ")?;
        let does = &self.does;
        match (does.as_slice(), self.complaints.first()) {
            ([one], None) => f.write_str(one)?,
            ([all @ .., last], None) => write!(f, "{}, and {last}", all.join(", "))?,
            (all, Some(_)) => write!(f, "{}, and print an error", all.join(", "))?,
            ([], None) => {}
        }
        match self.complaints.as_slice() {
            [] if self.silent => Ok(()),
            [] => f.write_str(", without an error of its own"),
            [one] => write!(f, ": {one}"),
            [first, more @ ..] => write!(f, ": {first} (and {} more)", more.len()),
        }
    }
}

/// What these releases, from the oldest to the newest, do with a reply, in words. Those that do the same are named
/// together: `cf-agent 3.21.0 would …; 3.24.4 and later would …`.
pub fn reactions(reply: &Reply<'_>, releases: &[&'static Release]) -> String {
    let mut told: Vec<(Vec<&Release>, Deployed)> = Vec::new();
    for release in releases {
        let deployed = deployed(reply, release);
        match told.iter_mut().find(|(_, known)| *known == deployed) {
            Some((alike, _)) => alike.push(release),
            None => told.push((vec![release], deployed)),
        }
    }
    if let [(_, deployed)] = told.as_slice() {
        return format!("cf-agent {deployed}");
    }
    let told = told
        .iter()
        .map(|(alike, deployed)| format!("{} {deployed}", release::names(alike, releases)));
    format!("cf-agent {}", told.collect::<Vec<String>>().join("; "))
}

/// The reaction of a release to a reply.
pub fn deployed(reply: &Reply<'_>, release: &'static Release) -> Deployed {
    let mut log = Log::new(
        Box::new(io::sink()),
        Format::Text,
        Severity::Warning,
        u64::MAX,
    );
    log.gather(Severity::Warning);
    let mut lines = Printed {
        rest: reply.output,
        silence: reply.behind.silence(),
    };
    let mut deployed = match reply.asked {
        Asked::Header => header(reply, &mut lines, &mut log),
        _ => answer(reply, release, &mut lines, &mut log),
    };
    if !deployed.silent {
        deployed.complaints.splice(0..0, log.gathered());
    }
    deployed
}

/// A reaction that is a single action and the last one.
fn ends(does: impl fmt::Display) -> Deployed {
    Deployed {
        does: vec![does.to_string()],
        complaints: Vec::new(),
        silent: true,
    }
}

fn waits(silence: Silence) -> Deployed {
    ends(match silence {
        Silence::Time => "wait forever",
        Silence::Flood => "read until it runs out of memory",
    })
}

fn goes_on(does: Vec<String>) -> Deployed {
    Deployed {
        does,
        complaints: Vec::new(),
        silent: false,
    }
}

fn header(reply: &Reply<'_>, lines: &mut Printed<'_>, log: &mut Log) -> Deployed {
    let header = match header_line(lines, None, reply.module, log) {
        Ok(header) => header,
        Err(NoHeader::Silent(silence)) => return waits(silence),
        Err(NoHeader::Wrong(complaint)) => {
            log.line(Severity::Error, &complaint);
            let does = "not use the module, report each of its promises as not kept";
            return goes_on(vec![does.into()]);
        }
    };
    let does = match flags(&header, reply.module, log).protocol {
        Protocol::Json => "use JSON with the module",
        Protocol::Line => "use the line-based protocol with the module",
    };
    goes_on(
        [Some(does.into()), rest(lines)]
            .into_iter()
            .flatten()
            .collect(),
    )
}

fn answer(
    reply: &Reply<'_>,
    release: &'static Release,
    lines: &mut Printed<'_>,
    log: &mut Log,
) -> Deployed {
    let module = reply.module.into();
    let answer = match Reader::new(&module, reply.protocol, release, None).read(lines, log) {
        Ok(answer) => answer,
        Err(silence) => return waits(silence),
    };
    match answer.fate {
        None | Some(Fate::Leak) => {}
        Some(fate @ Fate::Abort) => return ends(fate),
        Some(fate) => return ends(format!("{fate}, and evaluate no further promise")),
    }
    let leaks = answer.fate.map(|fate| fate.to_string());
    let mut does: Vec<String> = leaks.clone().into_iter().collect();
    match reply.asked {
        Asked::Validate => does.push(validated(reply, &answer, log)),
        Asked::Evaluate => does.extend(concluded(reply, &answer, log)),
        Asked::Terminate { lingers: true } => return waits(Silence::Time),
        Asked::Terminate { lingers: false } | Asked::Header => {
            does.push("ignore the result".into());
        }
    }
    if !matches!(reply.asked, Asked::Terminate { .. }) {
        does.extend(rest(lines));
        if reply.behind == Behind::End && lines.rest.is_empty() {
            does.push("not start the module again for its later promises".into());
        }
    }
    Deployed {
        // After a leak, further messages depend on the memory's content.
        silent: leaks.is_some(),
        ..goes_on(does)
    }
}

/// The action for output that it has not read yet.
fn rest(lines: &Printed<'_>) -> Option<String> {
    (!lines.rest.is_empty()).then(|| "read the rest of the output as the next answer".into())
}

fn about<'r>(reply: &Reply<'r>) -> About<'r> {
    About {
        kind: reply.kind,
        promiser: reply.promiser,
        module: reply.module,
        place: Place {
            file: reply.file,
            line: reply.line,
        },
        looks: reply.warns,
    }
}

fn validated(reply: &Reply<'_>, answer: &Answer, log: &mut Log) -> String {
    if answer.accepts() {
        return "accept the promise as valid".into();
    }
    // An unreadable answer is already reported.
    let refusal = refusal(answer, &about(reply)).filter(|_| !answer.unreadable);
    if let Some(complaint) = refusal {
        log.line(Severity::Critical, &complaint);
    }
    "report the promise as invalid, so not kept".into()
}

fn concluded(reply: &Reply<'_>, answer: &Answer, log: &mut Log) -> Vec<String> {
    let taken = |for_what: &str| format!("report the promise as {for_what}");
    if answer.unreadable {
        return vec![format!("{} without any of its classes", taken("not kept"))];
    }
    let evaluated = evaluated(answer, &about(reply), true);
    let mut does = vec![taken(match evaluated.outcome {
        Outcome::Kept => "kept",
        Outcome::Repaired => "repaired",
        _ => "not kept",
    })];
    let mut classes = Vec::new();
    for class in &answer.classes {
        match class_name(class) {
            Ok((_, name)) if name.is_empty() => {}
            Ok((Some(namespace), name)) => classes.push(format!("'{namespace}:{name}'")),
            Ok((None, name)) => classes.push(format!("'{name}'")),
            Err(complaint) => log.line(Severity::Warning, &complaint),
        }
    }
    match classes.as_slice() {
        [] => {}
        [class] => does.push(format!("set the class {class}")),
        classes => does.push(format!("set the classes {}", classes.join(" and "))),
    }
    let (level, message) = evaluated.said;
    if let Some(complaint) = evaluated.before {
        log.line(Severity::Critical, &complaint);
    }
    log.line(level, &message);
    for complaint in evaluated.after {
        log.line(Severity::Critical, &complaint);
    }
    does
}
