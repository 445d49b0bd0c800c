//! Functions that look at variables, classes and bundles by their names.

use super::{Done, arg, class, list, string};
use crate::context::{Agent, Classes, Frame, Reference, Variable, set_order, show_class};
use crate::data::Data;
use crate::log::Severity;
use crate::map::Map;
use crate::value::{Text, Value};
use std::rc::Rc;

impl Agent {
    /// The visible classes: first the global ones, then the current bundle's in its own namespace.
    /// Each has its displayed name and its tags.
    fn visible_classes(&self) -> [Vec<(String, Rc<Vec<Text>>)>; 2] {
        let shown = |classes: &Classes, within: Option<&str>| {
            let classes = classes.in_order().into_iter();
            let classes =
                classes.filter(|(space, ..)| within.is_none_or(|within| within == *space));
            let shown =
                classes.map(|(space, name, class)| (show_class(space, name), class.tags.clone()));
            shown.collect()
        };
        let own = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Bundle(frame) => Some(shown(&frame.classes, Some(&frame.bundle.namespace))),
            _ => None,
        });
        [shown(&self.classes, None), own.unwrap_or_default()]
    }

    /// The tags of a class, from the innermost bundle or otherwise from the global classes.
    fn class_tags(&self, name: &str) -> Option<Rc<Vec<Text>>> {
        let (namespace, name) = name.split_once(':').unwrap_or(("default", name));
        let own = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Bundle(frame) => Some(frame.classes.get(namespace, name)),
            _ => None,
        });
        let found = own.flatten().or_else(|| self.classes.get(namespace, name));
        found.map(|class| class.tags.clone())
    }

    /// Whether a tag matches a pattern; without patterns, any tags match.
    fn tags_match(&mut self, tags: &[Text], patterns: &[Value]) -> bool {
        patterns.is_empty()
            || patterns
                .iter()
                .filter_map(Value::scalar)
                .any(|pattern| tags.iter().any(|tag| self.matches_anew(pattern, tag)))
    }
}

/// `classesmatching`, `classmatch`, `countclassesmatching`
pub(super) fn classes(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some((pattern, tags)) = arguments.split_first() else {
        return Ok(None);
    };
    let pattern = pattern.scalar().cloned().unwrap_or_else(|| "".into());
    let mut found = Vec::new();
    for classes in agent.visible_classes() {
        let mut matching = Vec::new();
        agent.compiles(&pattern);
        for (class, own) in classes {
            if agent.patterns.matches_fully(&pattern, &class) && agent.tags_match(&own, tags) {
                matching.push(class);
            }
        }
        found.extend(set_order(matching));
    }
    // cf-agent prepends each class.
    found.reverse();
    match name {
        "classmatch" => class(!found.is_empty()),
        "countclassesmatching" => string(found.len().to_string()),
        _ => list(found),
    }
}

/// `variablesmatching(pattern, tags…)`
pub(super) fn variables(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some((pattern, tags)) = arguments.split_first() else {
        return Ok(None);
    };
    let pattern = pattern.scalar().cloned().unwrap_or_else(|| "".into());
    let all: Vec<_> = agent
        .variables
        .in_order(None, None)
        .into_iter()
        .map(|(reference, variable)| (reference, variable.value.clone(), variable.tags.clone()))
        .collect();
    let mut found = Map::default();
    agent.compiles(&pattern);
    for (reference, value, own) in all {
        let shown = full_name(&reference);
        // A variable without tags matches any tag pattern.
        let fits = own.is_empty() || agent.tags_match(&own, tags);
        if fits && agent.patterns.matches_fully(&pattern, &shown) {
            found.insert(Text::from(shown), value.to_data());
        }
    }
    if name == "variablesmatching" {
        return list(found.into_keys().rev());
    }
    Ok(Some(Value::data(Data::Object(found))))
}

fn full_name(reference: &Reference) -> String {
    let mut shown = format!(
        "{}:{}.{}",
        reference.namespace.as_deref().unwrap_or("default"),
        reference.scope.as_deref().unwrap_or_default(),
        reference.name
    );
    for index in &reference.indices {
        shown.push_str(&format!("[{index}]"));
    }
    shown
}

