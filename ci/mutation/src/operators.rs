//! What can go wrong in an answer, and in what the subject does meanwhile.

mod promise_modules;
mod providers;
mod resources;

use crate::change::Operator;

/// Operators with their names.
type Operators = &'static [(&'static str, Operator)];

/// The operators for each dialect, and how many of a hundred mutants have to be seen. A provider may lose
/// rows that no later call asks for, so fewer of its mutants are defects.
const ALL: [(&str, Operators, usize); 3] = [
    ("promise-module", promise_modules::OPERATORS, 95),
    ("resource-api", providers::OPERATORS, 60),
    ("mgmt", resources::OPERATORS, 60),
];

/// The operators for a dialect, and how many of a hundred mutants have to be seen.
pub fn operators(dialect: &str) -> (Operators, usize) {
    let own = ALL.iter().find(|(name, ..)| *name == dialect);
    own.map_or((&[], 0), |(_, operators, wanted)| (operators, *wanted))
}

#[test]
fn each_dialect_has_operators() {
    for dialect in stickler_dialects::names() {
        let (own, wanted) = operators(dialect);
        assert!(!own.is_empty() && wanted > 0, "{dialect} has none");
    }
}
