//! Applies rules to sessions.

use crate::presumed::withdraw;
use crate::{AnySession, Finding, Group, Ledger, Level, Provenance, Rule};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use stickler_reading::words::contains;
use stickler_transcript::Relation;

/// Applies all rules to all sessions, several in parallel. Returns one ledger per rule, in the
/// order of the rules.
pub fn judge(rules: &[&Rule], views: &[AnySession]) -> Vec<Ledger> {
    judge_part(rules, views, |_| true)
}

/// Like [`judge`], but without the groups whose names are not wanted: some of their sessions may
/// still be missing.
pub fn judge_part(
    rules: &[&Rule],
    views: &[AnySession],
    wanted: impl Fn(&str) -> bool,
) -> Vec<Ledger> {
    let mut groups = groups(views);
    groups.retain(|group| wanted(group.name));
    let ledgers: Vec<OnceLock<Ledger>> = rules.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(rule) = rules.get(at)
        {
            ledgers[at].get_or_init(|| judged(rule, views, &groups));
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 1..threads.min(rules.len()) {
            scope.spawn(work);
        }
        work();
    });
    let ledgers = ledgers.into_iter();
    let mut ledgers: Vec<Ledger> = ledgers.filter_map(OnceLock::into_inner).collect();
    withdraw(rules, &mut ledgers, views);
    ledgers
}

/// Applies the rules that need no other session to one session. Returns one ledger per rule, in the
/// order of the rules.
pub fn judge_alone(rules: &[&Rule], view: &AnySession) -> Vec<Ledger> {
    let views = std::slice::from_ref(view);
    rules.iter().map(|rule| judged(rule, views, &[])).collect()
}

fn judged(rule: &Rule, views: &[AnySession], groups: &[Group<'_, AnySession>]) -> Ledger {
    let mut ledger = Ledger::new(rule.level);
    rule.checks.judge(views, groups, &mut ledger);
    lower(&mut ledger, views);
    ledger
}

/// What only unusual surroundings show is at most a `should`, and advice if no agent gives them to a subject. The same
/// goes for values that name the conversation itself.
fn lower(ledger: &mut Ledger, views: &[AnySession]) {
    for finding in &mut ledger.findings {
        let Some(view) = views.get(finding.place.session) else {
            continue;
        };
        if finding.level > Level::Should && reads_itself(view, finding) {
            finding.level = Level::Should;
        }
        if view.case().surroundings.is_empty() {
            continue;
        }
        // The greeting of such a process says so.
        let first = view.reading().exchange_at(0);
        let most = match first.is_some_and(|one| one.provenance == Provenance::Beyond) {
            true => Level::May,
            false => Level::Should,
        };
        finding.level = finding.level.min(most);
    }
}

/// Has the process met a value by then that names its own input, and that no author wrote?
fn reads_itself(view: &AnySession, finding: &Finding) -> bool {
    let own: [&[u8]; 3] = [b"/dev/stdin", b"/dev/fd/0", b"/proc/self/fd/0"];
    let mut before = view.reading().exchanges();
    let last = finding.place.exchange.unwrap_or(usize::MAX);
    before.any(|one| {
        let item = || view.case().items.get(one.item_at?);
        one.number <= last
            && own.iter().any(|path| contains(&one.sent, path))
            && item().is_none_or(|item| !item.original)
    })
}

fn groups(views: &[AnySession]) -> Vec<Group<'_, AnySession>> {
    let mut groups: BTreeMap<(Relation, &str), Group<'_, AnySession>> = BTreeMap::new();
    for (index, view) in views.iter().enumerate() {
        for membership in &view.case().groups {
            groups
                .entry((membership.relation, &membership.group))
                .or_insert_with(|| Group {
                    relation: membership.relation,
                    name: &membership.group,
                    members: Vec::new(),
                })
                .members
                .push((&membership.role, index, view));
        }
    }
    groups.into_values().collect()
}
