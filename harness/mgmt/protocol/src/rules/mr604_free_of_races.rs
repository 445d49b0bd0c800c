//! # It is free of data races
//!
//! ## What it requires
//! Go's race detector finds nothing, in no session of the suite.
//!
//! ## Why
//! `Watch` and `CheckApply` run in different goroutines. What a race makes of a value is not defined.
//!
//! ## How it is judged
//! - Judged: all that the race detector writes, with `stickler check --race`.
//! - Not judged: races between parts of the host.
//!
//! ## Example
//! `Watch` sets a field that `CheckApply` reads, without a mutex.
//!
//! ## How to fix
//! Guard the field with a mutex, or hand it on through a channel.
//!
//! ## Source
//! mgmt's engine: how resources run; the race detector of Go.

use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[Relation::Usual, Relation::Undone, Relation::Policies],
    check,
)];

/// How a report of the race detector begins.
const REPORT: &str = "WARNING: DATA RACE";

fn check(session: &Session, ledger: &mut Ledger) {
    for call in &session.exchanges {
        let text = String::from_utf8_lossy(&call.errors);
        let races: Vec<String> = text.split(REPORT).skip(1).filter_map(race).collect();
        for race in &races {
            let finding = ledger.finding(call.number, race.clone()).telling();
            ledger.report(finding.graded(call.provenance));
        }
        if races.is_empty() && [phase::CHECKAPPLY, phase::WATCH].contains(&call.phase) {
            ledger.pass(call.number);
        }
    }
}

/// A report in words, with the places of both accesses. `None` if one of them is the host's.
fn race(report: &str) -> Option<String> {
    let report = report.split("==================").next()?;
    let mut accesses = report.lines().enumerate().filter(|(_, line)| {
        let line = line.trim_start().to_lowercase();
        ["read at", "write at", "previous read", "previous write"]
            .iter()
            .any(|start| line.starts_with(start))
    });
    let lines: Vec<&str> = report.lines().collect();
    let place = |(at, _): (usize, &str)| {
        // A line with the function, then one with its place.
        let frames = lines[at + 1..]
            .iter()
            .take_while(|line| !line.trim().is_empty());
        let mut places = frames.filter_map(|line| {
            let place = line.trim().split(" +0x").next()?;
            (line.starts_with("      ") && place.starts_with('/')).then_some(place)
        });
        places.find(|place| !place.contains("/src/runtime/") && !place.contains("/src/reflect/"))
    };
    let (one, other) = (place(accesses.next()?)?, place(accesses.next()?)?);
    if one.contains("/sticklerhost/") || other.contains("/sticklerhost/") {
        return None;
    }
    let file = |place: &str| place.rsplit('/').next().unwrap_or(place).to_owned();
    Some(format!(
        "a data race between {} and {}",
        file(one),
        file(other)
    ))
}

#[cfg(test)]
mod tests {
    use super::race;

    const REPORT: &str = "
Write at 0x00c000123456 by goroutine 7:
  example.org/note.(*NoteRes).Watch()
      /m/note/note.go:150 +0x44

Previous read at 0x00c000123456 by main goroutine:
  example.org/note.(*NoteRes).CheckApply()
      /m/note/note.go:140 +0x33
  reflect.Value.call()
      /go/src/reflect/value.go:581 +0xe4c

Goroutine 7 (running) created at:
  main.(*server).watch()
      /m/note/sticklerhost/watch.go:80 +0x1
==================
";

    #[test]
    fn both_places_are_told_and_races_of_the_host_are_not() {
        let wanted = "a data race between note.go:150 and note.go:140".to_owned();
        assert_eq!(Some(wanted), race(REPORT));
        let of_the_host = REPORT.replace("/m/note/note.go:140", "/m/note/sticklerhost/init.go:3");
        assert_eq!(None, race(&of_the_host));
    }
}
