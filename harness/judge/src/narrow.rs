//! To what a known failure can be limited.

use crate::{Outcome, Place, Scope, View};
use std::collections::BTreeSet;
use stickler_transcript::Item;

/// The narrowest limits that cover all findings of an outcome, as far as passes show that the rule is
/// kept outside of them: one example, or some kinds, and perhaps one field. Without limits, it is one
/// scope that covers everything.
pub fn narrowest<V: View>(outcome: &Outcome, views: &[V]) -> Vec<Scope> {
    let about = |place: &Place| about(place, views);
    let failed: Option<Vec<&Item>> = outcome.places.iter().map(about).collect();
    let passed: Vec<&Item> = outcome.passed.iter().filter_map(about).collect();
    let Some(failed) = failed else {
        return vec![Scope::default()];
    };
    let parted = |of: fn(&Item) -> Option<&str>| -> Option<Vec<String>> {
        let broken: Option<BTreeSet<&str>> = failed.iter().map(|item| of(item)).collect();
        let broken = broken?;
        let mut kept = passed.iter().filter_map(|item| of(item));
        let apart = kept.any(|one| !broken.contains(one));
        apart.then(|| broken.into_iter().map(str::to_owned).collect())
    };
    let one = |of| parted(of).filter(|all| all.len() == 1)?.pop();
    let field = one(|item| item.field.as_deref());
    if let Some(example) = one(|item| Some(&item.example)) {
        return vec![Scope {
            example: Some(example),
            kind: None,
            field,
        }];
    }
    let kinds = parted(|item| Some(&item.kind[..]).filter(|kind| !kind.is_empty()));
    let kinds = kinds.map_or_else(
        || vec![None],
        |kinds| kinds.into_iter().map(Some).collect::<Vec<_>>(),
    );
    let scope = |kind| Scope {
        example: None,
        kind,
        field: field.clone(),
    };
    kinds.into_iter().map(scope).collect()
}

/// The item of an example at a place: that of the exchange, or the only one of the session.
fn about<'v, V: View>(place: &Place, views: &'v [V]) -> Option<&'v Item> {
    let view = &views[place.session];
    let own = place.exchange.and_then(|exchange| view.item_of(exchange));
    let item = own.or(match &view.case().items[..] {
        [one] => Some(one),
        _ => None,
    })?;
    (!item.example.is_empty()).then_some(item)
}
