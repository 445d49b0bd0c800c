//! Evaluations under `action_policy`.

use crate::effects::{Weight, weigh};
use crate::partner::at;
use crate::phase;
use crate::session::{Exchange, Session};
use crate::words::shown;
use stickler_judge::{Defect, Finding, Group, Ledger, Level, Role, Variant};
use stickler_transcript::{Case, Change, ChangeKind, Purpose};

/// Answered evaluations that ask only for warnings, of processes that advertise `action_policy`.
pub(crate) fn evaluations(session: &Session) -> impl Iterator<Item = &Exchange> {
    asked(session).filter(|exchange| exchange.result().is_some())
}

/// Evaluations that ask only for warnings, answered or not, of processes that advertise
/// `action_policy`.
pub(crate) fn asked(session: &Session) -> impl Iterator<Item = &Exchange> {
    session.exchanges.iter().filter(|exchange| {
        exchange.phase == phase::EVALUATE
            && exchange.warns()
            && session.process(exchange).action_policy
    })
}

/// An evaluation under warn, and a normal one of the same promise that starts from the same state.
pub(crate) struct Pair<'s> {
    pub(crate) index: usize,
    pub(crate) warned: &'s Exchange,
    pub(crate) partner: usize,
    pub(crate) normal: &'s Exchange,
}

/// The pairs in a group `warn`: on the fresh state, and on the state after a normal run. Promises
/// whose outcome differs from run to run are left out.
pub(crate) fn pairs<'s>(group: &Group<'s, Session>) -> Vec<Pair<'s>> {
    let Some((partner, baseline)) = group.baseline() else {
        return Vec::new();
    };
    let unstable = crate::compare::unstable(group);
    let mut pairs = Vec::new();
    for (index, session) in group.role(Role::Warn) {
        for warned in evaluations(session) {
            let Some(label) = warned.key.label() else {
                continue;
            };
            let turn = match warned.key.turn_of(Purpose::DRY_EVALUATE) {
                Some(1) => 1,
                Some(2) if settled(baseline, label) && ran(session, warned) => 2,
                _ => continue,
            };
            let normal = Purpose::EVALUATE.nth(turn).of(label);
            let Some(normal) = baseline.exchange(&normal) else {
                continue;
            };
            if normal.result().is_some() && !unstable.contains(&normal.key) {
                pairs.push(Pair {
                    index,
                    warned,
                    partner,
                    normal,
                });
            }
        }
    }
    pairs
}

/// Does the promise stay kept after a normal run?
fn settled(baseline: &Session, label: &str) -> bool {
    let is = |turn: usize, results: &[&str]| {
        baseline
            .exchange(&Purpose::EVALUATE.nth(turn).of(label))
            .is_some_and(|exchange| results.iter().any(|result| exchange.is(result)))
    };
    is(1, &["kept", "repaired"]) && is(2, &["kept"])
}

/// Did a normal evaluation earlier in this session evaluate the promise?
fn ran(session: &Session, warned: &Exchange) -> bool {
    session.evaluations().any(|exchange| {
        exchange.number < warned.number
            && exchange.item == warned.item
            && exchange.policy().is_none()
            && (exchange.is("repaired") || exchange.is("kept"))
    })
}

impl Pair<'_> {
    /// A finding about this pair.
    pub(crate) fn finding(&self, ledger: &Ledger, defect: impl Into<Defect>) -> Finding {
        ledger
            .finding_at(at(self.index, self.warned), defect)
            .graded(self.warned.provenance)
            .also(at(self.partner, self.normal))
    }

    /// Notes a pass for this pair.
    pub(crate) fn pass(&self, ledger: &mut Ledger) {
        ledger.passes.push(at(self.index, self.warned));
    }
}

/// Something is created, changed or removed.
const CHANGES: Variant = Variant::new("changes");
/// A file is rewritten with the same content.
const REWRITES: Variant = Variant::new("rewrites");
/// Only a mode, an owner or an extended attribute changes.
const MODE: Variant = Variant::new("changes-mode");
/// Nothing in the promise names the path.
const ELSEWHERE: Variant = Variant::new("changes-elsewhere");

/// The most serious of some effects, its level, and a description of it.
pub(crate) fn worst<'c>(
    changes: impl Iterator<Item = &'c Change>,
    case: &Case,
    exchange: &Exchange,
) -> Option<(Level, Defect)> {
    let (level, change) = changes
        .map(|change| {
            let level = match weigh(change, case, exchange) {
                Weight::Promised => Level::Must,
                Weight::Elsewhere => Level::Should,
            };
            (level, change)
        })
        .reduce(|worst, next| if next.0 > worst.0 { next } else { worst })?;
    let variant = match change.kind {
        _ if level == Level::Should => ELSEWHERE,
        ChangeKind::Rewritten => REWRITES,
        ChangeKind::Mode | ChangeKind::Owner | ChangeKind::Xattr => MODE,
        ChangeKind::Created | ChangeKind::Changed | ChangeKind::Deleted | ChangeKind::Link => {
            CHANGES
        }
    };
    Some((level, variant.says(words(change, case))))
}

/// An effect in words that follow a subject, such as "creates `{dir}/a`".
pub(crate) fn words(change: &Change, case: &Case) -> String {
    let path = shown(&change.path, case, 80);
    match change.kind {
        ChangeKind::Created => format!("creates `{path}`"),
        ChangeKind::Changed => format!("changes `{path}`"),
        ChangeKind::Rewritten => format!("writes `{path}` again"),
        ChangeKind::Deleted => format!("deletes `{path}`"),
        ChangeKind::Mode => format!("changes the mode of `{path}`"),
        ChangeKind::Owner => format!("changes the owner of `{path}`"),
        ChangeKind::Xattr => format!("changes extended attributes of `{path}`"),
        ChangeKind::Link => format!("redirects the link `{path}`"),
    }
}
