//! A session as text that people read and compare: what was asked, what came back, what changed. It
//! holds no times and no numbers that differ from run to run.

use crate::dialect::Dialect;
use crate::said::{LINE, Said};
use crate::vocabulary::{Pace, Vocabulary};
use crate::volatile;
use std::fmt::Write as _;
use stickler_judge::AnySession;
use stickler_reading::words::{contains, shown, visible};
use stickler_reading::{AnyReading, Ended, Exchange};
use stickler_transcript::{Case, Change, ChangeKind, Entry, Event, ExitCause, FileType, Silence};

/// The longest content of a file that is shown, in lines.
const CONTENT_LINES: usize = 12;
/// The longest content of a file that is shown, in bytes.
const CONTENT_BYTES: usize = 1_000;
/// How many effects of an exchange are shown.
const EFFECTS: usize = 60;

/// The whole session.
pub fn text(dialect: &dyn Dialect, session: &AnySession) -> String {
    let reading = session.reading();
    let words = dialect.vocabulary();
    let case = session.case();
    let mut out = String::new();
    for (index, heard) in reading.exchanges().enumerate() {
        let said = dialect.said(session, index);
        let works = words.phases.contains(&(heard.phase, Pace::Work));
        let mut own = String::new();
        exchange(&mut own, &said, heard, works, case);
        if !out.is_empty() && !own.is_empty() {
            out.push('\n');
        }
        out.push_str(&own);
    }
    unsent(&mut out, reading, words);
    ends(&mut out, reading);
    out
}

/// The bytes that the harness sent, as text.
pub fn sent(session: &AnySession) -> String {
    let exchanges = session.reading().exchanges();
    exchanges
        .map(|exchange| visible(&exchange.sent))
        .collect::<Vec<_>>()
        .join("\n")
}

fn line(out: &mut String, mark: &str, text: &str) {
    let _ = writeln!(out, "{}", format!("{mark}{text}").trim_end());
}

fn exchange(out: &mut String, said: &Said, exchange: &Exchange, works: bool, case: &Case) {
    let process = match exchange.process {
        0 => String::new(),
        n => format!("[process {}] ", n + 1),
    };
    for (index, text) in said.asked.iter().enumerate() {
        match index {
            0 => line(out, "→ ", &format!("{process}{text}")),
            _ => line(out, "  ", text),
        }
    }
    for (index, text) in said.answered.iter().enumerate() {
        line(out, if index == 0 { "← " } else { "  " }, text);
    }
    if exchange.message.is_none()
        && !exchange.output.is_empty()
        && exchange.ended == Ended::NoAnswer
    {
        line(out, "· ", "no whole message");
    }
    if let Some(what) = happened(exchange, case) {
        line(out, "· ", &what);
    }
    for bytes in exchange
        .errors
        .split(|byte| *byte == b'\n')
        .filter(|l| !l.is_empty())
    {
        line(out, "! ", &shown(bytes, case, LINE));
    }
    if let Some(changes) = &exchange.effects {
        if changes.is_empty() && works {
            line(out, "· ", "no effect");
        }
        for change in changes.iter().take(EFFECTS) {
            effect(out, change, case);
        }
        let more = changes.len().saturating_sub(EFFECTS);
        if exchange.truncated {
            line(out, "+ ", &format!("and more than {more} more"));
        } else if more > 0 {
            line(out, "+ ", &format!("and {more} more"));
        }
    }
}

fn happened(exchange: &Exchange, case: &Case) -> Option<String> {
    Some(match exchange.ended {
        Ended::Answered => return None,
        Ended::NoAnswer => return (!exchange.owed).then(|| "no answer was owed".into()),
        Ended::Exited(cause) => format!("no answer: the process {}", exit(cause)),
        Ended::ClosedOutput => "standard output was closed, the process lives on".into(),
        Ended::Silent(Silence::Deadline | Silence::Input) if exchange.late => {
            "the answer came only when standard input was closed".into()
        }
        Ended::Silent(Silence::Deadline) => "no answer in time".into(),
        Ended::Silent(Silence::Input) => "no answer: the subject waits for input".into(),
        Ended::Silent(Silence::Flood) => "endless output".into(),
        Ended::Silent(Silence::Processes) => "endless processes".into(),
        Ended::Silent(Silence::Memory) => "endless memory".into(),
        // An agent may also only close standard input.
        Ended::Killed if case.is_driven() => "the agent stopped waiting here".into(),
        Ended::Killed => "the harness killed the process here".into(),
    })
}

