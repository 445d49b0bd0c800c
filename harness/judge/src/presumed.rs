//! Withdraws findings about examples that do not work as usual: there is nothing to compare with.

use crate::{Finding, Ledger, Rule, View};
use std::collections::{BTreeMap, BTreeSet};
use stickler_transcript::Relation;

/// Withdraws findings of rules that presume others (see [`Rule::presumes`]), where one of those is
/// broken in the usual evaluation of the same example.
pub(crate) fn withdraw<V: View>(rules: &[&Rule<V>], ledgers: &mut [Ledger], views: &[V]) {
    let wanted: BTreeSet<&str> = rules
        .iter()
        .flat_map(|rule| rule.presumes)
        .copied()
        .collect();
    let mut broken: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (rule, ledger) in rules.iter().zip(&*ledgers) {
        if wanted.contains(rule.code) {
            let usual = ledger.findings.iter().filter(|one| is_usual(one, views));
            let examples = usual.flat_map(|finding| examples(finding, views));
            broken.insert(rule.code, examples.collect());
        }
    }
    for (rule, ledger) in rules.iter().zip(ledgers) {
        for basis in rule.presumes {
            let Some(broken) = broken.get(basis).filter(|known| !known.is_empty()) else {
                continue;
            };
            let before = ledger.findings.len();
            let stands = |finding: &Finding| {
                let about = examples(finding, views);
                !about.iter().any(|example| broken.contains(example))
            };
            ledger.findings.retain(stands);
            if ledger.findings.len() < before {
                ledger.skip(format!("the examples themselves break {basis}"));
            }
        }
    }
}

fn is_usual<V: View>(finding: &Finding, views: &[V]) -> bool {
    let groups = &views[finding.place.session].case().groups;
    groups
        .iter()
        .any(|member| member.relation == Relation::Usual)
}

/// The examples that a finding is about: that of its exchange, or all of its session.
fn examples<'v, V: View>(finding: &Finding, views: &'v [V]) -> Vec<&'v str> {
    let view = &views[finding.place.session];
    let item = finding.place.exchange.and_then(|at| view.item_of(at));
    let items = item.map_or(view.case().items.as_slice(), std::slice::from_ref);
    items.iter().map(|item| item.example.as_str()).collect()
}
