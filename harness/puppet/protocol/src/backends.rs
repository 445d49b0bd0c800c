//! What the harness breaks: commands and files on which a provider relies.

use crate::purpose;
use crate::session::{Call, Session};
use stickler_transcript::{Relation, Role};

/// Do commands fail in this session, at times?
pub(crate) fn commands_fail(session: &Session) -> bool {
    let mut groups = session.case().groups.iter();
    groups.any(|member| {
        let is_usual = matches!(member.role, Role::Baseline | Role::Again);
        member.relation == Relation::COMMANDS && !is_usual
    })
}

/// Does a single command fail in this session?
pub(crate) fn one_command_fails(session: &Session) -> bool {
    let mut groups = session.case().groups.iter();
    groups.any(|member| {
        member.relation == Relation::COMMANDS && member.role.name().starts_with("one after ")
    })
}

/// What is broken during a call that reads the rows, in words.
pub(crate) fn broken(call: &Call) -> Option<&'static str> {
    Some(match call.key.part_of(purpose::BROKEN)? {
        purpose::CLOSED => "a file is unreadable",
        purpose::DAMAGED => "a file is damaged",
        _ => "a command fails",
    })
}

/// The calls that read the rows of a backend while it works, and while it is broken.
pub(crate) fn broken_reads(session: &Session) -> Vec<(&Call, &Call)> {
    let broken = session
        .exchanges
        .iter()
        .filter(|call| broken(call).is_some());
    let pairs = broken.filter_map(|call| {
        let key = purpose::WHOLE.part(call.key.part_of(purpose::BROKEN)?);
        let whole = session.exchange(&key.of(call.key.label()?))?;
        Some((whole, call))
    });
    pairs.collect()
}
