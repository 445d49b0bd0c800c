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
//! - Judged: the tags of all public fields. If there are tags `yaml`, these are unique, too.
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

use crate::phase;
use crate::reads::KINDS;
use crate::session::Session;
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(KINDS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::DESCRIBE) {
        let Some(kind) = call.param("kind").and_then(|kind| session.kinds.get(kind)) else {
            continue;
        };
        let has_lang = kind.fields.iter().any(|field| field.lang.is_some());
        let mut broken = Vec::new();
        for tags in ["lang", "yaml"] {
            let mut known: BTreeMap<&str, &str> = BTreeMap::new();
            for field in &kind.fields {
                let tag = if tags == "lang" {
                    &field.lang
                } else {
                    &field.yaml
                };
                let name = &field.name;
                match tag.as_deref() {
                    Some("-") => {}
                    None | Some("") => {
                        if (tags == "lang") == has_lang && field.yaml.as_deref() != Some("-") {
                            broken.push(format!("the field `{name}` has no tag `{tags}`"));
                        }
                    }
                    Some(tag) => {
                        if tag.chars().any(char::is_uppercase) {
                            broken.push(format!(
                                "the tag `{tags}:\"{tag}\"` of `{name}` is not lower-case"
                            ));
                        }
                        if let Some(other) = known.insert(tag, name) {
                            broken.push(format!(
                                "`{other}` and `{name}` both have the tag `{tags}:\"{tag}\"`"
                            ));
                        }
                    }
                }
            }
        }
        match broken.is_empty() {
            true => ledger.pass(call.number),
            false => {
                for message in broken {
                    let finding = ledger
                        .finding(call.number, message.clone())
                        .grouped(message);
                    ledger.report(finding.graded(call.provenance));
                }
            }
        }
    }
}
