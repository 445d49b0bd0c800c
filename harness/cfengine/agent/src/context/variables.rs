//! Variables, by namespace, scope and name.

use super::reference::Reference;
use crate::map::Map;
use crate::program::Promise;
use crate::value::{Kind, Text, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// A variable's value and metadata.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) kind: Kind,
    pub(crate) value: Value,
    pub(crate) tags: Rc<Vec<Text>>,
    pub(crate) comment: Option<Text>,
    /// The promise that set this value.
    pub(crate) promise: Option<Rc<Promise>>,
}

/// A variable in its bucket of cf-agent's table; higher ranks come first.
#[derive(Clone, Debug)]
struct Placed {
    variable: Variable,
    rank: i64,
}

/// The variables of one name: the variable itself, and the elements if it is an array.
#[derive(Clone, Debug, Default)]
struct Entry {
    whole: Option<Placed>,
    elements: Map<Vec<Text>, Placed>,
}

/// The variables of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    names: Map<Text, Entry>,
}

impl Scope {
    pub(crate) fn get(&self, name: &str, indices: &[Text]) -> Option<&Variable> {
        let entry = self.names.get(name)?;
        let placed = if indices.is_empty() {
            entry.whole.as_ref()
        } else {
            entry.elements.get(indices)
        };
        placed.map(|placed| &placed.variable)
    }

    /// Stores a variable in a scope whose order is never needed.
    pub(crate) fn put(&mut self, name: &Text, indices: &[Text], variable: Variable) {
        self.place(name, indices, variable, 0);
    }

    /// Replaces a variable, or adds a new one. True if it is new.
    fn place(&mut self, name: &Text, indices: &[Text], variable: Variable, rank: i64) -> bool {
        let entry = match self.names.get_mut(name) {
            Some(entry) => entry,
            None => self.names.entry(name.clone()).or_default(),
        };
        let before = if indices.is_empty() {
            entry.whole.as_mut()
        } else {
            entry.elements.get_mut(indices)
        };
        if let Some(before) = before {
            before.variable = variable;
            return false;
        }
        let placed = Placed { variable, rank };
        if indices.is_empty() {
            entry.whole = Some(placed);
        } else {
            entry.elements.insert(indices.to_vec(), placed);
        }
        true
    }

    /// Removes a variable. True if there was one.
    pub(crate) fn remove(&mut self, name: &str, indices: &[Text]) -> bool {
        let Some(entry) = self.names.get_mut(name) else {
            return false;
        };
        let found = if indices.is_empty() {
            entry.whole.take().is_some()
        } else {
            entry.elements.shift_remove(indices).is_some()
        };
        if entry.whole.is_none() && entry.elements.is_empty() {
            self.names.shift_remove(name);
        }
        found
    }

    fn placed_mut(&mut self) -> impl Iterator<Item = (&Text, &[Text], &mut Placed)> {
        self.names.iter_mut().flat_map(|(name, entry)| {
            let whole = entry.whole.iter_mut().map(move |v| (name, &[][..], v));
            let elements = entry.elements.iter_mut();
            whole.chain(elements.map(move |(indices, v)| (name, &indices[..], v)))
        })
    }

    fn iter(&self) -> impl Iterator<Item = (&Text, &[Text], &Placed)> {
        self.names.iter().flat_map(|(name, entry)| {
            let whole = entry.whole.iter().map(move |v| (name, &[][..], v));
            let elements = entry.elements.iter();
            whole.chain(elements.map(move |(indices, v)| (name, &indices[..], v)))
        })
    }
}

/// Variables of all bundles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables {
    scopes: HashMap<Text, HashMap<Text, Scope>>,
    table: Table,
}

/// The size of cf-agent's table of variables. It starts with 128 buckets. It doubles when it is
/// three quarters full, and halves when it is less than 35 % full.
#[derive(Clone, Debug)]
struct Table {
    load: usize,
    buckets: u32,
    /// The rank of the next variable.
    rank: i64,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            load: 0,
            buckets: bucket_count(0),
            rank: 1,
        }
    }
}

impl Table {
    fn is_full(&self) -> bool {
        is_full(self.load, self.buckets)
    }

    fn is_sparse(&self) -> bool {
        self.buckets > BUCKETS && self.load < self.buckets as usize * 35 / 100
    }
}

const DEFAULT: &str = "default";

impl Variables {
    fn scope(&self, namespace: Option<&str>, scope: &str) -> Option<&Scope> {
        self.scopes.get(namespace.unwrap_or(DEFAULT))?.get(scope)
    }

    pub(crate) fn get(&self, r: &Reference) -> Option<&Variable> {
        self.scope(r.namespace.as_deref(), r.scope.as_deref()?)?
            .get(&r.name, &r.indices)
    }

    /// The value of a variable, to change in place.
    pub(crate) fn value_mut(&mut self, r: &Reference) -> Option<&mut Value> {
        let scopes = self
            .scopes
            .get_mut(r.namespace.as_deref().unwrap_or(DEFAULT))?;
        let entry = scopes
            .get_mut(r.scope.as_deref()?)?
            .names
            .get_mut(&r.name)?;
        let placed = if r.indices.is_empty() {
            entry.whole.as_mut()
        } else {
            entry.elements.get_mut(&r.indices)
        };
        placed.map(|placed| &mut placed.variable.value)
    }

    pub(crate) fn put(&mut self, r: &Reference, variable: Variable) {
        let namespace = r.namespace.as_deref().unwrap_or(DEFAULT);
        let scopes = match self.scopes.get_mut(namespace) {
            Some(scopes) => scopes,
            None => self.scopes.entry(namespace.into()).or_default(),
        };
        let scope = r.scope.as_deref().unwrap_or_default();
        let scope = match scopes.get_mut(scope) {
            Some(found) => found,
            None => scopes.entry(scope.into()).or_default(),
        };
        if scope.place(&r.name, &r.indices, variable, self.table.rank) {
            self.table.rank += 1;
            self.table.load += 1;
            if self.table.is_full() {
                self.resize(self.table.buckets * 2);
            }
        }
    }

