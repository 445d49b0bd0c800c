//! Lists resources, shows one, changes one: what `puppet resource` does.

use crate::display::shown;
use crate::fault::Fault;
use crate::kind::{Kind, Runtime};
use crate::report::RunReport;
use crate::resource::{Resource, properties_of};
use crate::row::{self, member};
use crate::state::{core_members, merge};
use puppet_types::definition::TRIGGER;
use puppet_types::{Behaviour, Value};
use std::rc::Rc;

/// A resource as a user sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedResource {
    /// The type.
    pub kind: String,
    /// The title.
    pub title: Value,
    /// Its attributes with their values. Namevars that the title says are left out.
    pub attributes: Vec<Attribute>,
}

/// An attribute of a resource that is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Can it only be read?
    pub is_read_only: bool,
}

impl ListedResource {
    /// The resource in Puppet's language.
    pub fn in_words(&self) -> String {
        let mut lines = vec![format!("{} {{ {}: ", self.kind, shown(&self.title))];
        for attribute in &self.attributes {
            let (start, end) = match attribute.is_read_only {
                true => ("#", " # Read Only"),
                false => (" ", ""),
            };
            let value = shown(&attribute.value);
            lines.push(format!("{start} {} => {value},{end}", attribute.name));
        }
        lines.push("}".to_owned());
        lines.join("\n")
    }
}

impl Runtime<'_> {
    /// Lists the resources of a type.
    ///
    /// # Errors
    /// What the provider raises, and rows without namevars.
    pub fn list(&mut self, kind: &str) -> Result<Vec<ListedResource>, Fault> {
        let kind = self.kind(kind)?;
        let mut all = Vec::new();
        for mut resource in self.instances(&kind)? {
            all.push(self.show(&mut resource)?);
        }
        all.sort_by_key(|one: &ListedResource| one.title.to_text());
        Ok(all)
    }

    /// Shows a resource, which may be absent.
    ///
    /// # Errors
    /// What the provider raises, and rows without namevars.
    pub fn find(&mut self, kind: &str, name: &str) -> Result<ListedResource, Fault> {
        let kind = self.kind(kind)?;
        for mut resource in self.instances(&kind)? {
            if resource.title.as_str() == Some(name) {
                return self.show(&mut resource);
            }
        }
        let audit = properties_of(&kind).into_iter().map(Value::symbol);
        let attributes = vec![
            ("name".to_owned(), Value::string(name)),
            ("audit".to_owned(), Value::Array(audit.collect())),
        ];
        let mut resource = self.found(&kind, attributes)?;
        self.show(&mut resource)
    }

    /// Do the resources of this type live on devices only?
    pub fn is_remote(&mut self, kind: &str) -> bool {
        self.kind(kind).is_ok_and(|kind| kind.is_remote())
    }

    /// Does the runtime ask a provider that filters for no names when it lists all?
    pub fn asks_for_none(&mut self, kind: &str) -> bool {
        let is_filtered = |kind: Rc<Kind>| kind.definition.has_feature("simple_get_filter");
        self.settings.release.api.all_is_an_empty_list && self.kind(kind).is_ok_and(is_filtered)
    }

    /// Changes a resource and shows it afterwards.
    ///
    /// # Errors
    /// If the words are no values of their attributes; what the provider raises when the resource
    /// is shown.
    pub fn save(
        &mut self,
        kind: &str,
        name: &str,
        words: &[(String, String)],
    ) -> Result<(ListedResource, RunReport), Fault> {
        let kind = self.kind(kind)?;
        let resource = self.typed(&kind, name, words)?;
        let (mut resource, report) = self.apply_one(resource)?;
        if let Some(raised) = report.stopped {
            return Err(raised.into());
        }
        let shown = self.show(&mut resource)?;
        Ok((shown, report))
    }

    /// All resources that the provider lists, with their states.
    pub(crate) fn instances(&mut self, kind: &Rc<Kind>) -> Result<Vec<Resource>, Fault> {
        let mut resources = Vec::new();
        for row in self.read_all(kind)? {
            self.check_row(kind, &row)?;
            let title = match member(&row, "title")? {
                Value::Undef => row::name(&kind.namevars, &row)?,
                title => title,
            };
            let mut resource = self.found(kind, vec![("title".to_owned(), title)])?;
            self.strict_check(&resource, &row)?;
            resource.current = Some(row);
            resource.is_found = true;
            resources.push(resource);
        }
        Ok(resources)
    }

    fn show(&mut self, resource: &mut Resource) -> Result<ListedResource, Fault> {
        self.retrieve(resource)?;
        let kind = resource.kind.clone();
        let current = self.current(resource)?;
        let mut members = core_members(&kind, &current);
        // Parameters are what was asked for.
        for (name, value) in &resource.parameters {
            let attribute = kind.definition.attribute(name);
            let is_parameter = attribute.is_some_and(|one| {
                matches!(one.behaviour, Behaviour::Parameter | Behaviour::Namevar)
            });
            if is_parameter && *value != resource.title {
                merge(
                    &mut members,
                    vec![(Value::symbol(name.as_str()), value.clone())],
                );
            }
        }
        let mut attributes = Vec::new();
        for (key, value) in &members {
            let name = key.to_text();
            let Some(attribute) = kind.definition.attribute(&name) else {
                continue;
            };
            let is_only_name =
                attribute.behaviour == Behaviour::Namevar && kind.namevars.len() == 1;
            if name == TRIGGER || is_only_name || value.is_nil() {
                continue;
            }
            attributes.push(Attribute {
                name,
                value: value.clone(),
                is_read_only: attribute.behaviour == Behaviour::ReadOnly,
            });
        }
        Ok(ListedResource {
            kind: kind.name.clone(),
            title: resource.title.clone(),
            attributes,
        })
    }
}
