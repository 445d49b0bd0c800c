//! Applies the types of Puppet itself that need no provider: `notify`, and `resources`, which purges.

use crate::display::shown;
use crate::fault::{Fault, Raised};
use crate::kind::{Kind, Runtime};
use crate::report::{ReportEvent, ResourceOutcome, Status};
use crate::resource::Resource;
use puppet_manifest::{Reference, capitalized};
use puppet_types::Value;
use std::collections::BTreeSet;

/// A resource to apply, and what contains it.
pub(crate) type Contained = (Resource, Option<Reference>);

impl Runtime<'_> {
    /// Checks the parameters of a resource of Puppet's own types.
    pub(crate) fn check_built_in(&mut self, resource: &Resource) -> Result<(), Fault> {
        if resource
            .parameter("message")
            .is_some_and(|one| matches!(one, Value::Sensitive(_)))
        {
            let message = format!("{}: a sensitive message", resource.reference());
            return Err(Fault::Unsupported(message));
        }
        if resource.kind.name != "resources" || !self.purges(resource)? {
            return Ok(());
        }
        let kind = self.kind(&resource.name().to_text())?;
        if !kind.is_built_in && kind.definition.is_ensurable() {
            return Ok(());
        }
        if kind.is_built_in {
            let message = format!("{}: purging a type of Puppet itself", resource.reference());
            return Err(Fault::Unsupported(message));
        }
        let why = "Purging is only supported on types that accept 'ensure'";
        Err(failed(resource, why))
    }

    fn purges(&self, resource: &Resource) -> Result<bool, Fault> {
        match resource.parameter("purge").map(Value::to_text).as_deref() {
            Some("true" | "yes") => Ok(true),
            None | Some("false" | "no") => Ok(false),
            Some(other) => {
                let why = format!(
                    "Munging failed for value {} in class purge: expected a boolean value",
                    Value::string(other).inspect()
                );
                Err(failed(resource, &why))
            }
        }
    }

    /// Does the resource name those that `resources` removes?
    pub(crate) fn is_purge(&self, resource: &Resource) -> Result<bool, Fault> {
        Ok(resource.kind.name == "resources" && self.purges(resource)?)
    }

    /// The resources of a type that the catalog does not name, to be removed; and which of the
    /// catalog's own are listed under another title.
    pub(crate) fn unmanaged(
        &mut self,
        parent: &Resource,
        all: &[Contained],
    ) -> Result<(Vec<Resource>, Vec<usize>), Fault> {
        let kind = self.kind(&parent.name().to_text())?;
        let mut known: BTreeSet<String> = BTreeSet::new();
        for (resource, _) in all.iter().filter(|(one, _)| one.kind.name == kind.name) {
            known.insert(resource.title.to_text());
            known.extend(resource.aliases.iter().cloned());
            known.extend(resource.unique().first().map(Value::to_text));
        }
        let (mut made, mut listed) = (Vec::new(), Vec::new());
        for mut resource in self.instances(&kind)? {
            if known.contains(&resource.title.to_text()) {
                continue;
            }
            let unique = self.names_of(&kind, &resource.title)?;
            let same = |(one, _): &Contained| {
                one.kind.name == kind.name && unique.as_ref() == Some(&one.unique())
            };
            if let Some(index) = all.iter().position(same) {
                listed.push(index);
                continue;
            }
            let absent = self.value(&kind, "ensure", &Value::string("absent"))?;
            match resource
                .parameters
                .iter_mut()
                .find(|(name, _)| name == "ensure")
            {
                Some(ensure) => ensure.1 = absent,
                None => resource.parameters.push(("ensure".to_owned(), absent)),
            }
            resource.path.clone_from(&parent.path);
            resource.noop = parent.noop;
            resource.loglevel = parent.loglevel;
            resource.relations.clone_from(&parent.relations);
            resource.audited.clone_from(&parent.audited);
            made.push(resource);
        }
        Ok((made, listed))
    }

    /// The namevars that a title gives, as a catalog looks resources up.
    fn names_of(&self, kind: &Kind, title: &Value) -> Result<Option<Vec<Value>>, Fault> {
        let Some(mut named) = kind.titled(&title.to_text())? else {
            return Ok(None);
        };
        named.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(Some(named.into_iter().map(|(_, value)| value).collect()))
    }

    /// Applies a resource of Puppet's own types.
    pub(crate) fn bring_built_in_about(&mut self, resource: &Resource, status: &mut Status) {
        if resource.kind.name != "notify" {
            return;
        }
        let should = match resource.parameter("message") {
            Some(Value::Array(items)) => items.first().cloned().unwrap_or(Value::Undef),
            Some(message) => message.clone(),
            None => resource.title.clone(),
        };
        let source = resource.log_path_of("message");
        let change = format!("defined 'message' as {}", shown(&should));
        let (outcome, message) = match self.is_noop(resource) {
            true => {
                let message = match self.settings.release.core.previews_messages {
                    true => format!("{change} (noop)"),
                    false => format!(
                        "current_value 'absent', should be {} (noop)",
                        shown(&should)
                    ),
                };
                (ResourceOutcome::Noop, message)
            }
            false => {
                let with_path = resource.parameter("withpath");
                let with_path = with_path.is_some_and(|one| one.to_text() == "true");
                let place = with_path.then_some(source.as_str());
                self.log(resource.loglevel, place, should.to_text());
                (ResourceOutcome::Success, change)
            }
        };
        self.log(resource.loglevel, Some(&source), message.clone());
        status.add(ReportEvent {
            property: Some("message".to_owned()),
            previous: Value::symbol("absent"),
            desired: should,
            status: outcome,
            message,
        });
    }
}

fn failed(resource: &Resource, why: &str) -> Fault {
    let reference = format!(
        "{}[{}]",
        capitalized(&resource.kind.name),
        resource.title.to_text()
    );
    Raised::resource(format!("Parameter purge failed on {reference}: {why}")).into()
}
