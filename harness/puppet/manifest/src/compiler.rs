//! Collects what a manifest declares, and makes a catalog of it.

mod finish;
mod overrides;
mod settings;

pub(crate) use settings::Setting;

use crate::catalog::Catalog;
use crate::error::{Error, Kind, Result};
use crate::reference::{Reference, capitalized};
use crate::source::Source;
use crate::tags::Tags;
use puppet_types::Value;
use settings::Settings;
use std::collections::HashMap;

/// A resource that may still change.
struct Draft {
    reference: Reference,
    settings: Settings,
    tags: Tags,
    offset: usize,
}

/// A relation that an arrow makes.
pub(crate) struct Relation {
    pub(crate) source: Reference,
    pub(crate) target: Reference,
    pub(crate) notifies: bool,
    pub(crate) offset: usize,
}

pub(crate) struct Compiler<'s, 't> {
    source: &'s Source<'t>,
    drafts: Vec<Draft>,
    /// Resources by title and by alias.
    known: HashMap<Reference, usize>,
    defaults: HashMap<String, Settings>,
    /// Overrides of resources that were not declared yet.
    waiting: Vec<overrides::Override>,
    relations: Vec<Relation>,
}

impl<'s, 't> Compiler<'s, 't> {
    pub(crate) fn new(source: &'s Source<'t>) -> Self {
        Self {
            source,
            drafts: Vec::new(),
            known: HashMap::new(),
            defaults: HashMap::new(),
            waiting: Vec::new(),
            relations: Vec::new(),
        }
    }

    fn refuse(&self, offset: usize, message: impl Into<String>) -> Box<Error> {
        self.source.error(Kind::Evaluation, offset, message)
    }

    /// An error that Puppet finds while it creates a resource.
    fn refuse_statement(&self, offset: usize, detail: &str) -> Box<Error> {
        self.refuse(
            offset,
            format!("Error while evaluating a Resource Statement, {detail}"),
        )
    }

    /// A place as messages show it.
    fn shown(&self, offset: usize) -> String {
        let place = self.source.place(offset);
        if place.file.is_empty() {
            format!("(line: {})", place.line)
        } else {
            format!("(file: {}, line: {})", place.file, place.line)
        }
    }

    pub(crate) fn relate(&mut self, relation: Relation) {
        self.relations.push(relation);
    }

    /// Sets a default for resources that are declared from now on.
    pub(crate) fn set_default(&mut self, kind: &str, setting: Setting) -> Result<()> {
        let defaults = self.defaults.entry(kind.to_owned()).or_default();
        if defaults.has(&setting.name) {
            let message = format!(
                "Default already defined for {} {{ {} }}; cannot redefine",
                capitalized(kind),
                setting.name
            );
            return Err(self.refuse(setting.offset, message));
        }
        defaults.set(setting);
        Ok(())
    }

    /// Declares a resource.
    pub(crate) fn declare(
        &mut self,
        reference: Reference,
        own: &[Setting],
        offset: usize,
    ) -> Result<()> {
        let mut settings = Settings::default();
        let mut tags = Tags::default();
        for setting in own {
            self.add_tags(&mut tags, setting, offset)?;
            settings.set(setting.clone());
        }
        tags.add(&reference.kind)
            .map_err(|tag| self.refuse(offset, format!("Invalid tag '{tag}'")))?;
        tags.add_title(&reference.title);
        let defaults = self.defaults.get(&reference.kind);
        for setting in defaults.iter().flat_map(|all| all.iter()) {
            if !settings.has(&setting.name) {
                self.add_tags(&mut tags, setting, offset)?;
                settings.set(setting.clone());
            }
        }
        let index = self.drafts.len();
        if let Some(&existing) = self.known.get(&reference) {
            let declared = self.drafts[existing].offset;
            let detail = format!(
                "Duplicate declaration: {reference} is already declared at {}; cannot redeclare",
                self.shown(declared)
            );
            return Err(self.refuse_statement(offset, &detail));
        }
        self.known.insert(reference.clone(), index);
        self.add_aliases(&reference, &settings, index, offset)?;
        if settings.value("stage").is_some_and(|value| !value.is_nil()) {
            let detail = format!(
                "Only classes can set 'stage'; normal resources like {reference} cannot change run stage"
            );
            return Err(self.refuse_statement(offset, &detail));
        }
        self.drafts.push(Draft {
            reference,
            settings,
            tags,
            offset,
        });
        Ok(())
    }

    /// Adds the tags of a metaparameter `tag`.
    fn add_tags(&self, tags: &mut Tags, setting: &Setting, offset: usize) -> Result<()> {
        if setting.name != "tag" {
            return Ok(());
        }
        let added = tags.add_value(&setting.value());
        added.map_err(|tag| self.refuse(offset, format!("Invalid tag '{tag}'")))
    }

    fn add_aliases(
        &mut self,
        reference: &Reference,
        settings: &Settings,
        index: usize,
        offset: usize,
    ) -> Result<()> {
        // Puppet files such an alias under a wrong name, where nothing finds it.
        if reference.title.contains('[') {
            return Ok(());
        }
        let aliases = settings.value("alias").unwrap_or(Value::Undef);
        let mut all = Vec::new();
        settings::flattened(&aliases, &mut all);
        for alias in all {
            // An alias that is no string can be found by nothing.
            let Some(title) = alias.as_str() else {
                continue;
            };
            let name = Reference::new(&reference.kind, title);
            match self.known.get(&name) {
                Some(&existing) if existing == index => {}
                Some(&existing) => {
                    let kind = Value::string(capitalized(&reference.kind));
                    let list = Value::Array(vec![kind, alias.clone()]);
                    let detail = format!(
                        "Cannot alias {reference} to {} at {}; resource {} already declared {}",
                        alias.inspect(),
                        self.shown(offset),
                        list.inspect(),
                        self.shown(self.drafts[existing].offset)
                    );
                    return Err(self.refuse_statement(offset, &detail));
                }
                None => {
                    self.known.insert(name, index);
                }
            }
        }
        Ok(())
    }

    /// Completes the catalog.
    pub(crate) fn finish(mut self) -> Result<Catalog> {
        self.add_relations()?;
        self.add_waiting_overrides()?;
        self.check_size()?;
        self.check_relations()?;
        self.into_catalog()
    }
}
