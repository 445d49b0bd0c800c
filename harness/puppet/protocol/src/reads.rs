//! Which sessions exercise the rules that judge each session alone.

use stickler_judge::Relation;

/// Sessions in which definitions are loaded: each is.
pub(crate) const DEFINITIONS: &[Relation] = &[Relation::Header];

/// Sessions that read the state.
pub(crate) const READS: &[Relation] = &[
    Relation::Header,
    Relation::Attributes,
    Relation::Drift,
    Relation::Keys,
    Relation::Order,
];

/// The same, and those whose commands write more than usual.
pub(crate) const NOISY: &[Relation] = &[
    Relation::Header,
    Relation::Attributes,
    Relation::Commands,
    Relation::Drift,
    Relation::Keys,
    Relation::Order,
];

/// The same, and those in other environments.
pub(crate) const ELSEWHERE: &[Relation] = &[
    Relation::Header,
    Relation::Attributes,
    Relation::Drift,
    Relation::Environment,
    Relation::Keys,
    Relation::Order,
];

/// Sessions that read the state, also where the provider's file has no newline at its end.
pub(crate) const UNENDED: &[Relation] = &[
    Relation::Header,
    Relation::Attributes,
    Relation::Drift,
    Relation::InTheWay,
    Relation::Keys,
    Relation::Order,
];
