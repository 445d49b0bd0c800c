//! The bundles and promises of a policy in a component's order of evaluation.

use super::Component;
use crate::diagnostic::Diagnostic;
use crate::syntax::syntax;
use crate::tree::{Body, Bundle, Guard, Policy, Promise, Rval, Section};
use crate::variable;
use cfengine_protocol::release::Compat;

/// The promises of one type in one bundle.
#[derive(Debug)]
pub struct Step<'a> {
    /// The bundle.
    pub bundle: &'a Bundle,
    /// The promise type.
    pub kind: &'a str,
    /// Whether it is a custom type, which is evaluated after the built-in ones.
    pub custom: bool,
    /// Its promises in order, each with its guard.
    pub promises: Vec<(Option<&'a Guard>, &'a Promise)>,
}

/// All steps of a component, and what is unknown.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    /// The steps of one pass, common bundles first.
    pub steps: Vec<Step<'a>>,
    /// Bundles of the bundlesequence that do not exist, or whose names are only known during
    /// evaluation.
    pub notes: Vec<Diagnostic>,
}

/// Plans the evaluation of a policy: in normal order, or from top to bottom where it asks for that. Bundles that others call (by `methods`, `edit_line`, …) are
/// evaluated where they are called. The agent's plan leaves them out.
pub fn plan(policy: &Policy, component: Component, compat: Compat) -> Plan<'_> {
    let mut plan = Plan::default();
    if component != Component::EditLine {
        let common = component.common_order(compat);
        for bundle in of_kind(policy, "common") {
            plan.built_in(bundle, common.iter().copied());
        }
    }
    if component == Component::Agent {
        for bundle in sequence(policy, &mut plan.notes) {
            if is_top_down(policy, bundle, compat) {
                plan.in_place(bundle);
            } else {
                plan.bundle(bundle, component, compat);
            }
        }
    } else {
        for bundle in of_kind(policy, component.name()) {
            plan.bundle(bundle, component, compat);
        }
    }
    plan
}

fn of_kind<'a>(policy: &'a Policy, kind: &'a str) -> impl Iterator<Item = &'a Bundle> {
    let bundles = policy.bundles.iter();
    bundles.filter(move |bundle| &*bundle.component.text == kind)
}

impl<'a> Plan<'a> {
    fn bundle(&mut self, bundle: &'a Bundle, component: Component, compat: Compat) {
        if component == Component::Monitor && compat != Compat::Specification {
            for (kind, sections) in bundle.by_kind() {
                if syntax().is_built_in(kind) {
                    self.step(bundle, kind, promises_of(sections));
                }
            }
            return;
        }
        let order = component.order().iter().filter(|place| match compat {
            Compat::Deployed(_) => place.deployed,
            Compat::Specification => place.specified,
        });
        self.built_in(bundle, order.map(|place| place.kind));
        // No other component has custom promise types.
        if component == Component::Agent {
            for (kind, sections) in bundle.by_kind() {
                if !syntax().is_built_in(kind) {
                    self.step(bundle, kind, promises_of(sections));
                }
            }
        }
    }

    /// From top to bottom.
    fn in_place(&mut self, bundle: &'a Bundle) {
        for section in &bundle.sections {
            self.step(bundle, &section.kind.text, section.promises().collect());
        }
    }

    fn built_in(&mut self, bundle: &'a Bundle, kinds: impl Iterator<Item = &'a str>) {
        for kind in kinds {
            self.step(bundle, kind, bundle.promises(kind).collect());
        }
    }

    fn step(&mut self, bundle: &'a Bundle, kind: &'a str, promises: Promises<'a>) {
        if !promises.is_empty() {
            self.steps.push(Step {
                bundle,
                kind,
                custom: !syntax().is_built_in(kind),
                promises,
            });
        }
    }
}

/// The value of `evaluation_order` for an evaluation from top to bottom.
pub const TOP_DOWN: &str = "top_down";

/// Whether a control body asks for an evaluation from top to bottom; `None` if it says nothing about the order.
pub fn asks_top_down(body: &Body) -> Option<bool> {
    let mut attributes = body.attributes();
    let (_, order) = attributes.find(|(_, one)| &*one.name.text == "evaluation_order")?;
    Some(&**order.value.scalar()? == TOP_DOWN)
}

/// Are the promises of a bundle evaluated from top to bottom? The bundle's own file decides, then the agent's control
/// body, then the common one.
fn is_top_down(policy: &Policy, bundle: &Bundle, compat: Compat) -> bool {
    if !compat.release().has_evaluation_order {
        return false;
    }
    let mut bodies = policy.bodies.iter();
    let own = bodies.find(|body| {
        let is_control = &*body.kind.text == "file" && &*body.name.text == "control";
        is_control && body.span.file == bundle.name.span.file
    });
    let control = |component: &str| policy.control(component).and_then(asks_top_down);
    own.and_then(asks_top_down)
        .or_else(|| control("agent"))
        .or_else(|| control("common"))
        .unwrap_or(false)
}

/// Promises, each with its guard.
type Promises<'a> = Vec<(Option<&'a Guard>, &'a Promise)>;

fn promises_of(sections: Vec<&Section>) -> Promises<'_> {
    sections.into_iter().flat_map(Section::promises).collect()
}

/// The bundles of the bundlesequence; `main` if there is none.
fn sequence<'a>(policy: &'a Policy, notes: &mut Vec<Diagnostic>) -> Vec<&'a Bundle> {
    let control = policy.control("common");
    let given = control.and_then(|control| {
        let mut all = control.attributes();
        all.find(|(_, attribute)| &*attribute.name.text == "bundlesequence")
    });
    let Some((_, Rval::List(list))) = given.map(|(guard, given)| (guard, &given.value)) else {
        return find(policy, "main").into_iter().collect();
    };
    let mut bundles = Vec::new();
    for item in &list.items {
        let name = match item {
            Rval::Call(call) => &call.name.text,
            other => match other.scalar() {
                Some(text) => text,
                None => continue,
            },
        };
        match find(policy, name) {
            Some(bundle) => bundles.push(bundle),
            None => {
                let message = if variable::holds(name) == Some(true) {
                    "which bundle this is, is known when the policy is evaluated".to_owned()
                } else {
                    format!("there is no bundle `{name}`")
                };
                notes.push(Diagnostic::new(item.span(), message));
            }
        }
    }
    bundles
}

fn find<'a>(policy: &'a Policy, name: &str) -> Option<&'a Bundle> {
    let (namespace, name) = match name.split_once(':') {
        Some((namespace, name)) => (namespace, name),
        None => ("default", name),
    };
    policy.bundles.iter().find(|bundle| {
        matches!(&*bundle.component.text, "agent" | "common")
            && &*bundle.namespace == namespace
            && &*bundle.name.text == name
    })
}
