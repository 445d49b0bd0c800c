//! Brings a resource about: compares its state with its target, and has its provider change it.

use crate::display::shown;
use crate::fault::{Fault, Raised};
use crate::kind::Runtime;
use crate::log::Severity;
use crate::release::Reading;
use crate::report::{ReportEvent, ResourceOutcome, Status};
use crate::resource::{Resource, alike, is_property};
use crate::row::no_method;
use crate::state::core_state;
use crate::strict::Strict;
use puppet_types::definition::TRIGGER;
use puppet_types::{Behaviour, Value};

impl Runtime<'_> {
    /// Applies a resource.
    ///
    /// # Errors
    /// If the whole run cannot go on.
    pub(crate) fn evaluate(
        &mut self,
        resource: &mut Resource,
        status: &mut Status,
    ) -> Result<(), Fault> {
        match self.bring_about(resource, status) {
            Err(Fault::Raised(raised)) if raised.standard => {
                let source = resource.log_path();
                let message = format!("Could not evaluate: {}", raised.message);
                self.log(Severity::Err, Some(&source), message);
                status.add(ReportEvent {
                    property: None,
                    previous: Value::Undef,
                    desired: Value::Undef,
                    status: ResourceOutcome::Failure,
                    message: raised.message.clone(),
                });
                status.raised = Some(raised);
                Ok(())
            }
            other => other,
        }
    }

    fn bring_about(&mut self, resource: &mut Resource, status: &mut Status) -> Result<(), Fault> {
        if resource.kind.is_built_in {
            self.bring_built_in_about(resource, status);
            return Ok(());
        }
        let is = self.retrieve(resource)?;
        raise_ensure_parameter(resource)?;
        self.change_properties(resource, &is, status)?;
        let is_noop = self.is_noop(resource);
        let says = (self.settings.release.api.sets_in_noop || self.settings.previews)
            && resource.kind.definition.has_feature("supports_noop");
        if (status.changed() && !is_noop) || (is_noop && says && status.out_of_sync()) {
            self.flush(resource, is_noop)?;
        }
        Ok(())
    }

    /// Is the resource only looked at?
    pub(crate) fn is_noop(&self, resource: &Resource) -> bool {
        resource.noop.unwrap_or(self.settings.noop)
    }

    /// The state as Puppet's core sees it.
    pub(crate) fn retrieve(&mut self, resource: &mut Resource) -> Result<Value, Fault> {
        let current = self.current(resource)?;
        self.log(
            Severity::Debug,
            None,
            format!("Current State: {}", current.inspect()),
        );
        let state = core_state(resource, &current)?;
        raise_missing(resource)?;
        Ok(state)
    }

    fn change_properties(
        &mut self,
        resource: &mut Resource,
        is: &Value,
        status: &mut Status,
    ) -> Result<(), Fault> {
        let is_ensured = resource.should("ensure").is_some();
        let is_changed = is_ensured && self.sync(resource, "ensure", is, status)?;
        let is_absent = is.get("ensure").and_then(Value::as_symbol) == Some("absent");
        if !is_changed && is_absent {
            let source = resource.log_path();
            let message = "Nothing to manage: no ensure and the resource doesn't exist";
            self.log(Severity::Debug, Some(&source), message);
        } else if !is_changed {
            for property in resource.properties() {
                self.sync(resource, &property, is, status)?;
            }
        }
        // No state is kept from run to run, so each audited value is a new one.
        for property in resource.audited.clone() {
            let attribute = resource.kind.definition.attribute(&property);
            if attribute.is_some_and(|one| !is_property(one.behaviour)) {
                let message = "private method `format' called for nil:NilClass";
                return Err(Raised::new("NoMethodError", message).into());
            }
            let source = resource.log_path_of(&property);
            let value = is.get(&property).map(Value::to_text).unwrap_or_default();
            let message = format!("audit change: newly-recorded value {value}");
            self.log(Severity::Notice, Some(&source), message);
        }
        Ok(())
    }

    /// Changes a property unless it is in sync. Returns whether there was an event.
    fn sync(
        &mut self,
        resource: &mut Resource,
        property: &str,
        is: &Value,
        status: &mut Status,
    ) -> Result<bool, Fault> {
        let Some(should) = resource.should(property) else {
            return Ok(false);
        };
        let current = is.get(property).cloned().unwrap_or(Value::Undef);
        let before = resource.shown(property, &current);
        let after = resource.shown(property, &should);
        // What is no StandardError ends the run, but the event is told before.
        let mut ends = None;
        let (outcome, message) = match self.is_insync(resource, property, &current) {
            Ok(true) => return Ok(false),
            Ok(false) if self.is_noop(resource) => (
                ResourceOutcome::Noop,
                self.change_in_noop(resource, property, &current, &should),
            ),
            Ok(false) => (
                ResourceOutcome::Success,
                change_in_words(resource, property, &current, &should),
            ),
            Err(Fault::Raised(raised)) => {
                if raised.standard {
                    self.log(Severity::Err, None, raised.message.clone());
                } else {
                    ends = Some(raised.clone());
                }
                let message = format!("change from {before} to {after} failed: {}", raised.message);
                (ResourceOutcome::Failure, message)
            }
            Err(fault) => return Err(fault),
        };
        let level = match outcome {
            ResourceOutcome::Failure => Severity::Err,
            _ => resource.loglevel,
        };
        let source = resource.log_path_of(property);
        self.log(level, Some(&source), message.clone());
        let is_sensitive = resource.sensitive.iter().any(|name| name == property);
        let redacted = |value: Value| match is_sensitive && !value.is_nil() {
            true => Value::string("[redacted]"),
            false => value,
        };
        status.add(ReportEvent {
            property: Some(property.to_owned()),
            previous: redacted(current),
            desired: redacted(should),
            status: outcome,
            message,
        });
        match ends {
            Some(raised) => Err(raised.into()),
            None => Ok(true),
        }
    }

    /// What a dry run says of a change. What nobody may see is told as before Puppet 8.
    fn change_in_noop(
        &self,
        resource: &Resource,
        property: &str,
        from: &Value,
        to: &Value,
    ) -> String {
        let is_sensitive = resource.sensitive.iter().any(|name| name == property);
        if self.settings.release.core.previews_messages && !is_sensitive {
            return format!("{} (noop)", change_in_words(resource, property, from, to));
        }
        let (before, after) = (resource.shown(property, from), resource.shown(property, to));
        format!("current_value {before}, should be {after} (noop)")
    }

    fn is_insync(
        &mut self,
        resource: &mut Resource,
        property: &str,
        current: &Value,
    ) -> Result<bool, Fault> {
        let kind = resource.kind.clone();
        if kind.definition.has_feature("custom_insync") {
            match self.asks(resource, property)? {
                Value::Bool(insync) => return Ok(insync),
                Value::Undef => {}
                other => {
                    let message = format!(
                        "Custom insync for {property} returned a {} with a value of {} instead of \
                         true/false; insync? MUST return nil or the boolean true or false",
                        other.class(),
                        other.inspect()
                    );
                    return Err(Raised::developer(message).into());
                }
            }
        }
        let own = resource
            .parameter(property)
            .cloned()
            .unwrap_or(Value::Undef);
        if property == "ensure" {
            return Ok(own.to_text() == current.to_text());
        }
        Ok(alike(current, &own) || current.as_str() == Some(&*own.to_text()))
    }

    /// Asks the provider whether a property is in sync.
    fn asks(&mut self, resource: &mut Resource, property: &str) -> Result<Value, Fault> {
        let kind = resource.kind.clone();
        let should = self.target(resource)?;
        let is = self.current(resource)?;
        let name = resource.name();
        if !self.has_insync(&kind)? {
            let message = "No insync? method defined in the provider; an insync? method must be \
                           defined if the custom_insync feature is defined for the type";
            return Err(Raised::developer(message).into());
        }
        let answer = self.insync(&kind, &name, property, &is, &should)?;
        let (answer, words) = match answer {
            Value::Array(mut items) => {
                let words = match items.len() {
                    0 | 1 => Value::Undef,
                    _ => items.swap_remove(1),
                };
                let first = items.into_iter().next();
                (first.unwrap_or(Value::Undef), words)
            }
            other => (other, Value::Undef),
        };
        if !answer.is_nil() {
            match &words {
                Value::Undef => {}
                Value::String(text) | Value::Symbol(text) => {
                    if !text.is_empty() {
                        let known = &mut resource.wordings;
                        known.insert(property.to_owned(), text.clone());
                    }
                }
                Value::Array(_) | Value::Hash(_) => {
                    let known = &mut resource.wordings;
                    known.insert(property.to_owned(), words.to_text());
                }
                other => return Err(no_method("empty?", other)),
            }
        }
        Ok(answer)
    }

    /// Has the provider change a resource whose properties are out of sync.
    fn flush(&mut self, resource: &mut Resource, is_noop: bool) -> Result<(), Fault> {
        let kind = resource.kind.clone();
        raise_missing(resource)?;
        let target = self.target(resource)?;
        let current = self.current(resource)?;
        if alike(&current, &target) {
            return Ok(());
        }
        self.log(
            Severity::Debug,
            None,
            format!("Target State: {}", target.inspect()),
        );
        let is_present =
            |state: &Value| state.get("ensure").and_then(Value::as_str) == Some("present");
        let strict = self.settings.init_only.unwrap_or(self.settings.strict);
        if strict != Strict::Off && is_present(&current) && is_present(&target) {
            self.check_fixed(resource, &current, &target, strict)?;
        }
        let is = match self.settings.release.api.absent_is_nil && !resource.is_found {
            true => Value::Undef,
            false => current,
        };
        let change = match self.is_removal(&target) {
            true => Value::hash([("is", is)]),
            false => Value::hash([("is", is), ("should", target.clone())]),
        };
        let changes = Value::Array(vec![Value::Array(vec![resource.name(), change])]);
        let noop = kind
            .definition
            .has_feature("supports_noop")
            .then_some(is_noop);
        if self.set(&kind, changes, noop)? {
            return Err(Raised::new("RuntimeError", "Execution encountered an error").into());
        }
        if is_noop {
            return Ok(());
        }
        let name = resource.name();
        match self.settings.release.api.reading {
            Reading::ForEach => {}
            Reading::Once if self.is_removal(&target) => self.kept(&kind).forget(&name),
            Reading::Once | Reading::ForUnknown => self.kept(&kind).keep(&name, target.clone()),
        }
        resource.current = Some(target);
        Ok(())
    }

    /// As the specification has it, a removal has no target.
    fn is_removal(&self, target: &Value) -> bool {
        !self.settings.release.api.removes_with_target
            && target.get("ensure").and_then(Value::as_str) == Some("absent")
    }

    /// Attributes that are only set at creation do not change.
    fn check_fixed(
        &mut self,
        resource: &Resource,
        current: &Value,
        target: &Value,
        strict: Strict,
    ) -> Result<(), Fault> {
        for (key, value) in target.as_hash().unwrap_or_default() {
            let name = key.to_text();
            let attribute = key
                .as_symbol()
                .and_then(|name| resource.kind.definition.attribute(name));
            let Some(attribute) = attribute else {
                return Err(no_method("[]", &Value::Undef));
            };
            let before = current.get(&name).cloned().unwrap_or(Value::Undef);
            if attribute.behaviour != Behaviour::InitOnly || alike(value, &before) {
                continue;
            }
            let message = format!(
                "Attempting to change `{name}` init_only attribute value from `{}` to `{}`",
                before.to_text(),
                value.to_text()
            );
            match strict {
                Strict::Error => return Err(Raised::resource(message).into()),
                _ => self.log(Severity::Warning, None, message),
            }
        }
        Ok(())
    }
}

