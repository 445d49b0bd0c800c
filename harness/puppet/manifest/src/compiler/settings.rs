//! Attributes of resources that are not complete yet.

use crate::bounds::size;
use puppet_types::Value;
use std::cell::{Ref, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// An attribute and its value.
///
/// Resources of one declaration share their values, as in Puppet: an arrow that adds to the list of
/// one resource adds to the lists of all.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) name: String,
    value: Rc<RefCell<Value>>,
    /// Does it add to the value that an override finds?
    pub(super) adds: bool,
    pub(crate) offset: usize,
}

impl Setting {
    pub(crate) fn new(name: &str, value: Value, adds: bool, offset: usize) -> Self {
        Self {
            name: name.to_owned(),
            value: Rc::new(RefCell::new(value)),
            adds,
            offset,
        }
    }

    /// How many bytes it takes, roughly.
    pub(crate) fn size(&self) -> usize {
        self.name.len() + size(&self.value())
    }

    pub(super) fn value(&self) -> Ref<'_, Value> {
        self.value.borrow()
    }

    /// Adds to the list that the value is, or gives the item back.
    fn push(&self, item: Value) -> Result<(), Value> {
        match &mut *self.value.borrow_mut() {
            Value::Array(items) => {
                items.push(item);
                Ok(())
            }
            _ => Err(item),
        }
    }
}

/// The attributes of a resource, in order.
#[derive(Default)]
pub(super) struct Settings {
    all: Vec<Setting>,
    known: HashMap<String, usize>,
}

impl Settings {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.all.iter()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Setting> {
        self.known.get(name).and_then(|&at| self.all.get(at))
    }

    pub(super) fn value(&self, name: &str) -> Option<Value> {
        self.get(name).map(|setting| setting.value().clone())
    }

    /// Sets an attribute, at its old place if it has one.
    pub(super) fn set(&mut self, setting: Setting) {
        match self.known.get(&setting.name) {
            Some(&at) => self.all[at] = setting,
            None => {
                self.known.insert(setting.name.clone(), self.all.len());
                self.all.push(setting);
            }
        }
    }

    /// Adds to the list of an attribute, which is made a list if it is none.
    pub(super) fn push(&mut self, name: &str, item: Value, offset: usize) {
        let Some(setting) = self.get(name) else {
            let list = Value::Array(vec![item]);
            self.set(Setting::new(name, list, false, offset));
            return;
        };
        if let Err(item) = setting.push(item) {
            let first = setting.value().clone();
            let list = if first.is_nil() {
                vec![item]
            } else {
                vec![first, item]
            };
            self.set(Setting::new(name, Value::Array(list), false, offset));
        }
    }
}

/// All values in nested lists but `undef`.
pub(super) fn flattened<'v>(value: &'v Value, out: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flattened(item, out)),
        Value::Undef => {}
        other => out.push(other),
    }
}
