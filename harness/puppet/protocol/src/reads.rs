//! Which sessions exercise the rules that judge each session alone.

use stickler_judge::Relation;

/// Sessions in which definitions are loaded: each is.
pub(crate) const DEFINITIONS: &[Relation] = &[Relation::Header];

/// Sessions that read the state, and those of further relations.
macro_rules! reads {
    ($($more:ident)?) => {
        &[
            Relation::Header,
            Relation::Attributes,
            Relation::Keys,
            Relation::Near,
            Relation::Undone,
            $(Relation::$more,)?
        ]
    };
}

/// Sessions that read the state.
pub(crate) const READS: &[Relation] = reads!();

/// The same, and those whose commands write more than usual.
pub(crate) const NOISY: &[Relation] = reads!(Commands);

/// The same, and those in other environments.
pub(crate) const ELSEWHERE: &[Relation] = reads!(Environment);

/// The same, and those where the provider's file has no newline at its end.
pub(crate) const UNENDED: &[Relation] = reads!(Unended);
