//! A session as moments in time, with the bytes of both sides as people read them.

use std::borrow::Cow;
use stickler_reading::never_counts;
use stickler_reading::words::shown;
use stickler_transcript::{
    Bytes, Case, Change, Drift, Event, ExitCause, Silence, Stream, Transcript,
};

/// How many moments are kept, half of them from each end of the session.
const MOMENTS: usize = 120;
/// The longest text of a moment, in characters.
const TEXT: usize = 2_000;
/// How many bytes of a message are read for its text.
const BYTES: usize = 4 * TEXT;
/// How many changes an observation names.
const CHANGES: usize = 20;

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// The harness or the agent sent a message.
    Sent,
    /// The subject answered.
    Received,
    /// The subject wrote to its standard error, or printed beside its channel.
    Printed,
    /// The subject changed files.
    Effect,
    /// A wait ended without an answer: a deadline passed.
    Waited,
    /// A process ended.
    Ended,
    /// Anything else.
    Other,
}

/// Something that happened in a session. Times are microseconds since the session began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When it began.
    pub at: u64,
    /// When it was over.
    pub until: u64,
    /// What kind of thing it is.
    pub happening: Happening,
    /// The number of the exchange, if a message begins here.
    pub exchange: Option<usize>,
    /// What it is, in a few words: `evaluate`, `stderr`, `exit`.
    pub name: String,
    /// Its content, with control characters and invalid UTF-8 as escapes.
    pub text: String,
}

/// A session, moment by moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// Name of the case.
    pub case: String,
    /// How many messages were sent.
    pub messages: usize,
    /// When it was over, in microseconds.
    pub length: u64,
    /// What happened, in order.
    pub moments: Vec<Moment>,
    /// How many moments are left out, and before which one that is kept.
    pub left_out: Option<(usize, usize)>,
}

impl Timeline {
    /// The moments of a transcript. Pieces of one message are one moment. Long texts are
    /// shortened, and of a long session the middle is left out.
    pub fn of(transcript: &Transcript) -> Timeline {
        let mut draft = Draft {
            case: &transcript.case,
            many: starts(&transcript.events) > 1,
            notes: Vec::new(),
            length: 0,
        };
        for event in &transcript.events {
            draft.event(event);
        }
        let messages = draft.notes.iter();
        let messages = messages.filter(|note| note.exchange.is_some()).count();
        let total = draft.notes.len();
        let left_out = (total > MOMENTS).then(|| (total - MOMENTS, MOMENTS / 2));
        if let Some((number, at)) = left_out {
            draft.notes.drain(at..at + number);
        }
        Timeline {
            case: transcript.case.id.clone(),
            messages,
            length: draft.length,
            moments: draft.notes.iter().map(|note| draft.moment(note)).collect(),
            left_out,
        }
    }
}

fn starts(events: &[Event]) -> usize {
    let starts = events.iter();
    starts.filter(|e| matches!(e, Event::Start { .. })).count()
}

/// A moment before its bytes become text.
struct Note {
    at: u64,
    until: u64,
    process: Option<usize>,
    happening: Happening,
    exchange: Option<usize>,
    name: Cow<'static, str>,
    bytes: Vec<u8>,
    /// How many bytes are missing from `bytes`.
    more: usize,
}

struct Draft<'t> {
    case: &'t Case,
    /// Are there several processes?
    many: bool,
    notes: Vec<Note>,
    length: u64,
}

