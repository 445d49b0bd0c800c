//! Maps and sets with keys from policies and modules.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::collections::HashSet;

// The hash is seeded like the standard one, but faster.

/// A map in order of insertion.
pub(crate) type Map<K, V> = IndexMap<K, V, RandomState>;

/// A set without an order.
pub(crate) type Set<T> = HashSet<T, RandomState>;