    /// cf-agent moves the variables from the first bucket to the last, and prepends each one to its
    /// new bucket.
    fn resize(&mut self, buckets: u32) {
        let old = self.table.buckets;
        self.table.buckets = buckets;
        let mut all = Vec::new();
        for (namespace, scopes) in &mut self.scopes {
            for (scope, variables) in scopes {
                for (name, indices, placed) in variables.placed_mut() {
                    let hash = hash(namespace, scope, name, indices);
                    all.push((hash & (old - 1), placed));
                }
            }
        }
        all.sort_by_key(|(bucket, placed)| (*bucket, -placed.rank));
        for (_, placed) in all {
            placed.rank = self.table.rank;
            self.table.rank += 1;
        }
    }

    fn removed(&mut self) {
        self.table.load -= 1;
        if self.table.is_sparse() {
            self.resize(self.table.buckets / 2);
        }
    }

    pub(crate) fn remove(&mut self, r: &Reference) {
        let namespace = r.namespace.as_deref().unwrap_or(DEFAULT);
        let scope = r.scope.as_deref().unwrap_or_default();
        let found = self
            .scopes
            .get_mut(namespace)
            .and_then(|scopes| scopes.get_mut(scope));
        if found.is_some_and(|scope| scope.remove(&r.name, &r.indices)) {
            self.removed();
        }
    }

    /// The values of a scope's variables, in the order of insertion.
    pub(crate) fn values<'a>(
        &'a self,
        namespace: &str,
        scope: &str,
    ) -> impl Iterator<Item = &'a Value> + use<'a> {
        let scope = self.scope(Some(namespace), scope);
        let variables = scope.into_iter().flat_map(Scope::iter);
        variables.map(|(_, _, placed)| &placed.variable.value)
    }

    /// Removes the elements of all arrays from a scope.
    pub(crate) fn clear_arrays(&mut self, namespace: &str, scope: &str) {
        let scopes = self.scopes.get_mut(namespace);
        let Some(scope) = scopes.and_then(|scopes| scopes.get_mut(scope)) else {
            return;
        };
        let mut count = 0;
        for entry in scope.names.values_mut() {
            count += entry.elements.len();
            entry.elements.clear();
        }
        scope.names.retain(|_, entry| entry.whole.is_some());
        for _ in 0..count {
            self.removed();
        }
    }

    /// The variables of a scope, or of all scopes, in the order of cf-agent's hash table.
    pub(crate) fn in_order(
        &self,
        namespace: Option<&str>,
        scope: Option<&str>,
    ) -> Vec<(Reference, &Variable)> {
        let buckets = self.table.buckets;
        let mut found = Vec::new();
        for (in_namespace, scopes) in &self.scopes {
            if namespace.is_some_and(|wanted| wanted != &**in_namespace) {
                continue;
            }
            for (in_scope, variables) in scopes {
                if scope.is_some_and(|wanted| wanted != &**in_scope) {
                    continue;
                }
                for (name, indices, placed) in variables.iter() {
                    let hash = hash(in_namespace, in_scope, name, indices);
                    let reference = Reference {
                        namespace: Some(in_namespace.clone()),
                        scope: Some(in_scope.clone()),
                        name: name.clone(),
                        indices: indices.to_vec(),
                    };
                    let place = (hash & (buckets - 1), -placed.rank);
                    found.push((place, reference, &placed.variable));
                }
            }
        }
        found.sort_by_key(|(place, ..)| *place);
        found.into_iter().map(|(_, r, v)| (r, v)).collect()
    }
}

/// The number of buckets that a table of cf-agent starts with.
const BUCKETS: u32 = 128;

/// The number of buckets; it doubles when the table is three quarters full.
pub(crate) fn bucket_count(load: usize) -> u32 {
    let mut buckets = BUCKETS;
    while is_full(load, buckets) {
        buckets *= 2;
    }
    buckets
}

fn is_full(load: usize, buckets: u32) -> bool {
    load > buckets as usize / 4 * 3
}

fn hash(namespace: &str, scope: &str, name: &str, indices: &[Text]) -> u32 {
    let mut state = Jenkins::default();
    // Special scopes have no namespace; this is the hash state that cf-agent has then.
    match scope {
        "sys" | "const" | "mon" => state.0 = 1_195_645_448,
        _ => state.add(namespace),
    }
    state.add(scope);
    state.add(name);
    for index in indices {
        state.byte(b']');
        state.add(index);
    }
    state.finish()
}

/// Bob Jenkins' one-at-a-time hash, as cf-agent's tables use it.
#[derive(Default)]
pub(crate) struct Jenkins(u32);

impl Jenkins {
    /// Continues from another hash.
    pub(crate) fn seeded(seed: u32) -> Self {
        Self(seed)
    }

    fn byte(&mut self, byte: u8) {
        // cf-agent's bytes are signed.
        self.0 = self.0.wrapping_add(byte as i8 as u32);
        self.0 = self.0.wrapping_add(self.0 << 10);
        self.0 ^= self.0 >> 6;
    }

    pub(crate) fn add(&mut self, text: &str) {
        for byte in cfengine_policy::text::encode(text).iter() {
            self.byte(*byte);
        }
    }

    pub(crate) fn finish(mut self) -> u32 {
        self.0 = self.0.wrapping_add(self.0 << 3);
        self.0 ^= self.0 >> 11;
        self.0.wrapping_add(self.0 << 15)
    }
}
