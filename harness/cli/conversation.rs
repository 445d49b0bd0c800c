//! A session as text that people read and compare: what was asked, what came
//! back, what changed. No times, no numbers that differ from run to run.

use cfengine_protocol::phase;
use cfengine_protocol::wire::json::{self, Json};
use cfengine_protocol::wire::request::Request;
use cfengine_protocol::wire::{Encode as _, Style, Value};
use cfengine_protocol::words::{shown, visible};
use cfengine_protocol::{Ended, Exchange, Session};
use std::fmt::Write as _;
use stickler_transcript::{Case, Change, ChangeKind, Entry, Event, ExitCause, FileType, Silence};

/// A line of output is shown up to so many characters.
const LINE: usize = 2_000;
/// The content of a file is shown where it has at most so many lines.
const CONTENT_LINES: usize = 12;
/// … and bytes.
const CONTENT_BYTES: usize = 1_000;
/// So many effects of an exchange are shown.
const EFFECTS: usize = 60;

/// The whole session.
pub fn text(session: &Session) -> String {
    let mut out = String::new();
    for exchange in &session.exchanges {
        if !out.is_empty() {
            out.push('\n');
        }
        asked(&mut out, session, exchange);
        answered(&mut out, session, exchange);
    }
    unsent(&mut out, session);
    ends(&mut out, session);
    out
}

/// The bytes that the harness sent, as text.
pub fn sent(session: &Session) -> String {
    session
        .exchanges
        .iter()
        .map(|exchange| visible(&exchange.sent))
        .collect::<Vec<_>>()
        .join("\n")
}

fn line(out: &mut String, mark: &str, text: &str) {
    let _ = writeln!(out, "{}", format!("{mark}{text}").trim_end());
}

fn asked(out: &mut String, session: &Session, exchange: &Exchange) {
    let case = session.case();
    let process = match exchange.process {
        0 => String::new(),
        n => format!("[process {}] ", n + 1),
    };
    match (&exchange.request, exchange.phase) {
        (Some(request), phase::VALIDATE | phase::EVALUATE) => {
            let promiser = request.promiser.as_deref().unwrap_or_default();
            line(
                out,
                "→ ",
                &format!(
                    "{process}{} {}",
                    visible(request.operation.as_bytes()),
                    shown(promiser, case, LINE)
                ),
            );
            attributes(out, request, case);
        }
        (Some(request), _) => {
            line(
                out,
                "→ ",
                &format!("{process}{}", visible(request.operation.as_bytes())),
            );
        }
        (None, _) => {
            let bytes = exchange
                .sent
                .strip_suffix(b"\n\n")
                .unwrap_or(&exchange.sent);
            line(out, "→ ", &format!("{process}{}", shown(bytes, case, LINE)));
        }
    }
}

fn attributes(out: &mut String, request: &Request, case: &Case) {
    for (name, value) in request.attributes.iter().flatten() {
        let value = match value {
            Value::Text(text) => shown(text, case, LINE),
            other => shown(&other.encode(Style::Agent), case, LINE),
        };
        line(out, "    ", &format!("{} = {value}", visible(name)));
    }
}

