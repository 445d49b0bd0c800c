//! Variables, by namespace, scope and name.

use super::reference::Reference;
use crate::map::Map;
use crate::value::{Kind, Text, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// A variable's value and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) kind: Kind,
    pub(crate) value: Value,
    pub(crate) tags: Rc<Vec<Text>>,
    pub(crate) comment: Option<Text>,
}

/// The variables of one name: itself, and its elements if it is an array.
#[derive(Clone, Debug, Default)]
struct Entry {
    whole: Option<Variable>,
    elements: Map<Vec<Text>, Variable>,
}

/// The variables of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    names: Map<Text, Entry>,
}

impl Scope {
    pub(crate) fn get(&self, name: &str, indices: &[Text]) -> Option<&Variable> {
        let entry = self.names.get(name)?;
        if indices.is_empty() {
            entry.whole.as_ref()
        } else {
            entry.elements.get(indices)
        }
    }

    /// True if it is a new one.
    pub(crate) fn put(&mut self, name: &Text, indices: &[Text], variable: Variable) -> bool {
        let entry = match self.names.get_mut(name) {
            Some(entry) => entry,
            None => self.names.entry(name.clone()).or_default(),
        };
        if indices.is_empty() {
            entry.whole.replace(variable).is_none()
        } else {
            entry.elements.insert(indices.to_vec(), variable).is_none()
        }
    }

    /// True if there was one.
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

    fn iter(&self) -> impl Iterator<Item = (&Text, &[Text], &Variable)> {
        self.names.iter().flat_map(|(name, entry)| {
            let whole = entry.whole.iter().map(move |v| (name, &[][..], v));
            let elements = entry.elements.iter();
            whole.chain(elements.map(move |(indices, v)| (name, &indices[..], v)))
        })
    }
}

/// Variables of all bundles.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    scopes: HashMap<Text, HashMap<Text, Scope>>,
    count: usize,
    /// How many more the agent has.
    uncounted: usize,
}

const DEFAULT: &str = "default";

impl Variables {
    /// None yet, where the agent has some that are not told here.
    pub(crate) fn beside(uncounted: usize) -> Self {
        Self {
            uncounted,
            ..Self::default()
        }
    }

    fn scope(&self, namespace: Option<&str>, scope: &str) -> Option<&Scope> {
        self.scopes.get(namespace.unwrap_or(DEFAULT))?.get(scope)
    }

    pub(crate) fn get(&self, r: &Reference) -> Option<&Variable> {
        self.scope(r.namespace.as_deref(), r.scope.as_deref()?)?
            .get(&r.name, &r.indices)
    }

    /// The value of a variable, to be changed in place.
    pub(crate) fn value_mut(&mut self, r: &Reference) -> Option<&mut Value> {
        let scopes = self
            .scopes
            .get_mut(r.namespace.as_deref().unwrap_or(DEFAULT))?;
        let entry = scopes
            .get_mut(r.scope.as_deref()?)?
            .names
            .get_mut(&r.name)?;
        let variable = if r.indices.is_empty() {
            entry.whole.as_mut()
        } else {
            entry.elements.get_mut(&r.indices)
        };
        variable.map(|variable| &mut variable.value)
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
        self.count += usize::from(scope.put(&r.name, &r.indices, variable));
    }

    pub(crate) fn remove(&mut self, r: &Reference) {
        let namespace = r.namespace.as_deref().unwrap_or(DEFAULT);
        let scope = r.scope.as_deref().unwrap_or_default();
        let found = self
            .scopes
            .get_mut(namespace)
            .and_then(|scopes| scopes.get_mut(scope));
        if let Some(scope) = found {
            self.count -= usize::from(scope.remove(&r.name, &r.indices));
        }
    }

    /// The values of a scope's variables, as they were put there.
    pub(crate) fn values<'a>(
        &'a self,
        namespace: &str,
        scope: &str,
    ) -> impl Iterator<Item = &'a Value> + use<'a> {
        let scope = self.scope(Some(namespace), scope);
        let variables = scope.into_iter().flat_map(Scope::iter);
        variables.map(|(_, _, variable)| &variable.value)
    }

    /// Takes the elements of all arrays out of a scope.
    pub(crate) fn clear_arrays(&mut self, namespace: &str, scope: &str) {
        let scopes = self.scopes.get_mut(namespace);
        let Some(scope) = scopes.and_then(|scopes| scopes.get_mut(scope)) else {
            return;
        };
        for entry in scope.names.values_mut() {
            self.count -= entry.elements.len();
            entry.elements.clear();
        }
        scope.names.retain(|_, entry| entry.whole.is_some());
    }

    /// The variables of a scope, or of all, in the order in which the agent
    /// comes by them: that of its hash table.
    pub(crate) fn in_order(
        &self,
        namespace: Option<&str>,
        scope: Option<&str>,
    ) -> Vec<(Reference, &Variable)> {
        let buckets = bucket_count(self.count + self.uncounted);
        let mut found = Vec::new();
        for (in_namespace, scopes) in &self.scopes {
            if namespace.is_some_and(|wanted| wanted != &**in_namespace) {
                continue;
            }
            for (in_scope, variables) in scopes {
                if scope.is_some_and(|wanted| wanted != &**in_scope) {
                    continue;
                }
                for (name, indices, variable) in variables.iter() {
                    let reference = Reference {
                        namespace: Some(in_namespace.clone()),
                        scope: Some(in_scope.clone()),
                        name: name.clone(),
                        indices: indices.to_vec(),
                    };
                    found.push((hash(&reference) & (buckets - 1), reference, variable));
                }
            }
        }
        found.sort_by(|a, b| (a.0, &a.1.scope, &a.1.name).cmp(&(b.0, &b.1.scope, &b.1.name)));
        found.into_iter().map(|(_, r, v)| (r, v)).collect()
    }
}

/// A table of the agent's starts with 128 buckets and doubles when it is three
/// quarters full.
pub(crate) fn bucket_count(load: usize) -> u32 {
    let mut buckets = 128_u32;
    while load > buckets as usize / 4 * 3 {
        buckets *= 2;
    }
    buckets
}

fn hash(r: &Reference) -> u32 {
    let mut state = Jenkins::default();
    // Special scopes have no namespace, for which a constant stands.
    match r.scope.as_deref() {
        Some("sys" | "const" | "mon") => state.0 = 1_195_645_448,
        _ => state.add(r.namespace.as_deref().unwrap_or(DEFAULT)),
    }
    state.add(r.scope.as_deref().unwrap_or_default());
    state.add(&r.name);
    for index in &r.indices {
        state.byte(b']');
        state.add(index);
    }
    state.finish()
}

/// One-at-a-time hashing, after Bob Jenkins, as the agent's tables use it.
#[derive(Default)]
pub(crate) struct Jenkins(u32);

impl Jenkins {
    fn byte(&mut self, byte: u8) {
        // Bytes count as signed there.
        self.0 = self.0.wrapping_add(byte as i8 as u32);
        self.0 = self.0.wrapping_add(self.0 << 10);
        self.0 ^= self.0 >> 6;
    }

    pub(crate) fn add(&mut self, text: &str) {
        for byte in stickler_policy::text::encode(text).iter() {
            self.byte(*byte);
        }
    }

    pub(crate) fn finish(mut self) -> u32 {
        self.0 = self.0.wrapping_add(self.0 << 3);
        self.0 ^= self.0 >> 11;
        self.0.wrapping_add(self.0 << 15)
    }
}
