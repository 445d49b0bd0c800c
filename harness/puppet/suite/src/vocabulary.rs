//! The words of the Resource API.

use crate::keys::KEYS;
use puppet_protocol::phase;
use puppet_protocol::relation;
use puppet_protocol::rules::RULES;
use puppet_protocol::runtimes::RUNTIME_RULES;
use stickler_suite::{Pace, Vocabulary};

/// The vocabulary of the Resource API.
pub static VOCABULARY: Vocabulary = Vocabulary {
    dialect: "resource-api",
    schema: "stickler.resource-api.schema.json",
    subject: "provider",
    subjects: "Puppet modules",
    never: "nothing in the sessions could have broken them",
    not_understood: "no answer to `initialize`",
    unsent: "nothing had to be set",
    item: "resource",
    kind: "type",
    kind_key: "type",
    kinds_key: "types",
    identity_key: "title",
    label_key: "name",
    attributes_key: "attributes",
    outcomes: puppet_protocol::WORDS,
    phases: &[
        (phase::INITIALIZE, Pace::Quick),
        (phase::LOAD, Pace::Quick),
        (phase::OPEN, Pace::Quick),
        (phase::CANONICALIZE, Pace::Quick),
        (phase::GET, Pace::Work),
        (phase::INSYNC, Pace::Quick),
        (phase::GENERATE, Pace::Quick),
        (phase::SET, Pace::Work),
        (phase::CONNECT, Pace::Work),
        (phase::DEVICE, Pace::Work),
        (phase::VERIFY, Pace::Work),
        (phase::FACTS, Pace::Work),
        (phase::CLOSE, Pace::Quick),
    ],
    opening: Some(phase::INITIALIZE),
    validation: phase::GET,
    closing: phase::CLOSE,
    channel: true,
    awaited: &[],
    ignore: &[],
    answer_names: &[],
    typed: true,
    keys: KEYS,
    relations: &[relation::OWN, relation::WORDS],
    has_rule: |code| {
        RULES
            .iter()
            .chain(RUNTIME_RULES)
            .any(|rule| rule.code == code)
    },
};
