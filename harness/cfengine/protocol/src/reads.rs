//! Which sessions exercise the rules that judge each session alone. As the mutants show, if such a
//! rule fails in any session, it also fails in one of those named here.

use stickler_judge::Relation;

/// Starts and ends of processes: headers, `terminate`, the end of input.
pub(crate) const STARTS_AND_ENDS: &[Relation] = &[Relation::Ends, Relation::Header];

/// Answers to requests of every kind.
pub(crate) const ANSWERS: &[Relation] = match ANSWERS_AND_SILENCE {
    [answers @ .., Relation::Idle] => answers,
    _ => panic!("the silence is last"),
};

/// [`ANSWERS`], and silence while nothing is asked.
pub(crate) const ANSWERS_AND_SILENCE: &[Relation] = &[
    Relation::Between,
    Relation::Broken,
    Relation::Ends,
    Relation::Fields,
    Relation::Header,
    Relation::Invalid,
    Relation::Keys,
    Relation::Level,
    Relation::Policies,
    Relation::Text,
    Relation::Warn,
    Relation::Idle,
];

/// Results of every kind: rejected, repaired, kept, not kept, warned of.
pub(crate) const OUTCOMES: &[Relation] = &[
    Relation::Between,
    Relation::Commands,
    Relation::Drift,
    Relation::Undone,
    Relation::Ends,
    Relation::Fields,
    Relation::InTheWay,
    Relation::Unended,
    Relation::Invalid,
    Relation::Level,
    Relation::Policies,
    Relation::Text,
    Relation::Warn,
];
