//! The bundles and promises of a policy in a component's order of evaluation.

use super::{Compat, Component};
use crate::diagnostic::Diagnostic;
use crate::syntax::syntax;
use crate::tree::{Bundle, Guard, Policy, Promise, Rval, Section};
use crate::variable;

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

/// Plans the evaluation of a policy. Bundles that others call (by `methods`, `edit_line`, …) are
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
            plan.bundle(bundle, component, compat);
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
        if component == Component::Monitor && compat == Compat::Deployed {
            for (kind, sections) in bundle.by_kind() {
                if syntax().is_built_in(kind) {
                    self.step(bundle, kind, promises_of(sections));
                }
            }
            return;
        }
        let order = component.order().iter().filter(|place| match compat {
            Compat::Deployed => place.deployed,
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
