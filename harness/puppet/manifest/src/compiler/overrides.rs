//! Overrides: `Package_key['a'] { … }`.

use super::Compiler;
use super::settings::{Setting, flattened};
use crate::error::Result;
use crate::reference::Reference;
use crate::tags::Tags;
use puppet_types::Value;
use std::collections::HashSet;

/// An override of a resource that is not declared yet.
pub(super) struct Override {
    reference: Reference,
    settings: Vec<Setting>,
    offset: usize,
}

impl Compiler<'_, '_> {
    /// Overrides a resource, now or once it is declared.
    pub(crate) fn override_with(
        &mut self,
        reference: Reference,
        settings: &[Setting],
        offset: usize,
    ) -> Result<()> {
        let mut names = HashSet::new();
        let mut tags = Tags::default();
        for setting in settings {
            if !names.insert(setting.name.as_str()) {
                let message = format!("Duplicate parameter '{}' for on {reference}", setting.name);
                return Err(self.refuse(offset, message));
            }
            self.add_tags(&mut tags, setting, offset)?;
        }
        match self.known.get(&reference) {
            Some(&index) => self.merge(index, settings),
            None => {
                self.waiting.push(Override {
                    reference,
                    settings: settings.to_vec(),
                    offset,
                });
                Ok(())
            }
        }
    }

    fn merge(&mut self, index: usize, settings: &[Setting]) -> Result<()> {
        for setting in settings {
            self.override_one(index, setting)?;
        }
        Ok(())
    }

    fn override_one(&mut self, index: usize, setting: &Setting) -> Result<()> {
        let draft = &self.drafts[index];
        let mut setting = setting.clone();
        if let Some(current) = draft.settings.get(&setting.name) {
            let default = self.defaults.get(&draft.reference.kind);
            let default = default.and_then(|all| all.get(&setting.name));
            let is_default = |value: &Value| default.is_some_and(|own| *own.value() == *value);
            if is_default(&setting.value()) {
                return Ok(());
            }
            if !is_default(&current.value()) {
                let message = format!(
                    "Parameter '{}' is already set on {} at {}; cannot redefine",
                    setting.name,
                    draft.reference,
                    self.shown(current.offset)
                );
                return Err(self.refuse(setting.offset, message));
            }
            if setting.adds {
                setting = added(current, &setting);
            }
        }
        let mut tags = std::mem::take(&mut self.drafts[index].tags);
        self.add_tags(&mut tags, &setting, setting.offset)?;
        self.drafts[index].tags = tags;
        self.drafts[index].settings.set(setting);
        Ok(())
    }

    /// Applies overrides that stand before their resources, in the order of the resources.
    pub(super) fn add_waiting_overrides(&mut self) -> Result<()> {
        let mut ready = Vec::new();
        let mut missing: Vec<Override> = Vec::new();
        for one in std::mem::take(&mut self.waiting) {
            let index = self.known.get(&one.reference).copied();
            // An alias does not count here.
            match index.filter(|&index| self.drafts[index].reference == one.reference) {
                Some(index) => ready.push((index, one)),
                None => missing.push(one),
            }
        }
        ready.sort_by_key(|(index, _)| *index);
        for (index, one) in ready {
            self.merge(index, &one.settings)?;
        }
        let Some(first) = missing.first() else {
            return Ok(());
        };
        let names: Vec<String> = missing
            .iter()
            .map(|one| one.reference.to_string())
            .collect();
        let message = format!(
            "Could not find resource(s) {} for overriding",
            names.join(", ")
        );
        Err(self.refuse(first.offset, message))
    }
}

/// What `+>` makes of a value and another.
fn added(current: &Setting, more: &Setting) -> Setting {
    let mut all = Vec::new();
    for value in [&*current.value(), &*more.value()] {
        match value {
            // Unlike elsewhere, `undef` is kept.
            Value::Undef => all.push(Value::Undef),
            value => {
                let mut flat = Vec::new();
                flattened(value, &mut flat);
                all.extend(flat.into_iter().cloned());
            }
        }
    }
    Setting::new(&more.name, Value::Array(all), true, more.offset)
}
