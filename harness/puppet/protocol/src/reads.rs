//! Which sessions exercise the rules that judge each session alone.

use crate::relation;
use stickler_judge::Relation;

/// Sessions in which definitions are loaded: each is.
pub(crate) const DEFINITIONS: &[Relation] = &[relation::DEFINITIONS];

/// Sessions that read the state, and those of further relations.
macro_rules! reads {
    ($($more:ident)*) => {
        &[
            relation::DEFINITIONS,
            relation::BESIDE,
            relation::CHANGES,
            relation::FEATURES,
            relation::INSTANCES,
            relation::QUESTIONS,
            relation::RUN,
            relation::TOGETHER,
            relation::UNEXAMPLED,
            relation::VALUES,
            Relation::NEAR,
            Relation::UNDONE,
            $(Relation::$more,)*
        ]
    };
}

/// Sessions that read the state.
pub(crate) const READS: &[Relation] = reads!();

/// The same, and those whose commands write more than usual.
pub(crate) const NOISY: &[Relation] = reads!(COMMANDS);

/// The same, and those in other environments.
pub(crate) const ELSEWHERE: &[Relation] = reads!(ENVIRONMENT);

/// The same, and those where the provider's file has no newline at its end.
pub(crate) const UNENDED: &[Relation] = reads!(UNENDED);

/// The same, and those with another process, or with pauses.
pub(crate) const LATER: &[Relation] = reads!(RESTART IDLE);

/// The same, and those of resources at other paths.
pub(crate) const MOVED: &[Relation] = reads!(PLACES);

/// Sessions in which the harness changes the provider's files, or who may write them.
pub(crate) const SPOILT: &[Relation] =
    &[Relation::DISTURBED, Relation::IN_THE_WAY, Relation::PROTECT];

/// Sessions in which a resource is set beside others of its type.
pub(crate) const AMONG_OTHERS: &[Relation] =
    &[Relation::NEAR, relation::BESIDE, relation::TOGETHER];
