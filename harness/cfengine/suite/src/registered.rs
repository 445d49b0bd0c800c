//! The pages and proofs of promise modules.

use crate::dialect::PromiseModules;
use cfengine_protocol::agents::AGENT_RULES;
use stickler_judge::Rule;
use stickler_suite::{Dialect as _, Proof, Registered, codes};

impl Registered for PromiseModules {
    fn rules_for_agents(&self) -> Vec<&'static Rule> {
        AGENT_RULES.iter().collect()
    }

    fn rules_page(&self) -> &'static str {
        "docs/rules-promise-modules.md"
    }

    fn rules_folders(&self) -> &'static [&'static str] {
        &[
            "harness/cfengine/protocol/src/rules/",
            "harness/cfengine/protocol/src/agents/",
        ]
    }

    fn proofs(&self) -> Vec<Proof> {
        vec![
            Proof {
                about: "promise modules",
                rules: codes(&self.rules()),
                table: "fixtures/mutants/mutants.toml",
            },
            Proof {
                about: "agents",
                rules: codes(&self.rules_for_agents()),
                table: "fixtures/agents/mutants.toml",
            },
        ]
    }
}
