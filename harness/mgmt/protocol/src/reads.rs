//! Which sessions exercise the rules that judge each session alone.

use stickler_judge::Relation;

/// Sessions about kinds and their resources, in which nothing is applied.
pub(crate) const KINDS: &[Relation] = &[Relation::Header, Relation::Attributes];

/// Sessions that apply resources.
pub(crate) const APPLIES: &[Relation] = &[
    Relation::Usual,
    Relation::Attributes,
    Relation::Warn,
    Relation::Undone,
];

/// Sessions that apply resources, also with odd values.
pub(crate) const APPLIES_ODD: &[Relation] = &[
    Relation::Usual,
    Relation::Attributes,
    Relation::Fields,
    Relation::Ends,
    Relation::Undone,
];

/// Sessions in which resources begin, also those that are not valid.
pub(crate) const BEGINS: &[Relation] = &[Relation::Header, Relation::Attributes, Relation::Bare];

/// Sessions in which `Watch` runs.
pub(crate) const WATCHES: &[Relation] = &[Relation::Undone, Relation::Backend];
