//! Arguments that are a list, an array or a container, by name or in place.

use crate::context::{Agent, Reference};
use crate::data::{self, Data};
use crate::log::Level;
use crate::scan;
use crate::value::{Text, Value};
use indexmap::IndexMap;

impl Agent {
    /// Namespace and bundle that a function's names are taken from.
    pub(super) fn caller(&self) -> (Text, Text) {
        let promise = self.promise_frame().map(|frame| &frame.bundle);
        let bundle = promise.or_else(|| self.bundle());
        bundle.map_or_else(
            || ("default".into(), "".into()),
            |bundle| (bundle.namespace.clone(), bundle.name.clone()),
        )
    }

    /// A variable's name, given plainly or as `@(name)`.
    pub(super) fn name_of(&self, text: &str) -> Reference {
        let name = scan::naked(text, b'@').unwrap_or(text);
        let reference = Reference::plain(name);
        if reference.scope.is_some() {
            return reference;
        }
        let (namespace, bundle) = self.caller();
        reference.moved(Some(&namespace), &bundle)
    }

    /// What an argument stands for: a container that another function gave,
    /// JSON, or a variable.
    pub(super) fn collect(&mut self, name: &str, argument: &Value, scalars: bool) -> Option<Data> {
        let text = match argument {
            Value::Data(data) => return Some(Data::clone(data)),
            Value::Scalar(text) => text,
            other => return Some(other.to_data()),
        };
        let mut lookup = |rest: &str| self.look_up_word(rest);
        if text.trim_start().starts_with(['{', '['])
            && let Ok((data, _)) = data::parse_with(text, &mut lookup)
        {
            return Some(data);
        }
        let reference = self.name_of(text);
        let found = self.variable_data(&reference, scalars);
        if found.is_none() {
            self.verbose(|| {
                format!(
                    "{name}: argument '{}' does not resolve to a container or a list or a CFEngine array",
                    reference.show()
                )
            });
        }
        found
    }

    /// A bare word in JSON that names a variable.
    fn look_up_word(&self, rest: &str) -> Option<(Data, usize)> {
        let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':');
        let end = rest.bytes().position(|b| !word(b)).unwrap_or(rest.len());
        let (name, length) = if rest.starts_with("@(") || rest.starts_with("@{") {
            let close = if rest.starts_with("@(") { ')' } else { '}' };
            let end = rest.find(close)?;
            (&rest[2..end], end + 1)
        } else {
            (&rest[..end], end)
        };
        if name.is_empty() {
            return None;
        }
        let found = self.variable_data(&self.name_of(name), true)?;
        (!matches!(&found, Data::Object(members) if members.is_empty())).then_some((found, length))
    }

    /// A variable as a container; arrays become objects.
    pub(super) fn variable_data(&self, reference: &Reference, scalars: bool) -> Option<Data> {
        match self.find_value(reference) {
            Some((_, Value::Data(data))) => return Some(Data::clone(&data)),
            Some((_, list @ Value::List(_))) => return Some(list.to_data()),
            Some((_, Value::Scalar(text))) if scalars => return Some(Data::String(text)),
            _ => {}
        }
        let mut root = IndexMap::new();
        let depth = reference.indices.len();
        for (found, variable) in self.elements(reference) {
            let path = &found.indices[depth..];
            insert(&mut root, path, variable.to_data());
        }
        (!root.is_empty()).then_some(Data::Object(root))
    }

    /// The elements of an array, in the agent's order.
    pub(super) fn elements(&self, reference: &Reference) -> Vec<(Reference, Value)> {
        let namespace = reference.namespace.as_deref().unwrap_or("default");
        let all = self
            .variables
            .in_order(Some(namespace), reference.scope.as_deref());
        all.into_iter()
            .filter(|(found, _)| {
                found.name == reference.name
                    && found.indices.len() > reference.indices.len()
                    && found.indices.starts_with(&reference.indices)
            })
            .map(|(found, variable)| (found, variable.value.clone()))
            .collect()
    }

    /// As [`Agent::collect`], where nothing but a container will do.
    pub(super) fn collect_container(&mut self, name: &str, argument: &Value) -> Option<Data> {
        let found = self.collect(name, argument, false)?;
        if found.is_container() {
            return Some(found);
        }
        self.verbose(|| {
            format!(
                "Function '{name}', argument '{}' was not a data container or list",
                argument.show(false)
            )
        });
        None
    }

    pub(super) fn complain(&mut self, message: impl AsRef<str>) {
        self.say(Level::Error, message);
    }
}

fn insert(members: &mut IndexMap<Text, Data>, path: &[Text], value: Data) {
    match path {
        [] => {}
        [key] => {
            members.insert(key.clone(), value);
        }
        [key, rest @ ..] => {
            let inner = members
                .entry(key.clone())
                .or_insert_with(|| Data::Object(IndexMap::new()));
            if !matches!(inner, Data::Object(_)) {
                *inner = Data::Object(IndexMap::new());
            }
            if let Data::Object(members) = inner {
                insert(members, rest, value);
            }
        }
    }
}

/// The texts of all children that are no containers and not `null`.
pub(super) fn primitives(data: &Data) -> Vec<Text> {
    let texts = data.children().filter(|child| **child != Data::Null);
    texts.filter_map(Data::primitive).collect()
}