impl Draft<'_> {
    fn event(&mut self, event: &Event) {
        use Happening::{Effect, Ended, Other, Printed, Received, Sent, Waited};
        match event {
            Event::Start { t, process } => {
                self.note(*t, Some(*process), Other, "start", "the process starts");
            }
            Event::Request(input) => {
                let name = input.phase.name().into_owned();
                self.note(input.t, Some(input.process), Sent, name, "");
                if let Some(note) = self.notes.last_mut() {
                    note.exchange = Some(input.exchange);
                }
            }
            Event::In { t, process, data } => self.bytes(*t, *process, Sent, "input", data),
            Event::Out { t, process, data } => self.bytes(*t, *process, Received, "output", data),
            Event::Printed { t, process, data } => {
                self.bytes(*t, *process, Printed, "stdout", data);
            }
            Event::Err { t, process, data } => self.bytes(*t, *process, Printed, "stderr", data),
            Event::Unsent { t, .. } => {
                let text = "a message was not sent: an earlier one was not accepted";
                self.note(*t, None, Other, "not sent", text);
            }
            Event::Closed {
                t,
                process,
                stream,
                by_harness,
            } => {
                let who = if *by_harness {
                    "Stickler"
                } else {
                    "the process"
                };
                let stream = match stream {
                    Stream::Stdin => "standard input",
                    Stream::Stdout => "standard output",
                    Stream::Stderr => "standard error",
                };
                let text = format!("{who} closes {stream}");
                self.note(*t, Some(*process), Other, "close", &text);
            }
            Event::Silent {
                t,
                process,
                why,
                waited_us,
            } => {
                self.note(*t, Some(*process), Waited, silence(*why), waited(*why));
                if let Some(note) = self.notes.last_mut() {
                    note.at = t.saturating_sub(*waited_us);
                }
            }
            Event::Killed { t, process } => {
                self.note(*t, Some(*process), Other, "kill", "a signal is sent");
            }
            Event::Writes {
                t,
                process,
                failed: Some(failed),
                call,
                ..
            } => {
                let call = call.as_ref().map_or("", |call| &call.name);
                let text = format!("Stickler made call {failed} that changes files fail: {call}");
                self.note(*t, Some(*process), Other, "failed call", &text);
            }
            Event::Exit {
                t, process, cause, ..
            } => {
                let text = match cause {
                    ExitCause::Code(code) => format!("the process ended with status {code}"),
                    ExitCause::Signal(signal) => format!("signal {signal} ended the process"),
                    ExitCause::Lost => "the process was lost with its sandbox".to_owned(),
                };
                self.note(*t, Some(*process), Ended, "exit", &text);
            }
            Event::Effects { t, changes, .. } => {
                let counts = changes.iter().filter(|one| !never_counts(one, self.case));
                let counts: Vec<&Change> = counts.collect();
                for one in counts.iter().take(CHANGES) {
                    self.note(*t, None, Effect, "effect", &change(one));
                }
                if counts.len() > CHANGES {
                    let text = format!("and {} more", counts.len() - CHANGES);
                    self.note(*t, None, Effect, "effect", &text);
                }
            }
            Event::Drifted {
                t, drift, failed, ..
            } => {
                let text = match failed {
                    Some(why) => format!("Stickler could not change a file: {why}"),
                    None => format!("Stickler {}", what_drifts(drift)),
                };
                self.note(*t, None, Other, "change", &text);
            }
            Event::Protected { t, .. } => {
                let text = "Stickler protected the scratch directory against writes";
                self.note(*t, None, Other, "protect", text);
            }
            Event::Listened {
                t,
                process,
                name,
                heard: false,
                waited_us,
                ..
            } => {
                let what = name.as_deref().unwrap_or("notification");
                let text = format!("no {what} within {} ms", waited_us / 1000);
                self.note(*t, Some(*process), Other, "waited", &text);
            }
            Event::Left { t, processes, .. } => {
                for process in processes {
                    self.note(*t, None, Ended, "left running", process);
                }
            }
            Event::Outcome(outcome) => {
                let text = format!(
                    "{} {}: {}",
                    outcome.kind.lossy(),
                    outcome.identity.lossy(),
                    format!("{:?}", outcome.outcome).to_lowercase()
                );
                self.note(outcome.t, None, Other, "conclusion of the agent", &text);
            }
            Event::Full { t, limit } => {
                let text = format!("the record ends here: it has reached {limit} bytes");
                self.note(*t, None, Other, "limit", &text);
            }
            Event::Trouble { t, message } => self.note(*t, None, Other, "trouble", message),
            Event::End { t, .. } => self.length = self.length.max(*t),
            Event::Writes { .. }
            | Event::Sample { .. }
            | Event::Verified { .. }
            | Event::Marked { .. }
            | Event::Listened { .. } => {}
        }
    }

    fn note(
        &mut self,
        t: u64,
        process: Option<usize>,
        happening: Happening,
        name: impl Into<Cow<'static, str>>,
        text: &str,
    ) {
        self.length = self.length.max(t);
        self.notes.push(Note {
            at: t,
            until: t,
            process,
            happening,
            exchange: None,
            name: name.into(),
            bytes: text.as_bytes()[..text.len().min(BYTES)].to_vec(),
            more: text.len().saturating_sub(BYTES),
        });
    }

    /// Adds bytes to the moment before, if they continue it.
    fn bytes(
        &mut self,
        t: u64,
        process: usize,
        happening: Happening,
        name: &'static str,
        data: &Bytes,
    ) {
        let continues = |note: &Note| {
            let is_same = note.name == name || note.exchange.is_some();
            note.happening == happening && note.process == Some(process) && is_same
        };
        if !self.notes.last().is_some_and(continues) {
            self.note(t, Some(process), happening, name, "");
        }
        self.length = self.length.max(t);
        if let Some(note) = self.notes.last_mut() {
            let room = BYTES.saturating_sub(note.bytes.len()).min(data.len());
            note.bytes.extend_from_slice(&data[..room]);
            note.more += data.len() - room;
            note.until = t;
        }
    }

    fn moment(&self, note: &Note) -> Moment {
        let mut text = shown(&note.bytes, self.case, TEXT);
        if note.more > 0 {
            text.push_str(&format!(" … {} more bytes", note.more));
        }
        let name = match note.process {
            Some(process) if self.many => format!("process {}: {}", process + 1, note.name),
            _ => note.name.clone().into_owned(),
        };
        Moment {
            at: note.at,
            until: note.until,
            happening: note.happening,
            exchange: note.exchange,
            name,
            text,
        }
    }
}

