//! Situations as files hold them, and how a dialect makes a table of them.

use crate::Table;
use anyhow::{Context, bail};
use serde_json::Value;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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

    /// Why a command line or a sandbox cannot be what the user means.
    fn refuses(_command: &[OsString], _host: &Host) -> Option<String> {
        None
    }

    /// The agent that a command line starts. Once `stop` is set, one that can be ended is ended, and what it plays
    /// fails.
    ///
    /// # Errors
    ///
    /// If it can't be started.
    fn start(
        command: &[OsString],
        host: &Host,
        stop: &Arc<AtomicBool>,
    ) -> anyhow::Result<Self::Agent>;

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

/// A command line for people and for reproducers.
pub fn words(command: &[OsString]) -> Vec<String> {
    let words = command.iter();
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// Stickler's own agent, as a command line names it: `stickler apply --runtime 8+2.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Own {
    /// The program.
    pub program: PathBuf,
    /// The release that it is to behave as, if it is named.
    pub release: Option<String>,
}

impl Own {
    /// Reads a command line. `verb` is the command of this program, and `option` names the release, if that can be
    /// chosen. `None` if it is the command line of another program.
    ///
    /// # Errors
    ///
    /// If the command has other options: situations bring their own.
    pub fn of(
        command: &[OsString],
        verb: &str,
        option: Option<&str>,
    ) -> anyhow::Result<Option<Self>> {
        let [program, given, rest @ ..] = command else {
            return Ok(None);
        };
        let path = Path::new(program);
        let is_ours = path.file_name().is_some_and(|name| name == "stickler");
        if !is_ours || given != verb {
            return Ok(None);
        }
        let words = words(rest);
        let release = match (&words[..], option) {
            ([], _) => None,
            ([name, release], Some(option)) if name == option => Some(release.clone()),
            ([both], Some(option)) if both.starts_with(&format!("{option}=")) => {
                Some(both[option.len() + 1..].to_owned())
            }
            (_, Some(option)) => {
                bail!("after `stickler {verb}`, write only {option} and a release")
            }
            (_, None) => bail!("write `stickler {verb}` without options"),
        };
        // Runs have a folder of their own.
        let program = match program.as_bytes().contains(&b'/') {
            true => std::path::absolute(path)?,
            false => std::env::current_exe()?,
        };
        Ok(Some(Self { program, release }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Own, lines};
    use std::ffi::OsString;

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

    #[test]
    fn own_agents_are_known_by_their_command() {
        let of = |words: &[&str], option| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            Own::of(&words, "apply", option)
        };
        let release = |words: &[&str]| {
            let own = of(words, Some("--runtime")).expect("a command line");
            own.map(|own| own.release.unwrap_or_default())
        };
        assert_eq!(release(&["puppet"]), None);
        assert_eq!(release(&["/x/puppet", "apply"]), None);
        assert_eq!(release(&["stickler", "agent"]), None);
        assert_eq!(release(&["/x/stickler", "apply"]).as_deref(), Some(""));
        for words in [
            &["/x/stickler", "apply", "--runtime", "8"][..],
            &["stickler", "apply", "--runtime=8"],
        ] {
            assert_eq!(release(words).as_deref(), Some("8"));
        }
        assert!(of(&["stickler", "apply", "--noop"], Some("--runtime")).is_err());
        assert!(of(&["stickler", "apply", "--runtime", "8"], None).is_err());
    }
}
