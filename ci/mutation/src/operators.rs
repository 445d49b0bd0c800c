//! What can go wrong in an answer.

use crate::answer::{Answer, hushed, replaced};
use cfengine_protocol::phase;
use cfengine_protocol::wire::Protocol;
use regex::bytes::Regex;
use stickler_transcript::{Change, ChangeKind, Entry, Event, ExitCause, FileType, Transcript};

/// Makes a mutant of one answer; `None` where the answer has nothing to change.
pub type Operator = fn(&Transcript, &Answer<'_>, Protocol) -> Option<Transcript>;

/// All operators, with their names.
pub const OPERATORS: &[(&str, Operator)] = &[
    ("drop the answer", |t, a, _| Some(hushed(t, a, Vec::new()))),
    ("cut the answer in half", |t, a, _| {
        Some(hushed(t, a, a.data[..a.data.len() / 2].to_vec()))
    }),
    ("lose the last byte", |t, a, _| {
        Some(hushed(t, a, a.data[..a.data.len() - 1].to_vec()))
    }),
    ("double the answer", |t, a, _| {
        Some(replaced(t, a, [&a.data[..], &a.data].concat()))
    }),
    ("double the empty line", |t, a, _| {
        Some(replaced(t, a, [&a.data[..], b"\n"].concat()))
    }),
    ("carriage returns", |t, a, _| edit(t, a, "\n", "\r\n")),
    ("print something first", |t, a, _| {
        Some(replaced(t, a, [b"debug: here\n", &a.data[..]].concat()))
    }),
    ("a byte that is no UTF-8", |t, a, p| {
        (a.request.phase != phase::HEADER && p == Protocol::Json)
            .then(|| replaced(t, a, [b"log_info=\xff\n", &a.data[..]].concat()))
    }),
    ("answer the next request", swap_with_next),
    ("swap the result", |t, a, _| swapped(t, a)),
    ("an unknown result", |t, a, p| set_result(t, a, p, "done")),
    ("a result of another operation", |t, a, p| {
        let other = match a.request.phase {
            phase::VALIDATE => "kept",
            phase::EVALUATE => "valid",
            phase::TERMINATE => "repaired",
            _ => return None,
        };
        set_result(t, a, p, other)
    }),
    ("no result", |t, a, p| match p {
        Protocol::Json => edit(t, a, r#","?\s*"result"\s*:\s*"[a-z_]+""#, ""),
        Protocol::Line => edit(t, a, "result=[a-z_]+\n", ""),
    }),
    ("a result of another type", |t, a, p| match p {
        Protocol::Json => edit(t, a, r#""result"\s*:\s*"[a-z_]+""#, r#""result":true"#),
        Protocol::Line => None,
    }),
    ("another operation", |t, a, p| match p {
        Protocol::Json => edit(
            t,
            a,
            r#""operation"\s*:\s*"[a-z_]+""#,
            r#""operation":"other""#,
        ),
        Protocol::Line => edit(t, a, "operation=[a-z_]+", "operation=other"),
    }),
    ("another promiser", |t, a, p| match p {
        Protocol::Json => edit(t, a, r#""promiser"\s*:\s*"[^"]+""#, r#""promiser":"other""#),
        Protocol::Line => edit(t, a, "promiser=[^\n]+", "promiser=other"),
    }),
    ("classes as text", |t, a, p| match p {
        Protocol::Json => edit(
            t,
            a,
            r#""result_classes"\s*:\s*\[[^]]*\]"#,
            r#""result_classes":"a""#,
        ),
        Protocol::Line => None,
    }),
    ("a class that is no text", |t, a, p| match p {
        Protocol::Json => edit(
            t,
            a,
            r#""result_classes"\s*:\s*\["#,
            r#""result_classes":[1,"#,
        ),
        Protocol::Line => edit(t, a, "result_classes=", "result_classes=one, "),
    }),
    ("an unknown log level", |t, a, p| match p {
        Protocol::Json => edit(
            t,
            a,
            r#"(log_|"level"\s*:\s*")(info|error|verbose|warning|debug|critical|notice)"#,
            "${1}fatal",
        ),
        Protocol::Line => edit(t, a, "(?m)^log_[a-z]+=", "log_fatal="),
    }),
    ("a log line loses its prefix", |t, a, _| {
        edit(t, a, "(?m)^log_[a-z]+=", "")
    }),
    ("log lines get lost", |t, a, _| {
        matches!(a.request.phase, phase::VALIDATE | phase::EVALUATE)
            .then(|| edit(t, a, "(?m)^log_[a-z]+=[^\n]*\n", ""))?
    }),
    ("an error in the log of a success", |t, a, _| {
        (a.request.phase != phase::HEADER && succeeded(a))
            .then(|| replaced(t, a, [b"log_error=No.\n", &a.data[..]].concat()))
    }),
    ("a header of protocol 9", |t, a, _| {
        header(t, a, " v1 ", " v9 ")
    }),
    ("a header without protocol version", |t, a, _| {
        header(t, a, " v1 ", " ")
    }),
    ("a header without a flag", |t, a, _| {
        header(t, a, " (json|line)_based", "")
    }),
    ("a header of the other protocol", |t, a, _| {
        if a.data.windows(10).any(|w| w == b"json_based") {
            header(t, a, "json_based", "line_based")
        } else {
            header(t, a, "line_based", "json_based")
        }
    }),
    ("a name with blanks", |t, a, _| header(t, a, "^", "a name ")),
    ("what it repaired is not there", without_effects),
    ("validation leaves a file", |t, a, _| {
        (a.request.phase == phase::VALIDATE).then(|| with_file(t, a))?
    }),
    ("kept, and yet it writes", |t, a, _| {
        (a.request.phase == phase::EVALUATE && says(a, "kept")).then(|| with_file(t, a))?
    }),
    ("it ends with status 1", |t, a, _| {
        (a.request.phase == phase::TERMINATE).then(|| exit(t, a, ExitCause::Code(1)))?
    }),
    ("it ends by a signal", |t, a, _| {
        (a.request.phase == phase::TERMINATE).then(|| exit(t, a, ExitCause::Signal(11)))?
    }),
    ("it leaves a process", |t, a, _| {
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

fn edit(transcript: &Transcript, answer: &Answer<'_>, from: &str, to: &str) -> Option<Transcript> {
    let pattern = Regex::new(from).ok()?;
    let data = pattern
        .replace_all(&answer.data, to.as_bytes())
        .into_owned();
    (data != answer.data).then(|| replaced(transcript, answer, data))
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

fn set_result(
    transcript: &Transcript,
    answer: &Answer<'_>,
    protocol: Protocol,
    to: &str,
) -> Option<Transcript> {
    match protocol {
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

fn swap_with_next(transcript: &Transcript, answer: &Answer<'_>, _: Protocol) -> Option<Transcript> {
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

/// The observation right after an answer, as an index.
fn observation(transcript: &Transcript, answer: &Answer<'_>) -> Option<usize> {
    let after = &transcript.events[answer.at + 1..];
    let offset = after
        .iter()
        .take_while(|event| !matches!(event, Event::Request(_)))
        .position(|event| matches!(event, Event::Effects { .. }))?;
    Some(answer.at + 1 + offset)
}

fn without_effects(
    transcript: &Transcript,
    answer: &Answer<'_>,
    _: Protocol,
) -> Option<Transcript> {
    if !says(answer, "repaired") {
        return None;
    }
    let mut changed = transcript.clone();
    let at = observation(transcript, answer)?;
    let Event::Effects { changes, .. } = &mut changed.events[at] else {
        return None;
    };
    if changes.is_empty() {
        return None;
    }
    changes.clear();
    Some(changed)
}

fn with_file(transcript: &Transcript, answer: &Answer<'_>) -> Option<Transcript> {
    let mut changed = transcript.clone();
    let at = observation(transcript, answer)?;
    let dir = transcript.case.dirs.first()?.clone();
    let Event::Effects { changes, .. } = &mut changed.events[at] else {
        return None;
    };
    changes.push(Change {
        path: [&dir[..], b"/left"].concat().into(),
        kind: ChangeKind::Created,
        before: None,
        after: Some(Entry {
            kind: FileType::File,
            mode: 0o644,
            uid: 0,
            gid: 0,
            size: 1,
            digest: Some("0".repeat(64)),
            content: Some("x".into()),
        }),
    });
    Some(changed)
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
