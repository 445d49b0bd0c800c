//! Hashes without repeated keys.

use puppet_types::Value;
use std::collections::HashMap;

/// A hash of pairs of which later ones win, at the place of the first.
pub(crate) fn hash_of(pairs: impl IntoIterator<Item = (Value, Value)>) -> Value {
    let mut all: Vec<(Value, Value)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (key, value) in pairs {
        // Two keys are the same if they are encoded in the same way.
        let at = *known.entry(key.encode()).or_insert(all.len());
        match all.get_mut(at) {
            Some(pair) => pair.1 = value,
            None => all.push((key, value)),
        }
    }
    Value::Hash(all)
}

/// Looks up keys of a hash, however many there are.
pub(crate) struct Lookup<'v>(HashMap<String, &'v Value>);

impl<'v> Lookup<'v> {
    pub(crate) fn new(pairs: &'v [(Value, Value)]) -> Self {
        let pairs = pairs.iter();
        Self(pairs.map(|(key, value)| (key.encode(), value)).collect())
    }

    /// The value of a key; `undef` if there is none.
    pub(crate) fn get(&self, key: &Value) -> &'v Value {
        self.0.get(&key.encode()).copied().unwrap_or(&Value::Undef)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_takes_the_first_position() {
        let pairs = [("a", 1), ("b", 2), ("a", 3)];
        let own = hash_of(pairs.map(|(key, value)| (Value::from(key), Value::from(value))));
        let expected = vec![("a".into(), Value::from(3)), ("b".into(), Value::from(2))];
        assert_eq!(own.as_hash(), Some(expected.as_slice()));
    }
}
