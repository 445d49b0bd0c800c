//! Makes resources of what a catalog declares, what a user types, and what a provider lists.

use crate::fault::{Fault, Raised};
use crate::kind::{Kind, Runtime, TRIGGER_VALUE, data_type};
use crate::log::Severity;
use crate::resource::{Relation, Resource, is_property, properties_of};
use crate::row::no_method;
use puppet_manifest::{DEFERRED, METAPARAMETERS, Parameter, Reference, Resource as Declared};
use puppet_types::definition::TRIGGER;
use puppet_types::{Behaviour, Refused, Type, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a resource is made from.
pub(crate) struct Origin {
    /// Its title, if a catalog declares it.
    pub(crate) title: Option<Value>,
    /// Attributes by name, in order. They may include `title` and `name`.
    pub(crate) attributes: Vec<(String, Value)>,
    /// What it is related to.
    pub(crate) relations: Vec<(Relation, Vec<Reference>)>,
    pub(crate) path: Vec<String>,
    pub(crate) tags: Vec<String>,
    /// Attributes that a catalog declares as sensitive.
    pub(crate) sensitive: Vec<String>,
}

/// The function of a Deferred value, or of one within it.
fn deferred(value: &Value) -> Option<&str> {
    match value {
        Value::Object { class, text } if class == DEFERRED => Some(text),
        Value::Sensitive(inner) => deferred(inner),
        Value::Array(items) => items.iter().find_map(deferred),
        Value::Hash(pairs) => pairs.iter().find_map(|(_, value)| deferred(value)),
        _ => None,
    }
}

impl Runtime<'_> {
    /// Makes a resource of a catalog.
    ///
    /// # Errors
    /// If Puppet refuses it, or its provider raises.
    pub fn declared(&mut self, declared: &Declared) -> Result<Resource, Fault> {
        let kind = self.kind(&declared.kind)?;
        let mut attributes = Vec::new();
        let mut relations = Vec::new();
        let mut sensitive = Vec::new();
        for (name, parameter) in &declared.parameters {
            let relation = Relation::ALL.into_iter().find(|one| one.name() == name);
            match (relation, parameter) {
                (Some(relation), Parameter::References(all)) => {
                    relations.push((relation, all.clone()));
                }
                (_, Parameter::References(_)) => {
                    let message = format!(
                        "{}: the value of {name} is a reference to a resource",
                        declared.reference()
                    );
                    return Err(Fault::Unsupported(message));
                }
                (_, Parameter::Value(value)) => {
                    if let Some(function) = deferred(value) {
                        self.check_deferred(&kind, declared, name, function)?;
                    }
                    if matches!(value, Value::Sensitive(_)) {
                        sensitive.push(name.clone());
                    }
                    attributes.push((name.to_lowercase(), value.clone()));
                }
            }
        }
        let all = with_title(&kind, &declared.title, attributes)?;
        let resource = self.resource(
            &kind,
            Origin {
                title: Some(Value::string(&declared.title)),
                attributes: all,
                relations,
                path: declared.path.clone(),
                tags: declared.tags.clone(),
                sensitive,
            },
        )?;
        if kind.is_built_in {
            self.check_built_in(&resource)?;
        }
        Ok(resource)
    }

    /// Refuses a Deferred value that Puppet would call. What it takes for an object of no type, types refuse.
    fn check_deferred(
        &self,
        kind: &Kind,
        declared: &Declared,
        name: &str,
        function: &str,
    ) -> Result<(), Fault> {
        let is_first = self.settings.release.core.calls_deferred_first;
        let own = kind.definition.attribute(name);
        let own = own.and_then(|own| own.data_type.as_ref());
        if !is_first && own.is_some_and(|own| *own != Type::Any) {
            return Ok(());
        }
        let when = match is_first {
            true => "before it applies the catalog",
            false => "when it applies the resource",
        };
        Err(Fault::Unsupported(format!(
            "{}: the value of {name} is Deferred: Puppet calls {function}() {when}, and Stickler has no functions",
            declared.reference()
        )))
    }

    /// Makes a resource of what a user types: a title and attributes.
    pub(crate) fn typed(
        &mut self,
        kind: &Rc<Kind>,
        title: &str,
        words: &[(String, String)],
    ) -> Result<Resource, Fault> {
        let mut attributes: Vec<(String, Value)> = Vec::new();
        for (name, word) in words {
            let name = parameter_name(kind, name);
            attributes.retain(|(known, _)| *known != name);
            attributes.push((name, Value::string(word)));
        }
        let attributes = with_title(kind, title, attributes)?;
        let origin = Origin {
            title: Some(Value::string(title)),
            attributes,
            ..Origin::nothing()
        };
        self.resource(kind, origin)
    }

    /// Makes a resource that a provider generates.
    pub(crate) fn generated_resource(
        &mut self,
        kind: &Rc<Kind>,
        attributes: Vec<(String, Value)>,
    ) -> Result<Resource, Fault> {
        let mut relations = Vec::new();
        let mut own = Vec::new();
        for (name, value) in attributes {
            match Relation::ALL.into_iter().find(|one| one.name() == name) {
                Some(relation) => relations.push((relation, references(&value)?)),
                None => own.push((parameter_name(kind, &name), value)),
            }
        }
        let mut attributes = own;
        let mut names = vec!["title", "name"];
        names.extend(kind.namevars.first().map(String::as_str));
        let title = names.into_iter().find_map(|name| {
            let mut named = attributes.iter().filter(|(known, _)| known == name);
            named.next().map(|(_, value)| value.to_text())
        });
        let Some(title) = title else {
            return Err(Raised::puppet("Title or name must be provided").into());
        };
        attributes.retain(|(name, _)| name != "title");
        let attributes = with_title(kind, &title, attributes)?;
        let origin = Origin {
            title: Some(Value::string(title)),
            attributes,
            relations,
            ..Origin::nothing()
        };
        self.resource(kind, origin)
    }

    /// Makes a resource of some members, such as the title of a row.
    pub(crate) fn found(
        &mut self,
        kind: &Rc<Kind>,
        attributes: Vec<(String, Value)>,
    ) -> Result<Resource, Fault> {
        let origin = Origin {
            attributes,
            ..Origin::nothing()
        };
        self.resource(kind, origin)
    }

    fn resource(&mut self, kind: &Rc<Kind>, origin: Origin) -> Result<Resource, Fault> {
        let definition = &kind.definition;
        let mut attributes = origin.attributes;
        if definition.has_feature("canonicalize") {
            let members = attributes.iter();
            let hash = Value::hash(members.map(|(name, value)| (name.as_str(), value.clone())));
            attributes = members_of(&self.canonicalize(kind, &hash)?)?;
        }
        let find = |attributes: &[(String, Value)], name: &str| {
            let mut named = attributes.iter().filter(|(known, _)| known == name);
            named.next().map(|(_, value)| value.clone())
        };
        if !self.settings.trusting {
            // Puppet takes them for its own.
            attributes.retain(|(name, _)| name != "catalog");
            match find(&attributes, "sensitive_parameters") {
                None | Some(Value::Array(_) | Value::Hash(_)) => {}
                Some(other) => return Err(no_method("each", &other)),
            }
        }
        // A type without an attribute `name` is found by its title.
        if definition.attribute("name").is_none()
            && find(&attributes, "title").is_none_or(|title| title.is_nil())
        {
            let name = find(&attributes, "name").filter(|name| !name.is_nil());
            attributes.retain(|(known, _)| known != "name" && known != "title");
            let title = match &origin.title {
                Some(own) if name.is_none() && !kind.namevars.is_empty() => Some(own.clone()),
                _ => name,
            };
            attributes.extend(title.map(|title| ("title".to_owned(), title)));
        }
        let title = find(&attributes, "title").filter(|title| !title.is_nil());
        attributes.retain(|(known, _)| known != "title");
        let name = || find(&attributes, "name").filter(|name| !name.is_nil());
        let only = || match kind.namevars.as_slice() {
            [one] => find(&attributes, one).filter(|value| !value.is_nil()),
            _ => None,
        };
        let Some(title) = title.or_else(name).or_else(only) else {
            return Err(Raised::puppet("Title or name must be provided").into());
        };
        let text = title.to_text();
        let mut resource = Resource {
            kind: kind.clone(),
            title,
            path: origin.path,
            parameters: Vec::new(),
            audited: Vec::new(),
            noop: None,
            loglevel: Severity::Notice,
            relations: origin.relations,
            aliases: Vec::new(),
            tags: origin.tags,
            sensitive: Vec::new(),
            missing: Vec::new(),
            is_absent: origin.title.is_none(),
            is_found: false,
            current: None,
            target: None,
            wordings: BTreeMap::new(),
        };
        let renamed = attributes
            .into_iter()
            .map(|(name, value)| (parameter_name(kind, &name), value));
        let mut given = with_title(kind, &text, renamed.collect())?;
        if let [one] = kind.namevars.as_slice() {
            let at = given.iter().position(|(name, _)| name == one);
            let value = at.map_or(Value::Undef, |at| given.remove(at).1);
            self.put(&mut resource, one, &value)?;
        }
        for name in order(kind, &given) {
            if let Some(value) = find(&given, &name) {
                self.put(&mut resource, &name, &value)?;
            }
        }
        self.defaults(&mut resource)?;
        self.find_missing(&mut resource)?;
        if self.settings.release.api.passes_sensitive {
            self.mark_sensitive(&mut resource, &origin.sensitive);
        }
        Ok(resource)
    }

    /// Sets an attribute or a metaparameter.
    fn put(&mut self, resource: &mut Resource, name: &str, value: &Value) -> Result<(), Fault> {
        let kind = resource.kind.clone();
        let attribute = kind.definition.attribute(name);
        let is_own = attribute.is_some() || (name == TRIGGER && kind.has_trigger());
        if !is_own && !METAPARAMETERS.contains(&name) && name != "name" {
            let message = format!("no parameter named '{name}'");
            return Err(Raised::puppet(message).into());
        }
        if value.is_nil() {
            let message = format!("Got nil value for {name}");
            return Err(Raised::puppet(message).into());
        }
        let set = match (is_own, attribute.map(|one| one.behaviour)) {
            (false, _) => metaparameter(resource, name, value),
            (true, Some(Behaviour::ReadOnly)) => Err(Raised::resource(format!(
                "Attempting to set `{name}` read_only attribute value to `{}`",
                value.to_text()
            ))
            .into()),
            (true, _) => self.value(&kind, name, value).map(|value| {
                resource.parameters.push((name.to_owned(), value));
            }),
        };
        set.map_err(|fault| match fault {
            Fault::Raised(raised) if raised.names_its_parameter() => {
                let reference = resource.reference();
                let message = format!("Parameter {name} failed on {reference}: {}", raised.message);
                Raised::resource(message).into()
            }
            other => other,
        })
    }

    /// The value of an attribute as the provider gets it.
    pub(crate) fn value(&self, kind: &Kind, name: &str, value: &Value) -> Result<Value, Fault> {
        let prefix = format!("{}.{name}", kind.name);
        let is_property = kind
            .definition
            .attribute(name)
            .is_none_or(|one| is_property(one.behaviour));
        let text = match name {
            "ensure" if is_property => Value::string(value.to_text()),
            _ => value.clone(),
        };
        if name == TRIGGER {
            return match text.as_str() == Some(TRIGGER_VALUE) {
                true => Ok(text),
                false => {
                    let own = puppet_types::parse(&format!("Enum[{TRIGGER_VALUE}]"));
                    let own = own.map_err(|error| Raised::developer(error.to_string()))?;
                    Ok(own.accept(&text, &prefix)?)
                }
            };
        }
        let trusting = self.settings.trusting;
        let own = match data_type(kind, name) {
            Err(_) if trusting => return Ok(text),
            own => own?,
        };
        let taken = match self.settings.munges {
            true => own.munge(&text, &prefix),
            false => own.accept(&text, &prefix),
        };
        match taken {
            Err(Refused::Undecided(_)) if trusting => Ok(text),
            taken => Ok(taken?),
        }
    }

    fn defaults(&mut self, resource: &mut Resource) -> Result<(), Fault> {
        let kind = resource.kind.clone();
        for name in order(&kind, &[]) {
            if resource.parameter(&name).is_some() {
                continue;
            }
            let default = match name == TRIGGER {
                true => Some(Value::string(TRIGGER_VALUE)),
                false => kind
                    .definition
                    .attribute(&name)
                    .filter(|one| one.behaviour != Behaviour::ReadOnly)
                    .and_then(|one| one.default.clone()),
            };
            let Some(default) = default.filter(|value| !value.is_nil()) else {
                continue;
            };
            let value = self.value(&kind, &name, &default)?;
            resource.parameters.push((name, value));
        }
        Ok(())
    }

    /// Which mandatory attributes are missing. Missing parameters refuse the resource.
    fn find_missing(&mut self, resource: &mut Resource) -> Result<(), Fault> {
        if resource.is_absent {
            return Ok(());
        }
        let kind = resource.kind.clone();
        let mut parameters = Vec::new();
        for attribute in &kind.definition.attributes {
            if matches!(
                attribute.behaviour,
                Behaviour::ReadOnly | Behaviour::Namevar
            ) {
                continue;
            }
            let is_optional = matches!(attribute.data_type, Some(Type::Optional(_)));
            let value = resource.core_value(&attribute.name);
            if !is_optional && value.is_none_or(|value| value.is_nil()) {
                resource.missing.push(attribute.name.clone());
                if attribute.behaviour == Behaviour::Parameter {
                    parameters.push(attribute.name.as_str());
                }
            }
        }
        resource.missing.retain(|name| name != "ensure");
        if parameters.is_empty() {
            return Ok(());
        }
        let message = format!(
            "Validation of {} failed: The following mandatory parameters were not provided:\n    *  {}",
            resource.reference(),
            parameters.join(", \n    *  ")
        );
        Err(Raised::resource(message).into())
    }

    /// Since 1.9, Puppet redacts what a catalog declares as sensitive.
    fn mark_sensitive(&mut self, resource: &mut Resource, names: &[String]) {
        let properties = properties_of(&resource.kind);
        for name in names {
            if resource.parameter(name).is_none() {
                continue;
            }
            if properties.contains(name) {
                resource.sensitive.push(name.clone());
                continue;
            }
            let message = format!(
                "Unable to mark '{name}' as sensitive: {name} is a parameter and not a property, \
                 and cannot be automatically redacted."
            );
            // The resource is in no catalog yet.
            let source = format!("/{}", resource.reference());
            self.log(Severity::Warning, Some(&source), message);
        }
    }
}

