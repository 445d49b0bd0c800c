//! What can go wrong in an answer of a promise module.

use crate::answer::{Answer, hushed, replaced};
use crate::change::{Operator, edit, with_file, without_effects};
use cfengine_protocol::phase;
use cfengine_protocol::wire::Protocol;
use regex::bytes::Regex;
use stickler_transcript::{Event, ExitCause, Transcript};

/// The operators, with their names.
pub const OPERATORS: &[(&str, Operator)] = &[
    ("drop the answer", |t, a| Some(hushed(t, a, Vec::new()))),
    ("cut the answer in half", |t, a| {
        Some(hushed(t, a, a.data[..a.data.len() / 2].to_vec()))
    }),
    ("lose the last byte", |t, a| {
        Some(hushed(t, a, a.data[..a.data.len() - 1].to_vec()))
    }),
    ("double the answer", |t, a| {
        Some(replaced(t, a, [&a.data[..], &a.data].concat()))
    }),
    ("double the empty line", |t, a| {
        Some(replaced(t, a, [&a.data[..], b"\n"].concat()))
    }),
    ("carriage returns", |t, a| edit(t, a, "\n", "\r\n")),
    ("print something first", |t, a| {
        Some(replaced(t, a, [b"debug: here\n", &a.data[..]].concat()))
    }),
    ("a byte that is no UTF-8", |t, a| {
        (a.request.phase != phase::HEADER && protocol(t) == Protocol::Json)
            .then(|| replaced(t, a, [b"log_info=\xff\n", &a.data[..]].concat()))
    }),
    ("answer the next request", swap_with_next),
    ("swap the result", |t, a| swapped(t, a)),
    ("an unknown result", |t, a| set_result(t, a, "done")),
    ("a result of another operation", |t, a| {
        let other = match a.request.phase {
            phase::VALIDATE => "kept",
            phase::EVALUATE => "valid",
            phase::TERMINATE => "repaired",
            _ => return None,
        };
        set_result(t, a, other)
    }),
    ("no result", |t, a| match protocol(t) {
        Protocol::Json => edit(t, a, r#","?\s*"result"\s*:\s*"[a-z_]+""#, ""),
        Protocol::Line => edit(t, a, "result=[a-z_]+\n", ""),
    }),
    ("a result of another type", |t, a| match protocol(t) {
        Protocol::Json => edit(t, a, r#""result"\s*:\s*"[a-z_]+""#, r#""result":true"#),
        Protocol::Line => None,
    }),
    ("another operation", |t, a| match protocol(t) {
        Protocol::Json => edit(
            t,
            a,
            r#""operation"\s*:\s*"[a-z_]+""#,
            r#""operation":"other""#,
        ),
        Protocol::Line => edit(t, a, "operation=[a-z_]+", "operation=other"),
    }),
    ("another promiser", |t, a| match protocol(t) {
        Protocol::Json => edit(t, a, r#""promiser"\s*:\s*"[^"]+""#, r#""promiser":"other""#),
        Protocol::Line => edit(t, a, "promiser=[^\n]+", "promiser=other"),
    }),
    ("classes as text", |t, a| match protocol(t) {
        Protocol::Json => edit(
            t,
            a,
            r#""result_classes"\s*:\s*\[[^]]*\]"#,
            r#""result_classes":"a""#,
        ),
        Protocol::Line => None,
    }),
    ("a class that is no text", |t, a| match protocol(t) {
        Protocol::Json => edit(
            t,
            a,
            r#""result_classes"\s*:\s*\["#,
            r#""result_classes":[1,"#,
        ),
        Protocol::Line => edit(t, a, "result_classes=", "result_classes=one, "),
    }),
    ("an unknown log level", |t, a| match protocol(t) {
        Protocol::Json => edit(
            t,
            a,
            r#"(log_|"level"\s*:\s*")(info|error|verbose|warning|debug|critical|notice)"#,
            "${1}fatal",
        ),
        Protocol::Line => edit(t, a, "(?m)^log_[a-z]+=", "log_fatal="),
    }),
    ("a log line loses its prefix", |t, a| {
        edit(t, a, "(?m)^log_[a-z]+=", "")
    }),
    ("log lines get lost", |t, a| {
        matches!(a.request.phase, phase::VALIDATE | phase::EVALUATE)
            .then(|| edit(t, a, "(?m)^log_[a-z]+=[^\n]*\n", ""))?
    }),
    ("an error in the log of a success", |t, a| {
        (a.request.phase != phase::HEADER && succeeded(a))
            .then(|| replaced(t, a, [b"log_error=No.\n", &a.data[..]].concat()))
    }),
    ("a header of protocol 9", |t, a| {
        header(t, a, " v1 ", " v9 ")
    }),
    ("a header without protocol version", |t, a| {
        header(t, a, " v1 ", " ")
    }),
    ("a header without a flag", |t, a| {
        header(t, a, " (json|line)_based", "")
    }),
    ("a header of the other protocol", |t, a| {
        if a.data.windows(10).any(|w| w == b"json_based") {
            header(t, a, "json_based", "line_based")
        } else {
            header(t, a, "line_based", "json_based")
        }
    }),
    ("a name with blanks", |t, a| header(t, a, "^", "a name ")),
    ("what it repaired is not there", |t, a| {
        says(a, "repaired").then(|| without_effects(t, a))?
    }),
    ("validation leaves a file", |t, a| {
        (a.request.phase == phase::VALIDATE).then(|| with_file(t, a))?
    }),
    ("kept, and yet it writes", |t, a| {
        (a.request.phase == phase::EVALUATE && says(a, "kept")).then(|| with_file(t, a))?
    }),
    ("it ends with status 1", |t, a| {
        (a.request.phase == phase::TERMINATE).then(|| exit(t, a, ExitCause::Code(1)))?
    }),
    ("it ends by a signal", |t, a| {
        (a.request.phase == phase::TERMINATE).then(|| exit(t, a, ExitCause::Signal(11)))?
    }),
    ("it leaves a process", |t, a| {
        let all = crate::answer::answers(t);
        // After a repair a service may stay.
        let repaired = all.iter().any(|other| says(other, "repaired"));
        (a.request.phase == phase::TERMINATE && !repaired).then(|| {
            let mut changed = t.clone();
            let end = changed.events.len() - 1;
            let left = Event::Left {
                t: a.request.t + 1,
                processes: vec!["sleep 100".into()],
                holds_stdout: false,
                holds_stdin: false,
            };
            changed.events.insert(end, left);
            changed
        })
    }),
];

/// The protocol that the module's header asked for.
fn protocol(transcript: &Transcript) -> Protocol {
    let facts = cfengine_protocol::Facts::of(&transcript.case.facts);
    facts.protocol.unwrap_or(Protocol::Line)
}

fn header(
    transcript: &Transcript,
    answer: &Answer<'_>,
    from: &str,
    to: &str,
) -> Option<Transcript> {
    (answer.request.phase == phase::HEADER).then(|| edit(transcript, answer, from, to))?
}

fn says(answer: &Answer<'_>, result: &str) -> bool {
    let text = String::from_utf8_lossy(&answer.data);
    text.contains(&format!("result={result}\n"))
        || Regex::new(&format!(r#""result"\s*:\s*"{result}""#))
            .is_ok_and(|pattern| pattern.is_match(&answer.data))
}

fn succeeded(answer: &Answer<'_>) -> bool {
    ["valid", "kept", "repaired", "success"]
        .iter()
        .any(|result| says(answer, result))
}

fn set_result(transcript: &Transcript, answer: &Answer<'_>, to: &str) -> Option<Transcript> {
    match protocol(transcript) {
        Protocol::Json => edit(
            transcript,
            answer,
            r#""result"\s*:\s*"[a-z_]+""#,
            &format!(r#""result":"{to}""#),
        ),
        Protocol::Line => edit(
            transcript,
            answer,
            "result=[a-z_]+\n",
            &format!("result={to}\n"),
        ),
    }
}

fn swapped(transcript: &Transcript, answer: &Answer<'_>) -> Option<Transcript> {
    const PAIRS: [(&str, &str); 6] = [
        ("valid", "invalid"),
        ("invalid", "valid"),
        ("kept", "repaired"),
        ("repaired", "kept"),
        ("not_kept", "kept"),
        ("success", "failure"),
    ];
    let (from, to) = PAIRS.iter().find(|(from, _)| says(answer, from))?;
    edit(
        transcript,
        answer,
        &format!(r#"(result(?:"\s*:\s*"|=)){from}(["\n])"#),
        &format!("${{1}}{to}${{2}}"),
    )
}

fn swap_with_next(transcript: &Transcript, answer: &Answer<'_>) -> Option<Transcript> {
    let all = crate::answer::answers(transcript);
    let next = all
        .iter()
        .find(|next| next.at > answer.at && next.request.process == answer.request.process)?;
    if next.data == answer.data {
        return None;
    }
    let changed = replaced(transcript, answer, next.data.clone());
    Some(replaced(&changed, next, answer.data.clone()))
}

fn exit(transcript: &Transcript, answer: &Answer<'_>, to: ExitCause) -> Option<Transcript> {
    let mut changed = transcript.clone();
    let exit = changed.events[answer.at..]
        .iter_mut()
        .find_map(|event| match event {
            Event::Exit { process, cause, .. } if *process == answer.request.process => Some(cause),
            _ => None,
        })?;
    *exit = to;
    Some(changed)
}
