//! Bodies and promise blocks.

use super::findings::Findings;
use super::promise;
use crate::syntax::{self, Attributes, Constraint, Type, syntax};
use crate::tree::{Attribute, Body};

pub(super) fn body(body: &Body, found: &mut Findings<'_>) {
    if syntax().is_removed_body(&body.kind.text) {
        return;
    }
    let control = &*body.name.text == "control";
    if let Some(first) = body.parameters.first().filter(|_| control) {
        found.add(first.span, "control bodies have no parameters");
    }
    for (guard, attribute) in body.attributes() {
        if let Some(guard) = guard.filter(|guard| guard.quoted) {
            found.add(guard.span, "bodies have no guards in quotes");
        }
        let known = syntax().body(&body.kind.text);
        let known = known.filter(|_| syntax::has_body(&body.kind.text, found.release));
        if let Some(known) = known {
            attribute_of(body, known, attribute, found);
        }
        like_a_promise(attribute, found);
    }
    pairs(body, found);
}

fn attribute_of(body: &Body, known: &Attributes, attribute: &Attribute, found: &mut Findings<'_>) {
    let name = &attribute.name;
    let own = known.get(&*name.text);
    let own = own.filter(|_| syntax::has_setting(&name.text, found.release));
    let Some(own) = own else {
        let message = format!(
            "bodies of the kind `{}` have no such attribute",
            body.kind.text
        );
        found.add(name.span, message);
        return;
    };
    if own.kind == Type::Removed {
        return;
    }
    let control = syntax().control(&body.kind.text);
    let named_control = &*body.name.text == "control";
    // For a control body with another name, cf-agent searches all bodies for the attribute.
    let judge = match control {
        Some(known) if named_control => known.get(&*name.text),
        Some(_) => syntax().body_attribute(&name.text),
        None => Some(own),
    };
    let Some(judge) = judge else {
        found.add(
            name.span,
            "only a body by the name `control` has such an attribute",
        );
        return;
    };
    let bundle_of_control = judge.kind == Type::Bundle && control.is_some() && named_control;
    if judge.kind != Type::Body && !bundle_of_control {
        check(judge, attribute, found);
    }
    promise::condition(attribute, found);
}

fn check(judge: &Constraint, attribute: &Attribute, found: &mut Findings<'_>) {
    if let Err(mismatch) = judge.check(&attribute.name.text, &attribute.value) {
        found.add(attribute.value.span(), mismatch.to_string());
    }
}

/// In any body, attributes with the names of attributes of `classes` promises, or of all promises,
/// are checked like these.
fn like_a_promise(attribute: &Attribute, found: &mut Findings<'_>) {
    let name = &*attribute.name.text;
    let classes = syntax().promise_type("common", "classes");
    let judges = [
        classes.and_then(|classes| classes.attributes.get(name)),
        syntax()
            .common(name)
            .filter(|common| common.kind != Type::Body),
    ];
    for judge in judges.into_iter().flatten() {
        let known = found
            .all
            .iter()
            .any(|one| one.span == attribute.value.span());
        if !known {
            check(judge, attribute, found);
        }
    }
}

/// Attributes that require or exclude each other.
fn pairs(body: &Body, found: &mut Findings<'_>) {
    let find = |name: &str| {
        let mut all = body.attributes().map(|(_, attribute)| attribute);
        all.find(|attribute| &*attribute.name.text == name)
    };
    match &*body.kind.text {
        "action" => {
            let log = ["log_kept", "log_repaired", "log_failed"];
            let log = log.into_iter().find_map(find);
            if let (Some(log), None) = (log, find("log_string")) {
                let message = format!("`{}` needs a `log_string` beside it", log.name.text);
                found.add(log.name.span, message);
            }
        }
        "acl" => {
            for (old, new) in [
                ("acl_directory_inherit", "acl_default"),
                ("specify_inherit_aces", "specify_default_aces"),
            ] {
                if let (Some(old), Some(_)) = (find(old), find(new)) {
                    let message = format!("`{}` can't stand beside `{new}`", old.name.text);
                    found.add(old.name.span, message);
                }
            }
        }
        _ => {}
    }
}

/// `promise agent NAME { path => …; interpreter => …; }`
pub(super) fn promise_block(block: &Body, found: &mut Findings<'_>) {
    if &*block.kind.text != "agent" {
        found.add(
            block.kind.span,
            "expected `agent`: no other component has custom promises",
        );
    }
    if syntax().is_built_in(&block.name.text) {
        let message = format!(
            "the agent has promises of the type `{}` itself",
            block.name.text
        );
        found.add(block.name.span, message);
    }
    for (guard, attribute) in block.attributes() {
        if let Some(guard) = guard.filter(|guard| guard.quoted) {
            found.add(guard.span, "promise blocks have no guards in quotes");
        }
        let value = &attribute.value;
        match &*attribute.name.text {
            "path" | "interpreter" => {
                let any = Constraint {
                    kind: Type::String,
                    range: crate::syntax::Range::Any,
                    written: "",
                };
                check(&any, attribute, found);
            }
            "meta" => {
                if let Some(meta) = syntax().common("meta") {
                    check(meta, attribute, found);
                }
            }
            "inherit_from" if matches!(value, crate::tree::Rval::List(_)) => {
                found.add(value.span(), "expected the name of a body, found a list");
            }
            "inherit_from" => {}
            _ => found.add(
                attribute.name.span,
                "expected `path` or `interpreter`: promise blocks have no other attributes",
            ),
        }
    }
}