impl Origin {
    fn nothing() -> Self {
        Origin {
            title: None,
            attributes: Vec::new(),
            relations: Vec::new(),
            path: Vec::new(),
            tags: Vec::new(),
            sensitive: Vec::new(),
        }
    }
}

/// The attributes with the namevars that the title gives, which come first.
fn with_title(
    kind: &Kind,
    title: &str,
    attributes: Vec<(String, Value)>,
) -> Result<Vec<(String, Value)>, Fault> {
    let mut all = kind.must_be_titled(title)?;
    for (name, value) in attributes {
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => all.push((name, value)),
        }
    }
    Ok(all)
}

/// Puppet calls the only namevar `name`, too.
fn parameter_name(kind: &Kind, name: &str) -> String {
    match (name, kind.namevars.as_slice()) {
        ("name", [one]) => one.clone(),
        (name, _) => name.to_lowercase(),
    }
}

/// The order in which Puppet sets attributes: namevars, properties, parameters, metaparameters,
/// whatever else there is.
fn order(kind: &Kind, given: &[(String, Value)]) -> Vec<String> {
    let attributes = &kind.definition.attributes;
    let of = |wanted: &dyn Fn(Behaviour) -> bool| -> Vec<String> {
        let own = attributes.iter().filter(|one| wanted(one.behaviour));
        own.map(|one| one.name.clone()).collect()
    };
    let mut names = of(&|one| one == Behaviour::Namevar);
    names.extend(properties_of(kind));
    names.extend(of(&|one| {
        matches!(one, Behaviour::Parameter | Behaviour::ReadOnly)
    }));
    names.extend(METAPARAMETERS.map(str::to_owned));
    for (name, _) in given {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// The resources that a text such as `File[/etc/motd]` names, or a list of such texts.
fn references(value: &Value) -> Result<Vec<Reference>, Fault> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let all = items.iter().map(|item| {
        Reference::read(&item.to_text()).ok_or_else(|| {
            let message = format!("{} is no reference to a resource", item.inspect());
            Raised::new("ArgumentError", message).into()
        })
    });
    all.collect()
}

fn members_of(value: &Value) -> Result<Vec<(String, Value)>, Fault> {
    let Some(pairs) = value.as_hash() else {
        return Err(no_method("[]", value));
    };
    let members = pairs.iter();
    Ok(members
        .map(|(key, value)| (key.to_text(), value.clone()))
        .collect())
}

fn metaparameter(resource: &mut Resource, name: &str, value: &Value) -> Result<(), Fault> {
    let words = || -> Vec<String> {
        match value {
            Value::Array(items) => items.iter().map(Value::to_text).collect(),
            other => vec![other.to_text()],
        }
    };
    match name {
        "noop" => match value.to_text().as_str() {
            "true" => resource.noop = Some(true),
            "false" => resource.noop = Some(false),
            _ => return Err(invalid(value, "true, false")),
        },
        "loglevel" => match Severity::of(&value.to_text()) {
            Some(level) => resource.loglevel = level,
            None => {
                let valid = "debug, info, notice, warning, err, alert, emerg, crit, verbose";
                return Err(invalid(value, valid));
            }
        },
        "alias" => resource.aliases = words(),
        "tag" => resource.tags.extend(words()),
        "audit" => {
            let properties = properties_of(&resource.kind);
            let listed = match value.to_text() == "all" {
                true => properties.clone(),
                false => words(),
            };
            for one in listed {
                let is_known = resource.kind.definition.attribute(&one).is_some()
                    || properties.contains(&one)
                    || METAPARAMETERS.contains(&&*one);
                if !is_known {
                    let message = format!(
                        "Cannot audit {one}: not a valid attribute for {}",
                        resource.reference()
                    );
                    return Err(Raised::puppet(message).into());
                }
                // Puppet sets it to nothing, so that it gets no default either.
                if properties.contains(&one) && resource.parameter(&one).is_none() {
                    resource.parameters.push((one.clone(), Value::Undef));
                }
                resource.audited.push(one);
            }
        }
        _ => {
            let message = format!("{}: the metaparameter {name}", resource.reference());
            return Err(Fault::Unsupported(message));
        }
    }
    Ok(())
}

fn invalid(value: &Value, valid: &str) -> Fault {
    let message = format!(
        "Invalid value {}. Valid values are {valid}.",
        value.inspect()
    );
    Raised::puppet(message).into()
}
