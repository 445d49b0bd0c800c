//! Classes, by namespace and name.

use super::variables::{Jenkins, bucket_count};
use crate::map::Map;
use crate::value::Text;
use std::rc::Rc;

/// The scope of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Bundle,
    Namespace,
}

/// A class that is set.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) hard: bool,
    pub(crate) reach: Reach,
    pub(crate) tags: Rc<Vec<Text>>,
    pub(crate) comment: Option<Text>,
}

/// Classes that are set, either in all namespaces or in one bundle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    /// By `namespace:name`.
    set: Map<Box<str>, Class>,
}

/// Up to this many entries, cf-agent's tables keep the order of insertion.
const TINY: usize = 14;

fn key(namespace: &str, name: &str) -> String {
    let mut key = String::with_capacity(namespace.len() + name.len() + 1);
    key.push_str(namespace);
    key.push(':');
    key.push_str(name);
    key
}

impl Classes {
    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<&Class> {
        if self.set.is_empty() {
            return None;
        }
        self.set.get(&*key(namespace, name))
    }

    pub(crate) fn put(&mut self, namespace: &str, name: &str, class: Class) {
        self.set.insert(key(namespace, name).into(), class);
    }

    pub(crate) fn remove(&mut self, namespace: &str, name: &str) {
        self.set.shift_remove(&*key(namespace, name));
    }

    /// Namespace, name and class, in cf-agent's order of iteration.
    pub(crate) fn in_order(&self) -> Vec<(&str, &str, &Class)> {
        let set = in_table_order(self.set.iter().collect(), |(key, _)| key);
        set.into_iter()
            .filter_map(|(key, class)| {
                let (namespace, name) = key.split_once(':')?;
                Some((namespace, name, class))
            })
            .collect()
    }
}

/// Sorts texts by the order in which cf-agent iterates over a set.
pub(crate) fn set_order(texts: Vec<String>) -> Vec<String> {
    in_table_order(texts, |text| text)
}

/// Iteration visits bucket after bucket, each from its newest entry. When the table grows, each
/// bucket is reversed.
fn in_table_order<T>(entries: Vec<T>, key: impl Fn(&T) -> &str) -> Vec<T> {
    if entries.len() <= TINY {
        return entries;
    }
    let mut buckets: Vec<Vec<(u32, T)>> = Vec::new();
    buckets.resize_with(bucket_count(0) as usize, Vec::new);
    for (load, entry) in entries.into_iter().enumerate() {
        let mut state = Jenkins::default();
        state.add(key(&entry));
        let hash = state.finish();
        let size = buckets.len();
        buckets[hash as usize & (size - 1)].push((hash, entry));
        let grown = bucket_count(load + 1) as usize;
        if grown > size {
            let old = std::mem::take(&mut buckets);
            buckets.resize_with(grown, Vec::new);
            for (hash, entry) in old.into_iter().flat_map(|bucket| bucket.into_iter().rev()) {
                buckets[hash as usize & (grown - 1)].push((hash, entry));
            }
        }
    }
    let entries = buckets
        .into_iter()
        .flat_map(|bucket| bucket.into_iter().rev());
    entries.map(|(_, entry)| entry).collect()
}

/// A class as messages and lists show it, without the default namespace.
pub(crate) fn show(namespace: &str, name: &str) -> String {
    match namespace {
        "default" => name.into(),
        other => key(other, name),
    }
}
