//! What findings are about.

use crate::{AnySession, Finding};
use stickler_transcript::Item;

/// The examples that a finding is about: that of its exchange, or all of its session.
pub(crate) fn examples_of<'v>(finding: &Finding, views: &'v [AnySession]) -> Vec<&'v str> {
    let items = items_of(finding, views).iter();
    items.map(|item| item.example.as_str()).collect()
}

/// The kinds of the items that a finding is about, if they are known.
pub(crate) fn kinds_of<'v>(finding: &Finding, views: &'v [AnySession]) -> Vec<&'v str> {
    let kinds = items_of(finding, views).iter();
    let kinds = kinds.map(|item| item.kind.as_str());
    kinds.filter(|kind| !kind.is_empty()).collect()
}

fn items_of<'v>(finding: &Finding, views: &'v [AnySession]) -> &'v [Item] {
    let view = &views[finding.place.session];
    let item = finding.place.exchange.and_then(|at| view.item_of(at));
    item.map_or(view.case().items.as_slice(), std::slice::from_ref)
}
