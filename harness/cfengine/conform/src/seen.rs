//! What an agent did, in the form of recordings.

use crate::agent::Run;
use crate::messages::{Messages, OF_MODULES};
use crate::noted::{Noted, What};
use crate::situation::{Exit, Situation, Want};
use stickler_oracle::End;
use stickler_session::sandbox::ExitStatus;

/// The exit code of an agent that falls back to its failsafe policy.
const FAILSAFE: i32 = 6;

/// Of longer texts, recordings hold the start and the length.
const LONG: usize = 1 << 16;

/// How many characters of such a text are recorded.
const SHOWN: usize = 64;

/// What a run showed, with names in place of messages.
pub(crate) fn of_run(situation: &Situation, run: &Run, messages: &Messages) -> Want {
    let exit = match &run.end {
        End::Exit(ExitStatus::Code(code)) => Exit::Code(*code),
        End::Exit(ExitStatus::Signal(signal)) => Exit::Other(format!("signal {signal}")),
        End::Hung { .. } => Exit::Other("hung".to_owned()),
    };
    if situation.is_check() {
        let accepted = exit == Exit::Code(0);
        return Want {
            accepted,
            refused: !accepted,
            ..Want::default()
        };
    }
    if exit == Exit::Code(FAILSAFE) && run.noted.is_empty() {
        return Want {
            refused: true,
            ..Want::default()
        };
    }
    let printed = String::from_utf8_lossy(&run.printed).replace(&run.folder, "@DIR@");
    let mut want = messages.read(&printed);
    want.exit = Some(exit);
    want.logs
        .retain(|(_, text)| text.starts_with(OF_MODULES) && !text.contains(is_garbled));
    want.shorten();
    for (name, noted) in &run.noted {
        let asked = noted.iter().filter_map(|one| asked(one, &run.folder));
        want.asked.insert(name.clone(), asked.collect());
    }
    want
}

impl Want {
    /// Shortens long messages of modules, as recordings do.
    fn shorten(&mut self) {
        for (_, text) in &mut self.logs {
            if text.len() > LONG {
                let start: String = text.chars().take(SHOWN).collect();
                *text = format!("{start}… ({} bytes)", text.len());
            }
        }
    }
}

fn asked(noted: &Noted, folder: &str) -> Option<String> {
    match &noted.what {
        What::Start => Some("start".to_owned()),
        What::Request(bytes) => Some(shown(bytes, folder)),
        _ => None,
    }
}

/// Does this stand for bytes that are no text, or change how a terminal shows text?
fn is_garbled(c: char) -> bool {
    c.is_control() || c == char::REPLACEMENT_CHARACTER
}

/// A request as recordings show it. Bytes that are no text are the agent's memory.
fn shown(bytes: &[u8], folder: &str) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            let lines = bytes.split_inclusive(|&byte| byte == b'\n');
            lines.map(shown_line).collect()
        }
    };
    text.replace(folder, "@DIR@")
}

fn shown_line(line: &[u8]) -> String {
    let equals = line.iter().position(|&byte| byte == b'=');
    match (std::str::from_utf8(line), equals) {
        (Ok(line), _) => line.to_owned(),
        (Err(_), Some(at)) => format!("{}=<memory>\n", String::from_utf8_lossy(&line[..at])),
        (Err(_), None) => String::from_utf8_lossy(line).into_owned(),
    }
}
