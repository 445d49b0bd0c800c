//! Withdraws findings about examples that do not work as usual: there is nothing to compare with.

use crate::unsuccessful::unsuccessful;
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
            let usual = findings.filter(|one| views[one.place.session].is_usual());
            let examples = usual.flat_map(|finding| examples(finding, views));
            broken.insert(rule.code, examples.collect());
        }
    }
    let failing = unsuccessful(views);
    for (rule, ledger) in rules.iter().zip(ledgers) {
        if !rule.presumes.is_empty() {
            let fails = |example: &str| failing.contains_key(example);
            let why = "the examples themselves never succeed";
            withdraw_about(ledger, views, fails, why);
        }
        for basis in rule.presumes {
            if let Some(broken) = broken.get(basis) {
                let breaks = |example: &str| broken.contains(example);
                let why = format!("the examples themselves break {basis}");
                withdraw_about(ledger, views, breaks, &why);
            }
        }
    }
}

/// Withdraws the findings about such examples. If there are any, the reason is that of a skip.
fn withdraw_about<V: View>(
    ledger: &mut Ledger,
    views: &[V],
    is_such: impl Fn(&str) -> bool,
    why: &str,
) {
    let before = ledger.findings.len();
    ledger.findings.retain(|finding| {
        let about = examples(finding, views);
        !about.iter().any(|example| is_such(example))
    });
    if ledger.findings.len() < before {
        ledger.skip(why);
    }
}

/// The examples that a finding is about: that of its exchange, or all of its session.
fn examples<'v, V: View>(finding: &Finding, views: &'v [V]) -> Vec<&'v str> {
    let view = &views[finding.place.session];
    let item = finding.place.exchange.and_then(|at| view.item_of(at));
    let items = item.map_or(view.case().items.as_slice(), std::slice::from_ref);
    items.iter().map(|item| item.example.as_str()).collect()
}
