//! The words of mgmt resources.

use crate::keys::KEYS;
use mgmt_protocol::engines::ENGINE_RULES;
use mgmt_protocol::rules::RULES;
use mgmt_protocol::{phase, relation};
use stickler_suite::{Pace, Vocabulary};

/// The vocabulary of mgmt resources.
pub static VOCABULARY: Vocabulary = Vocabulary {
    dialect: "mgmt",
    schema: "stickler.mgmt.schema.json",
    subject: "package",
    subjects: "mgmt resources",
    never: "nothing in the sessions could have broken them",
    not_understood: "no answer to `initialize`",
    unsent: "nothing was applied, since `Validate` did not pass",
    item: "resource",
    kind: "kind",
    kind_key: "kind",
    kinds_key: "kinds",
    identity_key: "name",
    label_key: "label",
    attributes_key: "fields",
    outcomes: mgmt_protocol::WORDS,
    phases: &[
        (phase::INITIALIZE, Pace::Quick),
        (phase::DESCRIBE, Pace::Quick),
        (phase::NEW, Pace::Quick),
        (phase::SET, Pace::Quick),
        (phase::VALIDATE, Pace::Quick),
        (phase::INIT, Pace::Work),
        (phase::CHECKAPPLY, Pace::Work),
        (phase::WATCH, Pace::Work),
        (phase::AWAIT, Pace::Work),
        (phase::CANCEL, Pace::Work),
        (phase::CLEANUP, Pace::Work),
    ],
    opening: Some(phase::INITIALIZE),
    validation: phase::VALIDATE,
    closing: phase::CLEANUP,
    channel: true,
    awaited: &["started", "event", "ended"],
    ignore: &["/tmp/stickler/var", "/tmp/stickler/var/**"],
    answer_names: &[],
    typed: true,
    keys: KEYS,
    relations: &[relation::OWN],
    has_rule: |code| {
        RULES
            .iter()
            .chain(ENGINE_RULES)
            .any(|rule| rule.code == code)
    },
};
