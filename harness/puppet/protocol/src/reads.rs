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
