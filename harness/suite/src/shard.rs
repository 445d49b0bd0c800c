//! `--shard K/N`: one part of the suite. Rules compare the sessions of a group, so a group is
//! never divided.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The items that belong to shard `k` of `n`, counted from 1. Items that have a group in common,
/// directly or through other items, are in the same shard.
///
/// The name of a group decides, so that a session more or less moves no other.
pub(crate) fn shard<T>(
    items: Vec<T>,
    (k, n): (usize, usize),
    groups: impl Fn(&T) -> Vec<String>,
) -> Vec<T> {
    let names: Vec<Vec<String>> = items.iter().map(groups).collect();
    let mut smallest: HashMap<&str, &str> = HashMap::new();
    for name in names.iter().flatten() {
        smallest.insert(name, name);
    }
    // Each name takes the smallest one that is connected with it.
    let mut changed = true;
    while changed {
        changed = false;
        for names in &names {
            let Some(least) = names.iter().map(|name| smallest[name.as_str()]).min() else {
                continue;
            };
            for name in names {
                changed |= smallest.insert(name, least) != Some(least);
            }
        }
    }
    let owner = |names: &[String]| {
        let mut hasher = DefaultHasher::new();
        names
            .first()
            .map(|name| smallest[name.as_str()])
            .hash(&mut hasher);
        (hasher.finish() % n as u64) as usize + 1
    };
    items
        .into_iter()
        .zip(&names)
        .filter(|(_, names)| owner(names) == k)
        .map(|(item, _)| item)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_item_is_in_one_shard_with_its_comparisons(
            items in prop::collection::vec(prop::collection::vec(0_u8..12, 1..4), 0..40),
            n in 1_usize..6,
        ) {
            let items: Vec<(usize, Vec<u8>)> = items.into_iter().enumerate().collect();
            let groups = |item: &(usize, Vec<u8>)| item.1.iter().map(u8::to_string).collect();
            let mut owner_of_item = HashMap::new();
            let mut owner_of_group = HashMap::new();
            for k in 1..=n {
                for (index, names) in shard(items.clone(), (k, n), groups) {
                    prop_assert_eq!(owner_of_item.insert(index, k), None);
                    for name in names {
                        prop_assert_eq!(*owner_of_group.entry(name).or_insert(k), k);
                    }
                }
            }
            prop_assert_eq!(owner_of_item.len(), items.len());
        }
    }
}