fn answered(out: &mut String, session: &Session, exchange: &Exchange) {
    let case = session.case();
    let mut lines: Vec<String> = Vec::new();
    for bytes in exchange.output.split_inclusive(|byte| *byte == b'\n') {
        let text = bytes.strip_suffix(b"\n");
        let whole = text.is_some();
        let text = text.unwrap_or(bytes);
        match json::parse(text) {
            Ok(Json::Object(members)) if whole => {
                for member in &members {
                    let key = visible(member.key.as_bytes());
                    value(&mut lines, &key, &member.value, case);
                }
            }
            _ => {
                let mark = if whole {
                    ""
                } else {
                    "  (the line does not end)"
                };
                lines.push(format!("{}{mark}", shown(text, case, LINE)));
            }
        }
    }
    // The empty line that ends a message is what everybody expects.
    if exchange.message == Some(exchange.output.len()) && lines.last().is_some_and(String::is_empty)
    {
        lines.pop();
    }
    for (index, text) in lines.iter().enumerate() {
        line(out, if index == 0 { "← " } else { "  " }, text);
    }
    if exchange.message.is_none()
        && !exchange.output.is_empty()
        && exchange.ended == Ended::NoAnswer
    {
        line(out, "· ", "no whole message");
    }
    if let Some(what) = happened(exchange) {
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
        if changes.is_empty() && exchange.phase == phase::EVALUATE {
            line(out, "· ", "no effect");
        }
        for change in changes.iter().take(EFFECTS) {
            effect(out, change, case);
        }
        if changes.len() > EFFECTS {
            line(out, "+ ", &format!("and {} more", changes.len() - EFFECTS));
        }
    }
}

/// A member of an answer; a list of objects takes a line for each.
fn value(lines: &mut Vec<String>, key: &str, value: &Json, case: &Case) {
    let encoded = |value: &Json| shown(&value.encode(json_style()), case, LINE);
    match value {
        Json::Array(items) if items.iter().any(|item| item.as_object().is_some()) => {
            lines.push(format!("{key}:"));
            lines.extend(
                items
                    .iter()
                    .map(|item| format!("  {}", log(item, case).unwrap_or_else(|| encoded(item)))),
            );
        }
        Json::String(text) => lines.push(format!("{key}: {}", shown(text.as_bytes(), case, LINE))),
        other => lines.push(format!("{key}: {}", encoded(other))),
    }
}

/// `info: Wrote the file`, for a log message and nothing else.
fn log(item: &Json, case: &Case) -> Option<String> {
    let [level, message] = item.as_object()? else {
        return None;
    };
    let text = |name: &str, member: &json::Member| match &member.value {
        Json::String(text) if member.key.as_bytes() == name.as_bytes() => {
            Some(shown(text.as_bytes(), case, LINE))
        }
        _ => None,
    };
    Some(format!(
        "{}: {}",
        text("level", level)?,
        text("message", message)?
    ))
}

fn json_style() -> Style {
    Style::Spec
}

