//! What a resource is, and what it shall be.

use crate::fault::{Fault, Raised};
use crate::kind::{Kind, Runtime};
use crate::log::Severity;
use crate::release::Reading;
use crate::resource::{Resource, alike};
use crate::row::{self, member};
use crate::strict::Strict;
use puppet_protocol::absent;
use puppet_types::Value;

impl Runtime<'_> {
    /// The state of a resource, which its provider is asked for once.
    ///
    /// # Errors
    /// What the provider raises, and what `strict` does not let pass.
    pub fn current(&mut self, resource: &mut Resource) -> Result<Value, Fault> {
        if let Some(current) = &resource.current {
            return Ok(current.clone());
        }
        let kind = resource.kind.clone();
        let name = resource.name();
        let reading = self.settings.release.api.reading;
        if reading == Reading::Once {
            // A resource by itself is of no run that has named it.
            self.want(&kind, name.clone());
            self.read_once(&kind)?;
            let kept = self.kept(&kind).get(&name);
            resource.is_found = kept.is_some();
            if let Some(row) = &kept {
                self.check_row(&kind, row)?;
                self.strict_check(resource, row)?;
            }
            let current = kept.unwrap_or_else(|| absent(&name, kind.definition.is_ensurable()));
            resource.current = Some(current.clone());
            return Ok(current);
        }
        if reading == Reading::ForUnknown
            && let Some(kept) = self.kept(&kind).get(&name)
        {
            self.strict_check(resource, &kept)?;
            resource.current = Some(kept.clone());
            return Ok(kept);
        }
        let rows = self.read_for(resource, &name)?;
        let mut own = None;
        for row in &rows {
            if resource.is_row(row)? {
                own = Some(row.clone());
                break;
            }
        }
        resource.is_found = own.is_some();
        let current = match own {
            Some(row) => {
                // Puppet looks no second time, even if the checks raise.
                resource.current = Some(row.clone());
                self.check_row(&kind, &row)?;
                self.strict_check(resource, &row)?;
                row
            }
            None => absent(&name, kind.definition.is_ensurable()),
        };
        if reading == Reading::ForUnknown {
            self.kept(&kind).keep(&name, current.clone());
        }
        resource.current = Some(current.clone());
        Ok(current)
    }

    /// The rows in which a resource is looked for.
    fn read_for(&mut self, resource: &Resource, name: &Value) -> Result<Vec<Value>, Fault> {
        let kind = resource.kind.clone();
        let names = Value::Array(vec![name.clone()]);
        if self.settings.release.api.reading != Reading::ForEach {
            return self.read_kept(&kind, names);
        }
        let own = kind.namevars.iter();
        let own = own.map(|name| Some((name.as_str(), resource.parameter(name)?.clone())));
        let find = own.collect::<Option<Vec<_>>>().map(Value::hash);
        self.get(&kind, kind.filter(names), find)
    }

    /// All rows of a provider.
    pub(crate) fn read_all(&mut self, kind: &Kind) -> Result<Vec<Value>, Fault> {
        let api = self.settings.release.api;
        let all = match api.all_is_an_empty_list {
            true => Value::Array(Vec::new()),
            false => Value::Undef,
        };
        if api.reading == Reading::ForEach {
            return self.get(kind, kind.filter(all), None);
        }
        if let Some(rows) = self.kept(kind).all() {
            return Ok(rows);
        }
        let rows = self.read_kept(kind, all)?;
        if kind.filter(Value::Undef).is_none() {
            self.kept(kind).is_all = true;
        }
        Ok(rows)
    }

    /// Reads rows by their names, or all for nil, and keeps them.
    fn read_kept(&mut self, kind: &Kind, names: Value) -> Result<Vec<Value>, Fault> {
        let rows = self.get(kind, kind.filter(names), None)?;
        for row in &rows {
            let name = row::name(&kind.namevars, row)?;
            self.kept(kind).keep(&name, row.clone());
        }
        Ok(rows)
    }

    /// The target in canonical form.
    ///
    /// # Errors
    /// What the provider raises.
    pub fn target(&mut self, resource: &mut Resource) -> Result<Value, Fault> {
        if let Some(target) = &resource.target {
            return Ok(target.clone());
        }
        let kind = resource.kind.clone();
        let own = resource.parameters.iter();
        let own = own.filter(|(name, _)| {
            kind.definition.attribute(name).is_some() && !kind.named_by_text.contains(name)
        });
        let mut target = Value::hash(own.map(|(name, value)| (name.as_str(), value.clone())));
        if kind.definition.has_feature("canonicalize") {
            target = self.canonicalize(&kind, &target)?;
        }
        resource.target = Some(target.clone());
        Ok(target)
    }

    /// Checks a row against the definition of its type.
    pub(crate) fn check_row(&mut self, kind: &Kind, row: &Value) -> Result<(), Fault> {
        for name in &kind.namevars {
            if member(row, name)?.is_nil() {
                let message = format!(
                    "`{}.get` did not return a value for the `{name}` namevar attribute",
                    kind.name
                );
                return Err(Raised::resource(message).into());
            }
        }
        let (unknown, wrong) = kind.definition.misfits(row, self.settings.trusting)?;
        if unknown.is_empty() && wrong.is_empty() {
            return Ok(());
        }
        let first = kind
            .namevars
            .first()
            .map_or(Ok(Value::Undef), |name| member(row, name))?;
        let mut message = format!(
            "Provider returned data that does not match the Type Schema for `{}[{}]`",
            kind.name,
            first.to_text()
        );
        for (title, lines) in [
            ("Unknown attribute", unknown),
            ("Value type mismatch", wrong),
        ] {
            if !lines.is_empty() {
                message.push_str(&format!("\n {title}:\n"));
                lines
                    .iter()
                    .for_each(|line| message.push_str(&format!("    * {line}\n")));
            }
        }
        match self.settings.strict {
            Strict::Off => self.log(Severity::Debug, None, message),
            Strict::Warning => self.warn_of_types(message),
            Strict::Error => return Err(Raised::developer(message).into()),
        }
        Ok(())
    }

    /// Checks that a row is canonical, and that its title fits its namevars.
    pub(crate) fn strict_check(&mut self, resource: &Resource, row: &Value) -> Result<(), Fault> {
        let kind = resource.kind.clone();
        let definition = &kind.definition;
        if self.settings.strict == Strict::Off {
            return Ok(());
        }
        if definition.has_feature("canonicalize") {
            let canonical = self.canonicalize(&kind, row)?;
            if canonical.is_truthy() && !alike(&canonical, row) {
                let message = format!(
                    "{}[{}]#get has not provided canonicalized values.\n\
                     Returned values:       {}\nCanonicalized values:  {}",
                    kind.name,
                    resource.title.to_text(),
                    row.inspect(),
                    canonical.inspect()
                );
                self.strictly(message)?;
            }
        }
        let has_patterns = definition
            .title_patterns
            .as_ref()
            .is_some_and(|patterns| !patterns.is_empty());
        if kind.namevars.len() > 1 && has_patterns {
            self.check_title(resource, row)?;
        }
        Ok(())
    }

    fn check_title(&mut self, resource: &Resource, row: &Value) -> Result<(), Fault> {
        let kind = resource.kind.clone();
        let has_title = row.as_hash().is_some_and(|pairs| {
            pairs
                .iter()
                .any(|(key, _)| key.as_symbol() == Some("title"))
        });
        let own = format!("{}[{}]", kind.name, resource.title.to_text());
        if !has_title {
            let message = format!("{own}#get has not provided a title attribute.");
            return self.strictly(message);
        }
        let title = member(row, "title")?;
        let text = match &title {
            Value::String(text) => Some(text.as_str()),
            Value::Symbol(name) => Some(name.as_str()),
            Value::Undef => None,
            other => {
                let message = format!("no implicit conversion of {} into String", other.class());
                return Err(Raised::new("TypeError", message).into());
            }
        };
        let parsed = text.map(|text| kind.titled(text)).transpose()?.flatten();
        let parsed = parsed.unwrap_or_default();
        let parsed = Value::hash(
            parsed
                .iter()
                .map(|(name, text)| (name.as_str(), text.clone())),
        );
        let expected = resource.name();
        if alike(&parsed, &expected) {
            return Ok(());
        }
        let differ = kind.namevars.iter().filter(|name| {
            let of = |hash: &Value| hash.get(name).cloned().unwrap_or(Value::Undef);
            !alike(&of(&parsed), &of(&expected))
        });
        let differ = Value::Array(differ.map(|name| Value::symbol(name.as_str())).collect());
        let message = format!(
            "{own}#get has provided a title attribute which does not match all namevars.\n\
             Namevars which do not match: {}\nReturned parsed title hash:  {}\n\
             Expected hash:               {}",
            differ.inspect(),
            parsed.inspect(),
            expected.inspect()
        );
        self.strictly(message)
    }

    /// A warning or an error, as `strict` says.
    fn strictly(&mut self, message: String) -> Result<(), Fault> {
        match self.settings.strict {
            Strict::Off => {}
            Strict::Warning => self.log(Severity::Warning, None, message),
            Strict::Error => return Err(Raised::developer(message).into()),
        }
        Ok(())
    }
}

