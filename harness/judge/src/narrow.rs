//! To what a known failure can be limited.

use crate::{AnySession, Places, RunPlace, Scope};
use std::collections::BTreeSet;

/// The narrowest limits that cover all findings of a rule, as far as passes show that the rule is
/// kept outside of them: one example, or some kinds, and perhaps one field. Without limits, it is one
/// scope that covers everything.
pub fn narrowest(places: &Places, views: &[AnySession]) -> Vec<Scope> {
    let about = |place: &RunPlace| about(place, views);
    let failed: Option<Vec<About<'_>>> = places.broken.iter().map(about).collect();
    let passed: Vec<About<'_>> = places.kept.iter().filter_map(about).collect();
    let Some(failed) = failed else {
        return vec![Scope::default()];
    };
    let parted = |of: fn(&About<'_>) -> Option<String>| -> Option<Vec<String>> {
        let broken: Option<BTreeSet<String>> = failed.iter().map(of).collect();
        let broken = broken?;
        let mut kept = passed.iter().filter_map(of);
        let apart = kept.any(|one| !broken.contains(&one));
        apart.then(|| broken.into_iter().collect())
    };
    let one = |of| parted(of).filter(|all| all.len() == 1)?.pop();
    let field = one(|about| about.field.map(str::to_owned));
    if let Some(example) = one(|about| about.example.map(str::to_owned)) {
        return vec![Scope {
            example: Some(example),
            kind: None,
            field,
        }];
    }
    let kinds = parted(|about| about.kind.map(str::to_owned));
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

/// What a place is about.
struct About<'v> {
    example: Option<&'v str>,
    kind: Option<&'v str>,
    field: Option<&'v str>,
}

/// What a place is about: the item of the exchange, or the only one of the session; or the one kind
/// that a session without items is about.
fn about<'v>(place: &RunPlace, views: &'v [AnySession]) -> Option<About<'v>> {
    let view = &views[place.session];
    let case = view.case();
    let own = place.exchange.and_then(|exchange| view.item_of(exchange));
    let item = own.or(match &case.items[..] {
        [one] => Some(one),
        _ => None,
    });
    let about = match item {
        Some(item) => About {
            example: Some(&item.example[..]).filter(|name| !name.is_empty()),
            kind: Some(&item.kind[..]).filter(|kind| !kind.is_empty()),
            field: item.field.as_deref(),
        },
        None => About {
            example: None,
            kind: case.kind.as_deref().filter(|_| case.items.is_empty()),
            field: None,
        },
    };
    (about.example.is_some() || about.kind.is_some()).then_some(about)
}
