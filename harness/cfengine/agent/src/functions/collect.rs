//! Arguments that are a list, an array or a container, given by name or literally.

use crate::context::{Agent, Reference};
use crate::data::{self, Broken, Data};
use crate::expand::NOWHERE;
use crate::log::Severity;
use crate::map::Map;
use crate::value::{Text, Value};

impl Agent {
    /// The namespace and the bundle in which unqualified names are looked up.
    pub(super) fn caller(&self) -> (Text, Text) {
        let promise = self.promise_frame().map(|frame| &frame.bundle);
        let bundle = promise.or_else(|| self.bundle());
        bundle.map_or_else(
            || ("default".into(), "".into()),
            |bundle| (bundle.namespace.clone(), bundle.name.clone()),
        )
    }

    /// Parses a variable's name, given plainly or as `@(name)`.
    fn name_as_given(&mut self, text: &str) -> Reference {
        // cf-agent drops the first two bytes and the last one, whatever they are.
        let inside = text.get(2..text.len().saturating_sub(1));
        let name = inside.filter(|inside| text.starts_with('@') && !inside.is_empty());
        self.reference(name.unwrap_or(text), NOWHERE)
    }

    /// Does the same as [`Agent::name_as_given`]; an unqualified name is one of the calling bundle.
    pub(super) fn name_of(&mut self, text: &str) -> Reference {
        let reference = self.name_as_given(text);
        self.of_caller(reference)
    }

    /// Qualifies an unqualified name with the calling bundle.
    pub(super) fn of_caller(&self, reference: Reference) -> Reference {
        if reference.scope.is_some() {
            return reference;
        }
        let (namespace, bundle) = self.caller();
        reference.moved(Some(&namespace), &bundle)
    }

    /// The value of an argument: the container that another function returned, JSON, or a variable.
    pub(super) fn collect(&mut self, name: &str, argument: &Value, scalars: bool) -> Option<Data> {
        let text = match argument {
            Value::Data(data) => return Some(Data::clone(data)),
            Value::Scalar(text) => text,
            other => return Some(other.to_data()),
        };
        // Text that is no container is a variable's name, without the part that parsed as JSON.
        let name_at = match self.parse_with_variables(text) {
            Ok((data, _)) if data.is_container() => return Some(data),
            Ok((_, length)) => length - 1,
            Err(broken) => broken.at,
        };
        let text = text.get(name_at..).unwrap_or_default();
        if self.uncalled && self.name_as_given(text).scope.is_none() {
            let message = format!(
                "Function '{name}' was not called from a promise; the unqualified variable reference {text} cannot be qualified automatically."
            );
            self.say(Severity::Warning, message);
            return None;
        }
        let reference = self.name_of(text);
        self.variable_or_remark(name, &reference, scalars)
    }

    /// Parses JSON in which bare words name variables.
    pub(super) fn parse_with_variables(&mut self, text: &str) -> Result<(Data, usize), Broken> {
        let release = self.release();
        let mut lookup = |rest: &str| match variable_length(rest) {
            0 => (0, None),
            length => {
                let reference = self.reference(&rest[..length], NOWHERE);
                let found = self.variable_or_remark("VarRefValueToJson", &reference, true);
                (length, found)
            }
        };
        data::parse_with(text, release, &mut lookup)
    }

    /// A variable as a container; reports if it is none.
    fn variable_or_remark(
        &mut self,
        name: &str,
        reference: &Reference,
        scalars: bool,
    ) -> Option<Data> {
        let found = self.variable_data(reference, scalars);
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

    /// A variable as a container; arrays become objects.
    pub(super) fn variable_data(&mut self, reference: &Reference, scalars: bool) -> Option<Data> {
        match self.find_value(reference) {
            Some((_, Value::Data(data))) => return Some(Data::clone(&data)),
            Some((_, list @ Value::List(_))) => return Some(list.to_data()),
            Some((_, Value::Scalar(text))) if scalars => return Some(Data::String(text)),
            _ => {}
        }
        let mut root = Map::default();
        let depth = reference.indices.len();
        let mut last = None;
        for (found, value) in self.parts(reference) {
            let mut path = &found.indices[depth..];
            match path.last() {
                Some(key) => last = Some(key.clone()),
                // A scalar of the array's own name replaces the element before it.
                None => path = last.as_slice(),
            }
            // Containers in an array are left out.
            if matches!(value, Value::Data(_)) {
                continue;
            }
            if let Some(warning) = insert(&mut root, path, &value) {
                self.say(Severity::Warning, warning);
            }
        }
        (!root.is_empty()).then_some(Data::Object(root))
    }

    /// The elements of an array, in cf-agent's order.
    pub(super) fn elements(&self, reference: &Reference) -> Vec<(Reference, Value)> {
        let mut parts = self.parts(reference);
        parts.retain(|(found, _)| found.indices.len() > reference.indices.len());
        parts
    }

    /// The elements of an array, and the variable that has the array's own name.
    fn parts(&self, reference: &Reference) -> Vec<(Reference, Value)> {
        let namespace = reference.namespace.as_deref().unwrap_or("default");
        let all = self
            .variables
            .in_order(Some(namespace), reference.scope.as_deref());
        all.into_iter()
            .filter(|(found, _)| {
                found.name == reference.name && found.indices.starts_with(&reference.indices)
            })
            .map(|(found, variable)| (found, variable.value.clone()))
            .collect()
    }

    /// Does the same as [`Agent::collect`], but accepts only a container.
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
        self.say(Severity::Error, message);
    }
}

/// Inserts an array's element at the path of its indices. Returns a warning if a text and an array
/// would have the same place.
fn insert(members: &mut Map<Text, Data>, path: &[Text], value: &Value) -> Option<String> {
    let (key, rest) = path.split_first()?;
    let Some(next) = rest.first() else {
        if let (Some(Data::Array(_) | Data::Object(_)), Some(text)) =
            (members.get(key), value.scalar())
        {
            return Some(format!(
                "Not replacing the container '{key}' with a non-container value '{text}'"
            ));
        }
        // A replaced member moves to the end.
        members.shift_remove(key);
        members.insert(key.clone(), value.to_data());
        return None;
    };
    let mut warning = None;
    let inner = members.get(key);
    if inner.is_some_and(|inner| !inner.is_container()) {
        warning = Some(format!(
            "Replacing a non-container JSON element '{key}' with a new empty container (for the '{next}' subkey)"
        ));
        members.shift_remove(key);
    }
    let inner = members
        .entry(key.clone())
        .or_insert_with(|| Data::Object(Map::default()));
    match inner {
        Data::Object(members) => insert(members, rest, value).or(warning),
        _ => warning,
    }
}

/// The length of the variable name at the start of a text. The name may contain dots and one index.
fn variable_length(text: &str) -> usize {
    let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
    let end = text.bytes().position(|b| !word(b)).unwrap_or(text.len());
    let Some(index) = text[end..].strip_prefix('[').filter(|_| end > 0) else {
        return end;
    };
    match index.find(['[', ']']) {
        Some(at) if at > 0 && index[at..].starts_with(']') => end + at + 2,
        _ => end,
    }
}

/// The texts of all children, without containers and `null`.
pub(super) fn primitives(data: &Data) -> Vec<Text> {
    let texts = data.children().filter(|child| **child != Data::Null);
    texts.filter_map(Data::primitive).collect()
}
