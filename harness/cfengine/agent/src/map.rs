//! Maps and sets of what policies and modules name.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::collections::HashSet;

// The hash is seeded, as the standard one, and cheaper.

/// A map in order of insertion.
pub(crate) type Map<K, V> = IndexMap<K, V, RandomState>;

/// A set without an order.
pub(crate) type Set<T> = HashSet<T, RandomState>;