/// `bundlesmatching(pattern, tags…)`: a bundle's tags are the variable `tags` of its `meta`
/// promises.
pub(super) fn bundles(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let Some((pattern, wanted)) = arguments.split_first() else {
        return Ok(None);
    };
    let pattern = pattern.scalar().cloned().unwrap_or_else(|| "".into());
    if !agent.compiles(&pattern) {
        return Ok(None);
    }
    let program = agent.program.clone();
    let mut found = Vec::new();
    for bundle in &program.bundles {
        let shown = format!("{}:{}", bundle.namespace, bundle.name);
        if !agent.patterns.matches_fully(&pattern, &shown) {
            continue;
        }
        let reference = Reference {
            namespace: Some(bundle.namespace.clone()),
            scope: Some(format!("{}_meta", bundle.name).into()),
            name: "tags".into(),
            indices: Vec::new(),
        };
        let tags = agent.variables.get(&reference);
        let tags = tags.map(|variable| (variable.kind, variable.value.clone()));
        let tags: Vec<Text> = match tags {
            Some((_, Value::List(items))) => {
                items.iter().filter_map(Value::scalar).cloned().collect()
            }
            Some((_, Value::Scalar(text))) => text.split(',').map(Text::from).collect(),
            Some((kind, _)) if !wanted.is_empty() => {
                agent.say(
                    Severity::Warning,
                    format!(
                        "Function '{name}' only matches tags defined as a scalar or a list.  \
                         Bundle '{shown}' had meta defined as '{}'",
                        kind.word()
                    ),
                );
                Vec::new()
            }
            _ => Vec::new(),
        };
        // cf-agent checks only the first tag pattern, repeatedly.
        let first = &wanted[..wanted.len().min(1)];
        if wanted.is_empty() || agent.tags_match(&tags, first) {
            // cf-agent prepends each bundle.
            found.insert(0, shown);
        }
    }
    list(found)
}

/// `bundlestate(bundle)`: the argument is the displayed name, without the default namespace.
pub(super) fn bundlestate(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let variables = agent.variables.in_order(None, None);
    let own = variables
        .into_iter()
        .filter(|(reference, _)| shown_scope(reference) == arg(arguments, 0));
    match scope_data(own) {
        Data::Object(members) if members.is_empty() => Ok(None),
        data => Ok(Some(Value::data(data))),
    }
}

/// `datastate()`
pub(super) fn datastate(agent: &mut Agent, _: &str, _: &[Value]) -> Done {
    Ok(Some(Value::data(state(agent))))
}

/// All classes and variables, in order.
pub(crate) fn state(agent: &Agent) -> Data {
    let mut classes = Map::default();
    for (class, _) in agent.visible_classes().into_iter().flatten() {
        classes.insert(Text::from(class), Data::Bool(true));
    }
    let mut scopes: Map<String, Vec<_>> = Map::default();
    for (reference, variable) in agent.variables.in_order(None, None) {
        let scope = scopes.entry(shown_scope(&reference)).or_default();
        scope.push((reference, variable));
    }
    let scopes = scopes.into_iter();
    let vars = scopes.map(|(scope, variables)| (scope.into(), scope_data(variables)));
    let members = [
        (Text::from("classes"), Data::Object(classes)),
        (Text::from("vars"), Data::Object(vars.collect())),
    ];
    let mut state = Data::Object(members.into_iter().collect());
    state.sort();
    state
}

fn shown_scope(reference: &Reference) -> String {
    let scope = reference.scope.as_deref().unwrap_or_default();
    match reference.namespace.as_deref() {
        None | Some("default") => scope.to_owned(),
        Some(namespace) => format!("{namespace}:{scope}"),
    }
}

fn scope_data<'a>(variables: impl IntoIterator<Item = (Reference, &'a Variable)>) -> Data {
    let mut out = Map::default();
    for (reference, variable) in variables {
        let mut name = reference.name.to_string();
        for index in &reference.indices {
            name.push_str(&format!("[{index}]"));
        }
        out.insert(Text::from(name), variable.value.to_data());
    }
    let mut data = Data::Object(out);
    data.sort();
    data
}

/// `getvariablemetatags(name, key)` and `getclassmetatags`
pub(super) fn metatags(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let wanted = arg(arguments, 0);
    let tags = if name == "getvariablemetatags" {
        let reference = agent.name_of(wanted);
        agent
            .variable_tags(&reference)
            .filter(|tags| !tags.is_empty())
    } else {
        agent.class_tags(wanted)
    };
    let Some(tags) = tags else {
        agent.verbose(|| format!("{name} found variable or class {wanted} without a tagset"));
        return Ok(None);
    };
    let mut tags: Vec<Text> = tags.to_vec();
    if arguments.len() > 1 {
        let prefix = format!("{}=", arg(arguments, 1));
        tags = tags
            .iter()
            .filter_map(|tag| tag.strip_prefix(&*prefix))
            .map(Text::from)
            .collect();
    }
    list(tags)
}

/// `callstack_promisers()`
pub(super) fn promisers(agent: &mut Agent, _: &str, _: &[Value]) -> Done {
    let promisers = agent.frames.iter().filter_map(|frame| match frame {
        Frame::Promise(frame) if &*frame.promise.kind == "methods" => Some(frame.written.clone()),
        _ => None,
    });
    let promisers: Vec<Text> = promisers.collect();
    list(promisers)
}
