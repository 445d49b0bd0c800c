//! Converts the syntax tree to the form that is evaluated.

use super::{Attribute, Blocks, Body, Bundle, Guard, Promise, Section};
use crate::removed;
use crate::scan;
use crate::value::{Call, Text, Value};
use cfengine_policy::Sources;
use cfengine_policy::order::asks_top_down;
use cfengine_policy::tree;
use cfengine_protocol::release::Release;
use std::rc::Rc;

/// The blocks of a file.
pub(super) fn blocks(
    policy: &tree::Policy,
    path: &Text,
    sources: &Sources,
    release: &Release,
) -> Blocks {
    let reader = Reader {
        path,
        sources,
        release,
        top_down: policy.control("file").and_then(asks_top_down),
    };
    let is_lost = removed::lost(policy);
    let policy = &*removed::without(policy);
    let bodies = |bodies: &[tree::Body]| {
        bodies
            .iter()
            .map(|body| Rc::new(reader.body(body)))
            .collect()
    };
    Blocks {
        bundles: policy
            .bundles
            .iter()
            .map(|bundle| Rc::new(reader.bundle(bundle)))
            .collect(),
        lost: policy.bundles.iter().map(is_lost).collect(),
        bodies: bodies(&policy.bodies),
        promise_blocks: bodies(&policy.promise_blocks),
    }
}

struct Reader<'a> {
    path: &'a Text,
    sources: &'a Sources,
    release: &'a Release,
    top_down: Option<bool>,
}

impl Reader<'_> {
    fn bundle(&self, bundle: &tree::Bundle) -> Bundle {
        let placed: Vec<Rc<Section>> = bundle
            .sections
            .iter()
            .map(|section| {
                let kind = section.kind.text.clone();
                let promises = section.promises();
                let promises = promises
                    .map(|(guard, promise)| Rc::new(self.promise(&kind, guard, promise)))
                    .collect();
                Rc::new(Section { kind, promises })
            })
            .collect();
        let sections = bundle.by_kind().into_iter().map(|(kind, _)| {
            let of_kind = placed.iter().filter(|section| &*section.kind == kind);
            let promises = of_kind.flat_map(|section| section.promises.iter().cloned());
            Rc::new(Section {
                kind: kind.into(),
                promises: promises.collect(),
            })
        });
        let sections = sections.collect();
        Bundle {
            namespace: bundle.namespace.clone(),
            component: bundle.component.text.clone(),
            name: bundle.name.text.clone(),
            parameters: names(&bundle.parameters),
            sections,
            placed,
            top_down: self.top_down,
            path: self.path.clone(),
        }
    }

    fn promise(
        &self,
        kind: &Text,
        guard: Option<&tree::Guard>,
        promise: &tree::Promise,
    ) -> Promise {
        let mut attributes = Vec::with_capacity(promise.attributes.len());
        // A quoted guard becomes a condition.
        if let Some(guard) = guard.filter(|guard| guard.quoted) {
            attributes.push(Attribute {
                name: "ifvarclass".into(),
                value: Value::Scalar(guard.text.clone()),
                bare: false,
                guard: None,
                line: self.line(guard.span),
            });
        }
        for attribute in &promise.attributes {
            append(&mut attributes, self.attribute(attribute, None));
        }
        let promisee = promise.promisee.as_ref().map(value);
        let plain = !scan::may_refer(&promise.promiser.text)
            && promisee.as_ref().is_none_or(is_plain)
            && attributes.iter().all(|a| is_plain(&a.value) && !a.bare);
        Promise {
            kind: kind.clone(),
            promiser: promise.promiser.text.clone(),
            promisee,
            guard: guard.filter(|guard| !guard.quoted).map(Guard::read),
            attributes,
            line: promise.agent_line,
            plain,
        }
    }

    fn attribute(&self, attribute: &tree::Attribute, guard: Option<&tree::Guard>) -> Attribute {
        let value = container(&attribute.name.text, value(&attribute.value), self.release);
        Attribute {
            name: attribute.name.text.clone(),
            bare: matches!(attribute.value, tree::Rval::Symbol(_)) && value.scalar().is_some(),
            value,
            guard: guard.map(Guard::read),
            line: self.line(attribute.value.span()),
        }
    }

    fn body(&self, body: &tree::Body) -> Body {
        let attributes = body.attributes();
        Body {
            namespace: body.namespace.clone(),
            kind: body.kind.text.clone(),
            name: body.name.text.clone(),
            parameters: names(&body.parameters),
            attributes: attributes
                .map(|(guard, a)| self.attribute(a, guard))
                .collect(),
            path: self.path.clone(),
        }
    }

    fn line(&self, span: cfengine_policy::Span) -> u32 {
        self.sources.position(span).line as u32
    }
}