fn happened(exchange: &Exchange) -> Option<String> {
    Some(match exchange.ended {
        Ended::Answered => return None,
        Ended::NoAnswer => return (!exchange.owed).then(|| "no answer was owed".into()),
        Ended::Exited(cause) => format!("no answer: the process {}", exit(cause)),
        Ended::ClosedOutput => "standard output was closed, the process lives on".into(),
        Ended::Silent(Silence::Deadline | Silence::Input) if exchange.late => {
            "the answer came only when standard input was closed".into()
        }
        Ended::Silent(Silence::Deadline) => "no answer in time".into(),
        Ended::Silent(Silence::Input) => "no answer: the module waits for input".into(),
        Ended::Silent(Silence::Flood) => "output without end".into(),
        Ended::Silent(Silence::Processes) => "processes without end".into(),
        Ended::Silent(Silence::Memory) => "memory without end".into(),
        Ended::Killed => "killed by the harness here".into(),
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
    let (mark, what) = match change.kind {
        ChangeKind::Created => ("+ ", String::new()),
        ChangeKind::Changed => ("± ", "changed".to_owned()),
        ChangeKind::Rewritten => ("± ", "same content written again".to_owned()),
        ChangeKind::Deleted => ("- ", "deleted".to_owned()),
        ChangeKind::Mode => ("± ", "other mode".to_owned()),
        ChangeKind::Owner => ("± ", "other owner".to_owned()),
        ChangeKind::Xattr => ("± ", "other extended attributes".to_owned()),
        ChangeKind::Link => ("± ", "the link leads elsewhere".to_owned()),
    };
    let words: Vec<String> = [what]
        .into_iter()
        .chain(after.map(|entry| described(entry, case)))
        .filter(|words| !words.is_empty())
        .collect();
    line(out, mark, &format!("{path}  {}", words.join(", ")));
    if matches!(change.kind, ChangeKind::Created | ChangeKind::Changed)
        && let Some(lines) = after.and_then(|entry| content(entry, case))
    {
        for text in lines {
            line(out, "    | ", &text);
        }
    }
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

fn unsent(out: &mut String, session: &Session) {
    // Where the process was gone, that is reason enough for all that is missing.
    let asked = session
        .exchanges
        .iter()
        .any(|exchange| exchange.phase == phase::VALIDATE);
    let left_out = session
        .transcript
        .events
        .iter()
        .filter(|event| matches!(event, Event::Unsent { .. }))
        .count();
    if asked && left_out > 0 {
        line(
            out,
            "· ",
            "nothing was evaluated, since validation did not accept the promise",
        );
    }
}

fn ends(out: &mut String, session: &Session) {
    let last: Vec<bool> = (0..session.processes.len())
        .map(|process| {
            session
                .exchanges
                .iter()
                .rfind(|exchange| exchange.process == process)
                .is_some_and(|exchange| matches!(exchange.ended, Ended::Exited(_)))
        })
        .collect();
    for (number, process) in session.processes.iter().enumerate() {
        let who = match number {
            0 => "the process".to_owned(),
            n => format!("process {}", n + 1),
        };
        if process.outlived {
            line(out, "· ", &format!("{who} did not end in time"));
        } else if let Some((_, cause)) = process.exit
            && !last[number]
        {
            line(out, "· ", &format!("{who} {}", exit(cause)));
        }
    }
    for left in &session.left.processes {
        line(
            out,
            "· ",
            &format!("left running: {}", visible(left.as_bytes())),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use cfengine_protocol::Session;
    use cfengine_protocol::phase;
    use stickler_transcript::{
        Bytes, Case, Event, ExitCause, Input, Phase, Provenance, Transcript, Usage,
    };

    fn exchange(number: usize, phase: Phase, sent: &str, got: &str) -> Vec<Event> {
        let t = number as u64;
        vec![
            Event::Request(Input {
                t,
                process: 0,
                exchange: number,
                phase,
                key: format!("k{number}").into(),
                item: None,
                provenance: Provenance::Agent,
                owed: true,
            }),
            Event::In {
                t,
                process: 0,
                data: sent.into(),
            },
            Event::Out {
                t,
                process: 0,
                data: got.into(),
            },
        ]
    }

    #[test]
    fn a_session_reads_like_a_dialogue() {
        let mut events = vec![Event::Start { t: 0, process: 0 }];
        events.extend(exchange(
            1,
            phase::HEADER,
            "cf-agent 3.21.0 v1\n\n",
            "git 1.0 v1 json_based\n\n",
        ));
        events.extend(exchange(
            2,
            phase::EVALUATE,
            "{\"operation\":\"evaluate_promise\",\"promiser\":\"/d/x\",\"attributes\":{\"a\":\"b\",\"l\":[\"1\"]}}\n\n",
            "log_info=early\n{\"operation\":\"evaluate_promise\",\"result\":\"kept\",\"log\":[{\"level\":\"info\",\"message\":\"a \\\"b\\\"\"}]}\n\n",
        ));
        events.push(Event::Exit {
            t: 9,
            process: 0,
            cause: ExitCause::Code(3),
            usage: Usage::default(),
        });
        events.push(Event::End {
            t: 9,
            complete: true,
        });
        let case = Case {
            dirs: vec![Bytes::from("/d")],
            ..Case::default()
        };
        insta::assert_snapshot!(text(&Session::new(Transcript { case, events })), @r#"
        → cf-agent 3.21.0 v1
        ← git 1.0 v1 json_based

        → evaluate_promise {dir}/x
            a = b
            l = ["1"]
        ← log_info=early
          operation: evaluate_promise
          result: kept
          log:
            info: a "b"
        · the process ended with status 3
        "#);
    }
}
