//! What the names of a type stand for.

use super::definition;
use crate::aliases::Aliases;
use crate::names::lower_name;
use crate::types::{Alias, Named, Type, Unfollowed, Unknown};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A type of more parts than this is not followed.
const MOST_PARTS: usize = 10_000;

/// Aliases while a type is read.
pub(crate) struct Scope<'a> {
    aliases: &'a Aliases,
    /// Those that are being followed.
    within: RefCell<Vec<String>>,
    known: RefCell<BTreeMap<String, Type>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(aliases: &'a Aliases) -> Self {
        Self {
            aliases,
            within: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// What a name stands for. `None` if it stands for nothing.
    pub(crate) fn resolve(&self, name: &str) -> Option<Type> {
        let lower = lower_name(name);
        if let Some(known) = self.known.borrow().get(&lower) {
            return Some(known.clone());
        }
        let Some(text) = self.aliases.text(&lower) else {
            let is_elsewhere = self.aliases.is_elsewhere(&lower);
            return is_elsewhere.then(|| unknown(name, Unfollowed::Elsewhere));
        };
        if self.within.borrow().contains(&lower) {
            return Some(unknown(name, Unfollowed::Recursive));
        }
        self.within.borrow_mut().push(lower.clone());
        let found = self.follow(&lower, text);
        self.within.borrow_mut().pop();
        let found = found.unwrap_or_else(|why| unknown(name, why));
        self.known.borrow_mut().insert(lower, found.clone());
        Some(found)
    }

    fn follow(&self, lower: &str, text: &str) -> Result<Type, Unfollowed> {
        let defined = definition(text, self);
        let (name, target) = defined.map_err(|error| Unfollowed::Broken(error.message))?;
        if lower_name(&name) != lower {
            return Err(Unfollowed::Broken(format!("it defines {name}")));
        }
        let target = target.normalize();
        match target.is_larger(MOST_PARTS) {
            true => Err(Unfollowed::TooLarge),
            false => Ok(Type::Alias(Alias::Module(Arc::new(Named { name, target })))),
        }
    }
}

fn unknown(name: &str, why: Unfollowed) -> Type {
    let name = name.to_owned();
    Type::Unknown(Unknown { name, why })
}
