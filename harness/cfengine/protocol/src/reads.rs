//! Which sessions exercise the rules that judge each session alone. As the mutants show, if such a
//! rule fails in any session, it also fails in one of those named here.

use crate::relation;
use stickler_judge::Relation;

/// Starts and ends of processes: headers, `terminate`, the end of input.
pub(crate) const STARTS_AND_ENDS: &[Relation] = &[relation::ENDS, relation::HEADER];

/// Answers to requests of every kind.
pub(crate) const ANSWERS: &[Relation] = match ANSWERS_AND_SILENCE {
    [answers @ .., Relation::IDLE] => answers,
    _ => panic!("the silence is last"),
};

/// [`ANSWERS`], and silence while nothing is asked.
pub(crate) const ANSWERS_AND_SILENCE: &[Relation] = &[
    Relation::BETWEEN,
    relation::BROKEN,
    relation::ENDS,
    Relation::FIELDS,
    relation::HEADER,
    Relation::INVALID,
    relation::KEYS,
    relation::LEVEL,
    relation::POLICIES,
    Relation::TEXT,
    Relation::WARN,
    Relation::IDLE,
];

/// Results of every kind: rejected, repaired, kept, not kept, warned of.
pub(crate) const OUTCOMES: &[Relation] = &[
    Relation::BETWEEN,
    Relation::COMMANDS,
    Relation::DRIFT,
    Relation::UNDONE,
    relation::ENDS,
    Relation::FIELDS,
    Relation::IN_THE_WAY,
    Relation::UNENDED,
    Relation::INVALID,
    relation::LEVEL,
    relation::POLICIES,
    Relation::TEXT,
    Relation::WARN,
];
