//! Which sessions exercise the rules that judge each session alone.

use crate::relation::{
    BESIDE, CANCELLED, ENDED, FOLLOWED, GROUPED, KINDS as KIND, NOOP, ODD, POLLED, RECEIVED,
    REFRESHED, RESOURCES, REVERSED, SENT, UNREADY, VALUES, WATCHED,
};
use stickler_judge::Relation;

/// Sessions about kinds and their resources, in which nothing is applied.
pub(crate) const KINDS: &[Relation] = &[
    KIND, BESIDE, ENDED, GROUPED, RECEIVED, REFRESHED, RESOURCES, REVERSED, SENT, VALUES,
];

/// Sessions that apply resources.
pub(crate) const APPLIES: &[Relation] = &[
    Relation::USUAL,
    Relation::WARN,
    Relation::UNDONE,
    NOOP,
    BESIDE,
    ENDED,
    GROUPED,
    RECEIVED,
    REFRESHED,
    RESOURCES,
    REVERSED,
    SENT,
    VALUES,
    WATCHED,
    POLLED,
];

/// Sessions that apply resources, also with odd values.
pub(crate) const APPLIES_ODD: &[Relation] = &[
    Relation::USUAL,
    Relation::UNDONE,
    CANCELLED,
    ODD,
    BESIDE,
    ENDED,
    GROUPED,
    RECEIVED,
    REFRESHED,
    RESOURCES,
    REVERSED,
    SENT,
    VALUES,
    WATCHED,
    POLLED,
];

/// Sessions in which resources begin, also those that are not valid.
pub(crate) const BEGINS: &[Relation] = &[
    Relation::BARE,
    UNREADY,
    KIND,
    BESIDE,
    ENDED,
    GROUPED,
    RECEIVED,
    REFRESHED,
    RESOURCES,
    REVERSED,
    SENT,
    VALUES,
];

/// Sessions in which `Watch` runs.
pub(crate) const WATCHES: &[Relation] = &[Relation::UNDONE, FOLLOWED, WATCHED, POLLED];
