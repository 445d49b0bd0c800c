//! A module's answer to the header, parsed as cf-agent 3.21.0 does.

use super::channel::Silence;
use super::lines::Lines;
use super::until_nul;
use crate::log::{Log, Severity};
use cfengine_protocol::wire::Protocol;

/// The features that a header asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    /// The protocol.
    pub(crate) protocol: Protocol,
    /// Whether the module supports warnings instead of changes.
    pub(crate) action_policy: bool,
}

/// Why the agent does not use a module.
pub(crate) enum NoHeader {
    /// The module sends no header.
    Silent(Silence),
    /// The header is wrong; the message about it.
    Wrong(String),
}

impl From<Silence> for NoHeader {
    fn from(silence: Silence) -> Self {
        Self::Silent(silence)
    }
}

/// Reads the header and the empty line after it.
///
/// # Errors
/// Why the agent does not use the module.
pub(crate) fn line(
    lines: &mut impl Lines,
    interpreter: Option<&str>,
    path: &str,
    log: &mut Log,
) -> Result<String, NoHeader> {
    // cf-agent prints a null pointer if there is no interpreter.
    let who = format!("{} {path}", interpreter.unwrap_or("(null)"));
    let wrong = |complaint| Err(NoHeader::Wrong(complaint));
    let line = lines.line()?;
    if line.is_empty() {
        return wrong(format!(
            "Did not receive header from promise module '{path}'"
        ));
    }
    let Some(header) = line.strip_suffix(b"\n") else {
        return wrong(format!(
            "Promise module '{who}' sent an invalid header with no newline: '{}'",
            until_nul(line)
        ));
    };
    let header = until_nul(header).into_owned();
    if log.would(Severity::Debug) {
        log.line(
            Severity::Debug,
            &format!("Received header from promise module: '{header}'"),
        );
    }
    match lines.line()? {
        empty if empty == b"\n" => Ok(header),
        other => wrong(format!(
            "Promise module '{who}' failed to send empty line after header: '{}'",
            until_nul(other)
        )),
    }
}

/// Parses the features of a header; reports faults.
pub(crate) fn flags(header: &str, path: &str, log: &mut Log) -> Flags {
    let mut flags = Flags {
        protocol: Protocol::Line,
        action_policy: false,
    };
    let mut specified = false;
    for flag in header.split(' ').skip(3) {
        match flag {
            "json_based" | "line_based" => {
                if specified {
                    let message = format!(
                        "Ambiguous protocol specification from the custom promise module '{path}'. Please report this as a bug in the module"
                    );
                    log.line(Severity::Warning, &message);
                }
                specified = true;
                flags.protocol = if flag == "json_based" {
                    Protocol::Json
                } else {
                    Protocol::Line
                };
            }
            "action_policy" => flags.action_policy = true,
            _ => {}
        }
    }
    if !specified {
        let message = format!(
            "Custom promise module '{path}' didn't fully specify protocol. Using 'line_based' as the default. Please report this as a bug in the module"
        );
        log.line(Severity::Warning, &message);
    }
    flags
}
