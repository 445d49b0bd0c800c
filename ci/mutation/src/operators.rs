//! What can go wrong in an answer, and in what the subject does meanwhile.

mod promise_modules;
mod providers;
mod resources;

use crate::change::Operator;

/// The operators for a dialect, with their names, and how many of a hundred mutants have to be seen. A
/// provider may lose rows that no later call asks for, so fewer of its mutants are defects.
pub fn operators(dialect: &str) -> (&'static [(&'static str, Operator)], usize) {
    match dialect {
        "promise-module" => (promise_modules::OPERATORS, 95),
        "resource-api" => (providers::OPERATORS, 60),
        "mgmt" => (resources::OPERATORS, 60),
        _ => (&[], 0),
    }
}

#[test]
fn each_dialect_has_operators() {
    for dialect in stickler_dialects::names() {
        let (own, wanted) = operators(dialect);
        assert!(!own.is_empty() && wanted > 0, "{dialect} has none");
    }
}
