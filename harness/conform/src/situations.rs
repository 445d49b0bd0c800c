//! Situations as files hold them, and how a dialect makes a table of them.

use crate::Table;
use anyhow::Context;
use serde_json::Value;
use std::ffi::OsString;
use stickler_session::sandbox::Host;

/// A situation, as files hold it.
pub trait Line: Sized {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// If it has another form.
    fn read(text: &str) -> anyhow::Result<Self>;
}

/// The lines of a text with situations. `name` is its name in messages.
///
/// # Errors
///
/// If a line has another form; the message names the line.
pub fn lines<L: Line>(name: &str, text: &str) -> anyhow::Result<Vec<L>> {
    let read = |(at, line)| L::read(line).with_context(|| format!("{name}, line {}", at + 1));
    let whole = |(_, line): &(usize, &str)| !line.trim().is_empty();
    text.lines().enumerate().filter(whole).map(read).collect()
}

/// A dialect's table, with the agent that plays it.
pub trait Situations: Table + Sized + 'static {
    /// A situation.
    type Line: Line;
    /// What plays situations.
    type Agent;

    /// The agent that a command line starts.
    ///
    /// # Errors
    ///
    /// If it can't be started.
    fn agent(command: &[OsString], host: &Host) -> anyhow::Result<Self::Agent>;

    /// The situations that are part of the program, with what was recorded of each measured release.
    ///
    /// # Errors
    ///
    /// If they can't be read.
    fn stored() -> anyhow::Result<Vec<Self::Line>>;

    /// A table of these situations.
    ///
    /// # Errors
    ///
    /// If what it needs beside them can't be read.
    fn of(agent: Self::Agent, lines: Vec<Self::Line>) -> anyhow::Result<Self>;

    /// A table of the stored situations.
    ///
    /// # Errors
    ///
    /// If they can't be read.
    fn own(agent: Self::Agent) -> anyhow::Result<Self> {
        Self::of(agent, Self::stored()?)
    }
}

/// The lines that reproducers keep, as situations.
///
/// # Errors
///
/// If one has another form.
pub fn kept<L: Line>(values: &[Value]) -> anyhow::Result<Vec<L>> {
    values.iter().map(|one| L::read(&one.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::{Line, lines};

    #[derive(Debug, PartialEq)]
    struct Number(u32);

    impl Line for Number {
        fn read(text: &str) -> anyhow::Result<Self> {
            Ok(Self(text.trim().parse()?))
        }
    }

    #[test]
    fn empty_lines_do_not_count_and_a_wrong_one_is_named() {
        let read = lines::<Number>("n.jsonl", "1\n\n  \n2\n").expect("numbers");
        assert_eq!(read, [Number(1), Number(2)]);
        let wrong = lines::<Number>("n.jsonl", "1\n\nx\n").expect_err("no number");
        assert_eq!(wrong.to_string(), "n.jsonl, line 3");
    }
}