fn exit(cause: ExitCause) -> String {
    match cause {
        ExitCause::Code(code) => format!("ended with status {code}"),
        ExitCause::Signal(signal) => format!("was ended by signal {signal}"),
        ExitCause::Lost => "was lost with its sandbox".into(),
    }
}

fn effect(out: &mut String, change: &Change, case: &Case) {
    let path = shown(&change.path, case, LINE);
    let after = change.after.as_ref();
    let mark = format!("{} ", change.kind.sign());
    let what = change.kind.words().to_owned();
    let words: Vec<String> = [what]
        .into_iter()
        .chain(after.map(|entry| match is_pid_file(change) {
            true => format!("file {:04o}", entry.mode),
            false => described(entry, case),
        }))
        .filter(|words| !words.is_empty())
        .collect();
    line(out, &mark, &format!("{path}  {}", words.join(", ")));
    if matches!(change.kind, ChangeKind::Created | ChangeKind::Changed)
        && let Some(lines) = after.and_then(|entry| content(entry, case))
    {
        for text in lines {
            let shown = match is_pid_file(change) {
                true => volatile::MASK,
                false => &text,
            };
            line(out, "    | ", shown);
        }
    }
}

/// Does a file hold nothing but the number of a process?
fn is_pid_file(change: &Change) -> bool {
    let name = change.path.rsplit(|byte| *byte == b'/').next();
    let is_named = name.is_some_and(|name| contains(&name.to_ascii_lowercase(), b"pid"));
    let content = change
        .after
        .as_ref()
        .and_then(|entry| entry.content.as_ref());
    let number = content.map(|content| content.trim_ascii());
    is_named && number.is_some_and(|it| !it.is_empty() && it.iter().all(u8::is_ascii_digit))
}

fn described(entry: &Entry, case: &Case) -> String {
    let owner = match (entry.uid, entry.gid) {
        (0, 0) => String::new(),
        (uid, gid) => format!(", owner {uid}:{gid}"),
    };
    match entry.kind {
        FileType::File => {
            let digest = match (&entry.digest, content(entry, case)) {
                (Some(digest), None) if entry.size > 0 => {
                    format!(", {}", digest.get(..12).unwrap_or(digest))
                }
                _ => String::new(),
            };
            format!(
                "file {:04o}, {} bytes{digest}{owner}",
                entry.mode, entry.size
            )
        }
        FileType::Directory => format!("directory {:04o}{owner}", entry.mode),
        FileType::Link => format!(
            "link to {}{owner}",
            entry
                .content
                .as_ref()
                .map_or_else(String::new, |target| shown(target, case, LINE))
        ),
        FileType::Special => format!("special file {:04o}{owner}", entry.mode),
    }
}

/// The lines of a short text.
fn content(entry: &Entry, case: &Case) -> Option<Vec<String>> {
    if entry.kind != FileType::File {
        return None;
    }
    let bytes = entry
        .content
        .as_ref()
        .filter(|bytes| bytes.len() <= CONTENT_BYTES)?;
    std::str::from_utf8(bytes).ok()?;
    let lines: Vec<String> = bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(|bytes| shown(bytes.strip_suffix(b"\n").unwrap_or(bytes), case, LINE))
        .collect();
    (lines.len() <= CONTENT_LINES).then_some(lines)
}

fn unsent(out: &mut String, session: &dyn AnyReading, words: &Vocabulary) {
    // If the process ended before a validation, that already explains why nothing was evaluated.
    let mut exchanges = session.exchanges();
    let asked = exchanges.any(|exchange| exchange.phase == words.validation);
    let left_out = session
        .transcript()
        .events
        .iter()
        .filter(|event| matches!(event, Event::Unsent { .. }))
        .count();
    if asked && left_out > 0 {
        line(out, "· ", words.unsent);
    }
}

fn ends(out: &mut String, session: &dyn AnyReading) {
    let ends_an_exchange = |process: usize| {
        let mut exchanges = session.exchanges();
        let last = exchanges.rfind(|exchange| exchange.process == process);
        last.is_some_and(|exchange| matches!(exchange.ended, Ended::Exited(_)))
    };
    for (number, process) in session.processes().enumerate() {
        let who = match number {
            0 => "the process".to_owned(),
            n => format!("process {}", n + 1),
        };
        if process.outlived {
            line(out, "· ", &format!("{who} did not end in time"));
        } else if let Some((_, cause)) = process.exit
            && !ends_an_exchange(number)
        {
            line(out, "· ", &format!("{who} {}", exit(cause)));
        }
    }
    for left in &session.left().processes {
        line(
            out,
            "· ",
            &format!("left running: {}", visible(left.as_bytes())),
        );
    }
}
