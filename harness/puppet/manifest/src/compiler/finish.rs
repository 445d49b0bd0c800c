//! The last steps: relations, and the catalog itself.

use super::Compiler;
use super::settings::flattened;
use crate::bounds::{BUDGET, too_large};
use crate::catalog::{Catalog, Container, METAPARAMETERS, RELATIONS, Resource};
use crate::error::{Kind, Result, unsupported};
use crate::metaparameters;
use crate::reference::Reference;
use crate::tags;
use puppet_types::Value;
use std::collections::HashMap;

/// The containers that each catalog has.
const CONTAINERS: [(&str, &str); 3] = [("stage", "main"), ("class", "Settings"), ("class", "Main")];

impl Compiler<'_, '_> {
    /// Resources by the text of an attribute. Which attribute names a resource is not known here:
    /// any may.
    fn by_attribute(&self) -> HashMap<Reference, usize> {
        let mut all = HashMap::new();
        for (index, draft) in self.drafts.iter().enumerate() {
            let attributes = draft.settings.iter();
            for setting in attributes.filter(|own| !METAPARAMETERS.contains(&own.name.as_str())) {
                if let Value::String(text) = &*setting.value() {
                    let reference = Reference::new(&draft.reference.kind, text);
                    all.entry(reference).or_insert(index);
                }
            }
        }
        all
    }

    /// Adds what arrows relate to the resources at which they begin.
    pub(super) fn add_relations(&mut self) -> Result<()> {
        let mut by_attribute = None;
        for relation in std::mem::take(&mut self.relations) {
            let (source, target) = (&relation.source, &relation.target);
            let mut find = |reference: &Reference| {
                if reference.title.is_empty() {
                    let message = metaparameters::no_reference(&reference.to_string());
                    return Err(self.refuse(relation.offset, message));
                }
                if let Some(&index) = self.known.get(reference) {
                    return Ok(Some(index));
                }
                let named = by_attribute.get_or_insert_with(|| self.by_attribute());
                Ok(named.get(reference).copied())
            };
            let found = find(source)?;
            if found.is_none() && is_container(source) {
                let message = unsupported("relation from a class or a stage");
                let error = self
                    .source
                    .error(Kind::Unsupported, relation.offset, message);
                return Err(error);
            }
            let Some(index) = found else {
                let message =
                    format!("Could not find resource '{source}' for relationship on '{target}'");
                return Err(self.refuse(relation.offset, message));
            };
            if find(target)?.is_none() && !is_container(target) {
                let message =
                    format!("Could not find resource '{target}' for relationship from '{source}'");
                return Err(self.refuse(relation.offset, message));
            }
            let name = if relation.notifies {
                "notify"
            } else {
                "before"
            };
            let value = target.to_value();
            self.drafts[index]
                .settings
                .push(name, value, relation.offset);
        }
        Ok(())
    }

    /// Is the catalog small enough? What arrows add to shared lists is only known now.
    pub(super) fn check_size(&self) -> Result<()> {
        let mut left = BUDGET;
        for draft in &self.drafts {
            for setting in draft.settings.iter() {
                left = left.saturating_sub(setting.size());
            }
            if left == 0 {
                return Err(self
                    .source
                    .error(Kind::Unsupported, draft.offset, too_large()));
            }
        }
        Ok(())
    }

    /// Do all metaparameters name resources?
    pub(super) fn check_relations(&self) -> Result<()> {
        let mut by_attribute = None;
        for draft in &self.drafts {
            let related = draft
                .settings
                .iter()
                .filter(|own| RELATIONS.contains(&own.name.as_str()));
            for setting in related {
                let value = setting.value();
                let mut all = Vec::new();
                flattened(metaparameters::revealed(&value), &mut all);
                for one in all {
                    // What is hidden stays a type, which names nothing.
                    if let (Value::Sensitive(_), Value::Object { text, .. }) = (&*value, one) {
                        let message = format!(
                            "Could not find resource '{text}' in parameter '{}'",
                            setting.name
                        );
                        return Err(self.refuse(setting.offset, message));
                    }
                    let reference = metaparameters::reference(one)
                        .map_err(|message| self.refuse(setting.offset, message))?;
                    if self.known.contains_key(&reference) || is_container(&reference) {
                        continue;
                    }
                    // To look further, Puppet makes a resource, which has its type as a tag.
                    if !tags::is_valid(&reference.kind) {
                        let message = format!("Invalid tag '{}'", reference.kind);
                        return Err(self.refuse(setting.offset, message));
                    }
                    let named = by_attribute.get_or_insert_with(|| self.by_attribute());
                    if !named.contains_key(&reference) {
                        let message = format!(
                            "Could not find resource '{reference}' in parameter '{}'",
                            setting.name
                        );
                        return Err(self.refuse(setting.offset, message));
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn into_catalog(self) -> Result<Catalog> {
        let mut catalog = Catalog::default();
        let stage = Reference::new("stage", "main");
        for (kind, title) in CONTAINERS {
            let inner = kind == "class";
            let mut tags = vec![kind.to_owned()];
            if title == "Settings" {
                tags.push("settings".to_owned());
            }
            catalog.containers.push(Container {
                kind: kind.to_owned(),
                title: title.to_owned(),
                parameters: Vec::new(),
                tags,
                place: None,
                path: if inner {
                    vec![stage.to_string()]
                } else {
                    Vec::new()
                },
                container: inner.then(|| stage.clone()),
            });
        }
        for draft in self.drafts {
            let mut all_tags = draft.tags;
            // The tag of the class that contains it.
            all_tags.add_title("class");
            let reference = &draft.reference;
            let mut parameters = Vec::new();
            for setting in draft.settings.iter() {
                let value = setting.value().clone();
                if metaparameters::revealed(&value).is_nil() {
                    continue;
                }
                let refuse = |message| self.source.error(Kind::Evaluation, setting.offset, message);
                if let Some(message) = metaparameters::problem(&setting.name, &value, reference) {
                    return Err(refuse(message));
                }
                let parameter = metaparameters::parameter(&setting.name, value).map_err(refuse)?;
                parameters.push((setting.name.clone(), parameter));
            }
            catalog.resources.push(Resource {
                kind: draft.reference.kind,
                title: draft.reference.title,
                parameters,
                tags: all_tags.into_vec(),
                place: Some(self.source.place(draft.offset)),
                path: vec![stage.to_string(), "Main".to_owned()],
                container: Some(Reference::new("class", "Main")),
                exported: false,
                is_virtual: false,
            });
        }
        Ok(catalog)
    }
}

/// Is it a class or a stage that each catalog has?
fn is_container(reference: &Reference) -> bool {
    let title = &reference.title;
    let known = |(kind, name): &(&str, &str)| {
        *kind == reference.kind
            && (name == title || *kind == "class" && name.eq_ignore_ascii_case(title))
    };
    CONTAINERS.iter().any(known)
}
