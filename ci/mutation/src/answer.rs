//! The answers in a transcript, and how to replace one.

use stickler_transcript::{Event, ExitCause, Input, Silence, Stream, Transcript, Usage};

/// Where an answer stands.
pub struct Answer<'t> {
    /// The request.
    pub request: &'t Input,
    /// Index of the request in the events.
    pub at: usize,
    /// Indices of what was printed in answer.
    outs: Vec<usize>,
    /// What was printed, in one piece.
    pub data: Vec<u8>,
}

/// All answers of a transcript, in order.
pub fn answers(transcript: &Transcript) -> Vec<Answer<'_>> {
    let mut found: Vec<Answer<'_>> = Vec::new();
    for (index, event) in transcript.events.iter().enumerate() {
        match event {
            Event::Request(input) => found.push(Answer {
                request: input,
                at: index,
                outs: Vec::new(),
                data: Vec::new(),
            }),
            Event::Out { process, data, .. } => {
                let answer = found
                    .iter_mut()
                    .rev()
                    .find(|answer| answer.request.process == *process);
                if let Some(answer) = answer {
                    answer.outs.push(index);
                    answer.data.extend_from_slice(data);
                }
            }
            _ => {}
        }
    }
    found.retain(|answer| !answer.outs.is_empty());
    found
}

/// The transcript with other bytes in place of an answer.
pub fn replaced(transcript: &Transcript, answer: &Answer<'_>, data: Vec<u8>) -> Transcript {
    let mut changed = transcript.clone();
    let mut data = Some(data);
    for index in &answer.outs {
        if let Event::Out { data: piece, .. } = &mut changed.events[*index] {
            *piece = data.take().unwrap_or_default().into();
        }
    }
    changed
}

/// The transcript in which the subject prints these bytes, and then no more.
pub fn hushed(transcript: &Transcript, answer: &Answer<'_>, data: Vec<u8>) -> Transcript {
    let mut changed = replaced(transcript, answer, data);
    let last = answer.outs.last().copied().unwrap_or(answer.at);
    let process = answer.request.process;
    changed.events.truncate(last + 1);
    let t = answer.request.t + 2_000_000;
    changed.events.extend([
        Event::Silent {
            t,
            process,
            why: Silence::Deadline,
            waited_us: 2_000_000,
        },
        Event::Closed {
            t,
            process,
            stream: Stream::Stdin,
            by_harness: true,
        },
        Event::Killed { t, process },
        Event::Exit {
            t,
            process,
            cause: ExitCause::Signal(9),
            usage: Usage::default(),
        },
    ]);
    changed.events.push(Event::End { t, complete: false });
    changed
}
