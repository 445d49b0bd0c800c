//! The pages and proofs of Puppet's types, providers and transports.

use crate::dialect::ResourceApi;
use stickler_suite::{Dialect as _, Proof, Registered, codes};

impl Registered for ResourceApi {
    fn sought(&self) -> Option<&'static str> {
        Some("lib/puppet/type, lib/puppet/provider or lib/puppet/transport")
    }

    fn rules_page(&self) -> &'static str {
        "docs/rules-puppet.md"
    }

    fn rules_folders(&self) -> &'static [&'static str] {
        &["harness/puppet/protocol/src/rules/"]
    }

    fn proofs(&self) -> Vec<Proof> {
        vec![Proof {
            about: "providers",
            rules: codes(&self.rules()),
            table: "fixtures/providers/mutants.toml",
        }]
    }
}
