//! The pages and proofs of mgmt resources.

use crate::dialect::Mgmt;
use stickler_suite::{Dialect as _, Proof, Registered, codes};

impl Registered for Mgmt {
    fn sought(&self) -> Option<&'static str> {
        Some("Go files that call RegisterResource")
    }

    fn rules_page(&self) -> &'static str {
        "docs/rules-mgmt.md"
    }

    fn rules_folders(&self) -> &'static [&'static str] {
        &["harness/mgmt/protocol/src/rules/"]
    }

    fn proofs(&self) -> Vec<Proof> {
        vec![Proof {
            about: "mgmt resources",
            rules: codes(&self.rules()),
            table: "fixtures/resources/mutants.toml",
        }]
    }
}