/// Puppet takes each `ensure` for a property.
fn raise_ensure_parameter(resource: &Resource) -> Result<(), Fault> {
    let attribute = resource.kind.definition.attribute("ensure");
    let is_parameter = attribute.is_some_and(|one| !is_property(one.behaviour));
    if !is_parameter || resource.parameter("ensure").is_none() {
        return Ok(());
    }
    let message = "undefined method `should' for an `ensure` that is a parameter";
    Err(Raised::new("NoMethodError", message).into())
}

/// Without its mandatory attributes, a resource that shall exist cannot be applied.
fn raise_missing(resource: &Resource) -> Result<(), Fault> {
    let ensure = resource.should("ensure");
    let is_wanted = ensure.is_some_and(|one| !one.is_nil() && one.as_symbol() != Some("absent"));
    if resource.missing.is_empty() || !is_wanted {
        return Ok(());
    }
    let message = format!(
        "The following mandatory attributes were not provided:\n    *  {}",
        resource.missing.join(", \n    *  ")
    );
    Err(Raised::resource(message).into())
}

fn change_in_words(resource: &Resource, property: &str, from: &Value, to: &Value) -> String {
    if resource.sensitive.iter().any(|name| name == property) {
        return "changed [redacted] to [redacted]".to_owned();
    }
    if let Some(words) = resource.wordings.get(property) {
        return words.clone();
    }
    if property == TRIGGER {
        return "Custom insync logic determined that this resource is out of sync".to_owned();
    }
    let is_absent = |value: &Value| value.as_symbol() == Some("absent");
    match (is_absent(from), is_absent(to)) {
        (true, _) => format!("defined '{property}' as {}", shown(to)),
        (false, true) => format!("undefined '{property}' from {}", shown(from)),
        (false, false) => format!("{property} changed {} to {}", shown(from), shown(to)),
    }
}