fn silence(why: Silence) -> &'static str {
    match why {
        Silence::Deadline => "deadline",
        Silence::Input => "waits for input",
        Silence::Flood => "endless output",
        Silence::Processes => "too many processes",
        Silence::Memory => "too much memory",
    }
}

fn waited(why: Silence) -> &'static str {
    match why {
        Silence::Deadline => "no complete message came in time",
        Silence::Input => "the process has read everything and waits for more",
        Silence::Flood => "the output does not end",
        Silence::Processes | Silence::Memory => "Stickler stopped waiting",
    }
}

fn change(change: &Change) -> String {
    let (sign, words) = (change.kind.sign(), change.kind.words());
    let path = change.path.lossy();
    match words {
        "" => format!("{sign} {path}"),
        words => format!("{sign} {path}: {words}"),
    }
}

/// What the harness changed, in words.
fn what_drifts(drift: &Drift) -> String {
    match drift {
        Drift::Command { words, .. } => {
            let words: Vec<_> = words.iter().map(Bytes::lossy).collect();
            format!("ran {}", words.join(" "))
        }
        drift => {
            let path = drift.path().map(Bytes::lossy).unwrap_or_default();
            format!("changed {path}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Happening, MOMENTS, Timeline};
    use stickler_transcript::{Case, Event, Input, Key, Phase, Provenance, Silence, Transcript};

    fn timeline(events: Vec<Event>) -> Timeline {
        let case = Case {
            id: "baseline/e1".into(),
            dirs: vec!["/tmp/x".into()],
            ..Case::default()
        };
        Timeline::of(&Transcript { case, events })
    }

    fn sent(t: u64, data: &[u8]) -> Event {
        Event::In {
            t,
            process: 0,
            data: data.into(),
        }
    }

    fn request(t: u64) -> Event {
        Event::Request(Input {
            t,
            process: 0,
            exchange: 3,
            phase: Phase::named("evaluate"),
            key: Key::parse("e"),
            item: None,
            provenance: Provenance::Agent,
            owed: true,
        })
    }

    #[test]
    fn pieces_of_a_message_are_one_moment() {
        let line = timeline(vec![
            request(5),
            sent(6, b"ab"),
            sent(9, b"/tmp/x/c\xff\n"),
            Event::End {
                t: 40,
                complete: true,
            },
        ]);
        let [moment] = &line.moments[..] else {
            panic!("{:?}", line.moments);
        };
        assert_eq!(moment.text, "ab{dir}/c\\xff⏎");
        assert_eq!((moment.at, moment.until), (5, 9));
        assert_eq!((moment.exchange, &moment.name[..]), (Some(3), "evaluate"));
        assert_eq!((line.messages, line.length), (1, 40));
    }

    #[test]
    fn a_wait_lasts_until_its_deadline() {
        let line = timeline(vec![Event::Silent {
            t: 500,
            process: 0,
            why: Silence::Deadline,
            waited_us: 400,
        }]);
        let moment = &line.moments[0];
        assert_eq!((moment.at, moment.until), (100, 500));
        assert_eq!(moment.happening, Happening::Waited);
    }

    #[test]
    fn a_long_session_and_a_long_message_are_shortened() {
        let events = (0..1000).map(request).collect();
        let line = timeline(events);
        assert_eq!(line.moments.len(), MOMENTS);
        assert_eq!(line.left_out, Some((1000 - MOMENTS, MOMENTS / 2)));
        let line = timeline(vec![sent(1, &b"x".repeat(1 << 20))]);
        assert!(line.moments[0].text.ends_with("more bytes"));
        assert!(line.moments[0].text.len() < 3_000);
    }
}