/// What Puppet's core makes of a state: `ensure` is a symbol, and the title gives namevars.
pub(crate) fn core_state(resource: &Resource, current: &Value) -> Result<Value, Fault> {
    let kind = &resource.kind;
    let named = kind.must_be_titled(&resource.title.to_text())?.into_iter();
    let mut members: Vec<(Value, Value)> = named
        .map(|(name, text)| (Value::symbol(name), text))
        .collect();
    merge(&mut members, core_members(kind, current));
    Ok(Value::Hash(members))
}

/// The members of a state as Puppet's core sees them.
pub(crate) fn core_members(kind: &Kind, current: &Value) -> Vec<(Value, Value)> {
    let mut members = Vec::new();
    for (key, value) in current.as_hash().unwrap_or_default() {
        let key = match key.to_text().to_lowercase().as_str() {
            "name" if kind.namevars.len() == 1 => Value::symbol(kind.namevars[0].as_str()),
            name => Value::symbol(name),
        };
        let value = match value {
            Value::String(text)
                if key.as_symbol() == Some("ensure") && kind.definition.is_ensurable() =>
            {
                Value::symbol(text.as_str())
            }
            other => other.clone(),
        };
        merge(&mut members, vec![(key, value)]);
    }
    members
}

/// Puts members into others, as Ruby's `merge` does: those that are there keep their place.
pub(crate) fn merge(members: &mut Vec<(Value, Value)>, more: Vec<(Value, Value)>) {
    for (key, value) in more {
        match members.iter_mut().find(|(known, _)| *known == key) {
            Some(known) => known.1 = value,
            None => members.push((key, value)),
        }
    }
}
