//! # Each public parameter has a tag of its own
//!
//! ## What it requires
//! Each public field has a tag `lang` (or `yaml`, where no field has `lang`) in lower case, and no
//! two fields have the same one.
//!
//! ## Why
//! Frontends find parameters by their tags. A field without one cannot be set, and one of two with
//! the same tag is never set.
//!
//! ## How it is judged
//! - Judged: the tags of all public fields. If there are tags `yaml`, these are unique, too. Members of structs in
//!   fields have different tags, too.
//! - Lowered to should: what leaves each parameter within reach, such as a tag with capitals.
//! - Not judged: fields of the traits; fields with the tag `-`.
//!
//! ## Example
//! Two fields have the tag `lang:"path"`.
//!
//! ## How to fix
//! Give each parameter a tag, and make fields private that are none.
//!
//! ## Source
//! mgmt resource guide, "Resource struct".

use crate::described::{Described, Field, Shape};
use crate::phase;
use crate::reads::KINDS;
use crate::session::Session;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger, Level};

pub(super) const CHECKS: super::Checks = &[Check::Session(KINDS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::DESCRIBE) {
        let Some(kind) = call.param("kind").and_then(|kind| session.kinds.get(kind)) else {
            continue;
        };
        let broken = broken(kind);
        if broken.is_empty() {
            ledger.pass(call.number);
        }
        for (level, message) in broken {
            let finding = ledger
                .finding(call.number, message.clone())
                .grouped(message);
            ledger.report(finding.graded(call.provenance).at_most(level));
        }
    }
}

/// What is wrong with the tags of a kind.
fn broken(kind: &Described) -> Vec<(Level, String)> {
    let has_lang = kind.fields.iter().any(|field| field.lang.is_some());
    let mut broken = twice(&kind.fields, "");
    for field in &kind.fields {
        let name = &field.name;
        for (tags, tag) in tags(field) {
            match tag {
                Some("-") => {}
                None | Some("") => {
                    if (tags == "lang") == has_lang && field.yaml.as_deref() != Some("-") {
                        let what = format!("the field `{name}` has no tag `{tags}`");
                        broken.push((Level::Should, what));
                    }
                }
                Some(tag) if tag.chars().any(char::is_uppercase) => {
                    let what = format!("the tag `{tags}:\"{tag}\"` of `{name}` is not lower-case");
                    broken.push((Level::Should, what));
                }
                Some(_) => {}
            }
        }
    }
    let mut known = Vec::new();
    for field in &kind.fields {
        within(&field.shape, &mut known, &mut broken);
    }
    broken
}

fn tags(field: &Field) -> [(&'static str, Option<&str>); 2] {
    [
        ("lang", field.lang.as_deref()),
        ("yaml", field.yaml.as_deref()),
    ]
}

/// The fields of a struct that have the tag of another one.
fn twice(fields: &[Field], of: &str) -> Vec<(Level, String)> {
    let mut broken = Vec::new();
    let has_lang = fields.iter().any(|field| field.lang.is_some());
    for (at, tags_of) in ["lang", "yaml"].into_iter().enumerate() {
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        for field in fields {
            let (_, tag) = tags(field)[at];
            let Some(tag) = tag.filter(|tag| !tag.is_empty() && *tag != "-") else {
                continue;
            };
            let Some(other) = known.get(tag) else {
                known.insert(tag, &field.name);
                continue;
            };
            let name = &field.name;
            let what =
                format!("`{other}` and `{name}`{of} both have the tag `{tags_of}:\"{tag}\"`");
            // Where the language has tags, those of YAML are a second way.
            let is_lost = (tags_of == "lang") == has_lang;
            broken.push(match is_lost {
                true => (Level::Must, format!("{what}: nothing sets `{name}`")),
                false => (Level::Should, what),
            });
        }
    }
    broken
}

/// The same of the structs in a type.
fn within<'s>(shape: &'s Shape, known: &mut Vec<&'s str>, broken: &mut Vec<(Level, String)>) {
    if let Some(elem) = &shape.elem {
        within(elem, known, broken);
    }
    let Some(members) = &shape.members else {
        return;
    };
    if known.contains(&&*shape.type_name) {
        return;
    }
    known.push(&shape.type_name);
    broken.extend(twice(members, &format!(" of `{}`", shape.type_name)));
    for member in members {
        within(&member.shape, known, broken);
    }
}
