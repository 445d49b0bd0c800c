//! Which sessions exercise the rules that judge each session alone.

use crate::relation::{
    BESIDE, CANCELLED, ENDED, FOLLOWED, GROUPED, KINDS as KIND, ODD, POLLED, RECEIVED, REFRESHED,
    RESOURCES, REVERSED, SENT, SPOILT, UNREADY, VALUES, WATCHED,
};
use stickler_judge::Relation;

/// Sessions about kinds by themselves.
pub(crate) const KINDS: &[Relation] = &[KIND];

/// Sessions that validate resources.
pub(crate) const VALIDATES: &[Relation] = &[
    KIND,
    RESOURCES,
    VALUES,
    ODD,
    Relation::INVALID,
    Relation::USUAL,
];

/// Sessions that compare resources.
pub(crate) const COMPARES: &[Relation] = &[KIND, RESOURCES, VALUES];

/// Sessions in which resources begin, also those that are not valid.
pub(crate) const BEGINS: &[Relation] = &[KIND, RESOURCES, UNREADY, Relation::USUAL];

/// Sessions that apply resources.
pub(crate) const APPLIES: &[Relation] = &[
    Relation::USUAL,
    Relation::WARN,
    Relation::UNDONE,
    Relation::IDLE,
    Relation::DISTURBED,
    Relation::DRIFT,
    Relation::IN_THE_WAY,
    Relation::PLACES,
    Relation::UNENDED,
    BESIDE,
    ENDED,
    GROUPED,
    POLLED,
    RECEIVED,
    REFRESHED,
    REVERSED,
    SENT,
    SPOILT,
    WATCHED,
];

/// Sessions that apply resources, also with odd values, or where the world refuses what they need.
pub(crate) const APPLIES_ODD: &[Relation] = &[
    Relation::USUAL,
    Relation::UNDONE,
    Relation::COMMANDS,
    Relation::DISTURBED,
    Relation::DRIFT,
    Relation::IDLE,
    Relation::IN_THE_WAY,
    Relation::PLACES,
    Relation::PROTECT,
    Relation::UNENDED,
    BESIDE,
    CANCELLED,
    ENDED,
    GROUPED,
    ODD,
    POLLED,
    RECEIVED,
    REFRESHED,
    REVERSED,
    SENT,
    SPOILT,
    WATCHED,
];

/// Sessions in which `Watch` runs.
pub(crate) const WATCHES: &[Relation] = &[WATCHED, FOLLOWED, POLLED];
