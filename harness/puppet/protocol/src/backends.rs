//! What the harness breaks: commands and files on which a provider relies.

use crate::session::{Call, Session};
use stickler_transcript::{Relation, Role};

/// Do commands fail in this session, at times?
pub(crate) fn commands_fail(session: &Session) -> bool {
    let mut groups = session.case().groups.iter();
    groups.any(|member| {
        let is_usual = matches!(member.role, Role::Baseline | Role::Again);
        member.relation == Relation::Commands && !is_usual
    })
}

/// What is broken during a call that reads the rows, in words.
pub(crate) fn broken(call: &Call) -> Option<&'static str> {
    let (key, _) = call.key.strip_prefix("broken-")?.split_once(':')?;
    Some(match key {
        "closed" => "a file may not be read",
        "damaged" => "a file is damaged",
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
        let key = call.key.strip_prefix("broken-")?;
        let whole = session.exchange(&format!("whole-{key}"))?;
        Some((whole, call))
    });
    pairs.collect()
}
