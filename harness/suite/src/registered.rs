//! What is known about a dialect beyond how it is spoken: its pages and its proofs.

use crate::dialect::Dialect;
use stickler_judge::Rule;

/// A table of subjects that prove rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// What the rules judge.
    pub about: &'static str,
    /// The codes of the rules, as [`codes`] lists them.
    pub rules: Vec<&'static str>,
    /// The table, relative to the repository.
    pub table: &'static str,
}

/// A dialect of the registry.
pub trait Registered: Dialect {
    /// Its rules for agents, which judge sessions that an agent drove.
    fn rules_for_agents(&self) -> Vec<&'static Rule> {
        Vec::new()
    }

    /// Its rules for subjects, and those for agents.
    fn all_rules(&self) -> Vec<&'static Rule> {
        let mut rules = self.rules();
        rules.extend(self.rules_for_agents());
        rules
    }

    /// What a folder has that is a subject of this dialect, if folders are.
    fn sought(&self) -> Option<&'static str> {
        None
    }

    /// The page of its rules, relative to the repository.
    fn rules_page(&self) -> &'static str;

    /// The folders of its rules, relative to the repository.
    fn rules_folders(&self) -> &'static [&'static str];

    /// The proofs of its rules.
    fn proofs(&self) -> Vec<Proof>;
}

/// The codes of rules.
pub fn codes(rules: &[&Rule]) -> Vec<&'static str> {
    rules.iter().map(|rule| rule.code).collect()
}