fn names(names: &[tree::Name]) -> Vec<Text> {
    names.iter().map(|name| name.text.clone()).collect()
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Scalar(text) => !scan::may_refer(text),
        Value::List(items) => items.iter().all(is_plain),
        Value::Call(_) => false,
        Value::Data(_) => true,
    }
}

/// Adds an attribute. A duplicate replaces the first one in its position. Conditions are joined
/// instead.
fn append(attributes: &mut Vec<Attribute>, mut new: Attribute) {
    let Some(old) = attributes.iter_mut().find(|a| a.name == new.name) else {
        return attributes.push(new);
    };
    if matches!(&*new.name, "if" | "ifvarclass") {
        new.value = join_conditions(&old.value, new.value);
    }
    *old = new;
}

fn join_conditions(old: &Value, new: Value) -> Value {
    match (old, new) {
        (Value::Scalar(old), Value::Scalar(new)) => Value::text(format!("({old}).({new})")),
        (old, new @ Value::Call(_)) => Value::Call(Rc::new(Call {
            name: "and".into(),
            arguments: vec![old.clone(), new],
        })),
        (_, new) => new,
    }
}

fn value(rval: &tree::Rval) -> Value {
    match rval {
        tree::Rval::String(text) | tree::Rval::Variable(text) => Value::Scalar(text.text.clone()),
        tree::Rval::Symbol(name) => Value::Scalar(name.text.clone()),
        tree::Rval::List(list) => Value::List(Rc::new(list.items.iter().map(value).collect())),
        tree::Rval::Call(call) => Value::Call(Rc::new(Call {
            name: call.name.text.clone(),
            arguments: call.arguments.iter().map(value).collect(),
        })),
    }
}

/// A string for a container is parsed as JSON or YAML; `@(x)` is copied.
fn container(name: &str, value: Value, release: &Release) -> Value {
    let Value::Scalar(text) = &value else {
        return value;
    };
    if !matches!(name, "data" | "template_data") {
        return value;
    }
    let (function, argument): (&str, Text) = if text.len() > 3 && text.starts_with(['@']) {
        match text.as_bytes()[1] {
            b'(' | b'{' if text.is_char_boundary(text.len() - 1) => {
                ("mergedata", text[2..text.len() - 1].into())
            }
            _ => ("parsejson", text.clone()),
        }
    } else if text.len() > 3 && text.starts_with("---") {
        ("parseyaml", text.clone())
    } else {
        ("parsejson", text.clone())
    };
    if function == "parsejson"
        && !text.contains("$(")
        && !text.contains("${")
        && let Ok((data, _)) = crate::data::parse(text, release)
        && data.is_container()
    {
        // A container that can't be copied is reported where it is used.
        return Value::data(data.clone().copied().unwrap_or(data));
    }
    Value::Call(Rc::new(Call {
        name: function.into(),
        arguments: vec![Value::Scalar(argument)],
    }))
}

impl Guard {
    fn read(guard: &tree::Guard) -> Self {
        Self {
            text: guard.text.clone(),
            expression: guard.expression.clone(),
        }
    }
}
