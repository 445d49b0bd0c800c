//! # Each change from outside leads to an event
//!
//! ## What it requires
//! If something outside makes the state wrong while `Watch` runs, an event follows.
//!
//! ## Why
//! Without an event, the engine does not look again. "Resources which can miss events are
//! incorrect", says the guide.
//!
//! ## How it is judged
//! - Judged: changes long after the start: the author's `drift` commands, else what the example did is
//!   undone, and its file is written in place, also at the same length, renamed over, removed, and
//!   written many times, and written where a folder of its path was replaced: moved away, replaced by a link or
//!   removed; an event within three seconds.
//! - Lowered to should: changes that the author does not declare: a resource may not be able to see them,
//!   such as what a command checks.
//! - Not judged: a change after which the next `CheckApply` says that nothing was wrong, and one before
//!   which it says that something was.
//!
//! ## Example
//! `Watch` watches the file itself, and not its folder: when the file is removed and made again, it
//! sees nothing.
//!
//! ## How to fix
//! Watch what can change: for a file, its folder and those above it.
//!
//! ## Source
//! mgmt resource guide, "Watch".

use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::{Call, Session};
use crate::settled::changes_again;
use crate::spoilt::what;
use crate::watched::{came, deaf, watched};
use stickler_judge::{Check, Ledger, Level};
use stickler_transcript::{Drift, Event};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[relation::WATCHED, relation::FOLLOWED],
    check,
)];

fn check(session: &Session, ledger: &mut Ledger) {
    // The harness's own commands change files of which the author says nothing.
    let mut groups = session.case().groups.iter();
    let is_own = groups.any(|member| member.relation == relation::FOLLOWED);
    // What a head does not see of its members is another rule's.
    if session.calls(phase::GROUP).next().is_some() {
        return;
    }
    let all = watched(session);
    for watch in &all {
        let ended = watch.ended_early();
        // What it saw before it was started again is the matter of another rule.
        let unheard = deaf(session, &all, watch).map(|noticed| noticed.number);
        let late = watch
            .noticed()
            .filter(|noticed| !watch.is_early(noticed) && unheard != Some(noticed.number));
        for noticed in late {
            let drift = session.drift_before(noticed);
            if let Some(why) = session.drift_failed(noticed) {
                ledger.skip(why);
                continue;
            }
            let how = match (came(noticed).as_deref(), &ended) {
                (Some("nothing"), None) => "leads to no event within three seconds".to_owned(),
                (Some("ended"), Some((_, Some(error), _)))
                    if watch.ends_after(noticed, session) =>
                {
                    format!("ends `Watch` with an error: {error}")
                }
                (Some("event"), _) => {
                    ledger.pass(noticed.number);
                    continue;
                }
                _ => continue,
            };
            let is_declared = matches!(drift, Some(Drift::Command { .. })) && !is_own;
            // What is always wrong is not made wrong from outside.
            if !is_declared && changes_again(session, noticed) {
                continue;
            }
            let level = if is_declared {
                Level::Must
            } else {
                Level::Should
            };
            let what = what(drift);
            let when = replaced(session, noticed).map_or("", |(_, words)| words);
            let defect = format!("{when}{what} {how}");
            let finding = ledger.finding(noticed.number, defect).at_most(level);
            ledger.report(finding.graded(noticed.provenance));
        }
    }
}

/// The ways in which folders are replaced, and what is said of a change after that.
const REPLACED: [(&str, &str); 4] = [
    (
        purpose::COPIED,
        "once a folder of its path was moved away and removed, with a copy put in its place, ",
    ),
    (
        purpose::MOVED,
        "once a folder of its path was moved away, with a copy put in its place, ",
    ),
    (
        purpose::LINKED,
        "once a folder of its path was moved away, with a link to a copy in its place, ",
    ),
    (
        purpose::REMADE,
        "once a folder of its path was removed and made again, ",
    ),
];

/// How a folder was replaced last before a call.
fn replaced(session: &Session, call: &Call) -> Option<&'static (&'static str, &'static str)> {
    let events = session.transcript.events.iter();
    let before = events.take_while(
        |event| !matches!(event, Event::Request(input) if input.exchange == call.number),
    );
    let points = before.filter_map(|event| match event {
        Event::Effects { point, .. } => REPLACED.iter().find(|(known, _)| known == point),
        _ => None,
    });
    points.last()
}
