//! The pages and proofs of mgmt resources.

use crate::dialect::Mgmt;
use mgmt_protocol::engines::ENGINE_RULES;
use stickler_judge::Rule;
use stickler_suite::{Dialect as _, Proof, Registered, codes};

impl Registered for Mgmt {
    fn rules_for_agents(&self) -> Vec<&'static Rule> {
        ENGINE_RULES.iter().collect()
    }

    fn sought(&self) -> Option<&'static str> {
        Some("Go files that call RegisterResource")
    }

    fn rules_page(&self) -> &'static str {
        "docs/rules-mgmt.md"
    }

    fn rules_folders(&self) -> &'static [&'static str] {
        &[
            "harness/mgmt/protocol/src/rules/",
            "harness/mgmt/protocol/src/engines/",
        ]
    }

    fn proofs(&self) -> Vec<Proof> {
        vec![
            Proof {
                about: "mgmt resources",
                rules: codes(&self.rules()),
                table: "fixtures/resources/mutants.toml",
            },
            Proof {
                about: "engines",
                rules: codes(&self.rules_for_agents()),
                table: "fixtures/engines/mutants.toml",
            },
        ]
    }
}
