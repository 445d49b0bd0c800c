//! Withdraws findings about examples that do not work as usual: there is nothing to compare with.

use crate::unsuccessful::{is_usual, unsuccessful};
use crate::{Finding, Ledger, Rule, View};
use std::collections::{BTreeMap, BTreeSet};

/// Withdraws findings of rules that presume others (see [`Rule::presumes`]), where one of those is
/// broken in the usual evaluation of the same example, or where that evaluation always fails.
pub(crate) fn withdraw<V: View>(rules: &[&Rule<V>], ledgers: &mut [Ledger], views: &[V]) {
    let wanted: BTreeSet<&str> = rules
        .iter()
        .flat_map(|rule| rule.presumes)
        .copied()
        .collect();
    let mut broken: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (rule, ledger) in rules.iter().zip(&*ledgers) {
        if wanted.contains(rule.code) {
            let findings = ledger.findings.iter();
            let usual = findings.filter(|one| is_usual(&views[one.place.session]));
            let examples = usual.flat_map(|finding| examples(finding, views));
            broken.insert(rule.code, examples.collect());
        }
    }
    let failing = unsuccessful(views);
    for (rule, ledger) in rules.iter().zip(ledgers) {
        if !rule.presumes.is_empty() {
            let before = ledger.findings.len();
            let stands = |finding: &Finding| {
                let about = examples(finding, views);
                !about.iter().any(|example| failing.contains_key(example))
            };
            ledger.findings.retain(stands);
            if ledger.findings.len() < before {
                ledger.skip("the examples themselves never succeed");
            }
        }
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

/// The examples that a finding is about: that of its exchange, or all of its session.
fn examples<'v, V: View>(finding: &Finding, views: &'v [V]) -> Vec<&'v str> {
    let view = &views[finding.place.session];
    let item = finding.place.exchange.and_then(|at| view.item_of(at));
    let items = item.map_or(view.case().items.as_slice(), std::slice::from_ref);
    items.iter().map(|item| item.example.as_str()).collect()
}
