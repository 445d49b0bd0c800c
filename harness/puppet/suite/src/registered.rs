//! The pages and proofs of Puppet's types, providers and transports.

use crate::dialect::ResourceApi;
use puppet_protocol::runtimes::RUNTIME_RULES;
use stickler_judge::Rule;
use stickler_suite::{Dialect as _, Proof, Registered, codes};

impl Registered for ResourceApi {
    fn rules_for_agents(&self) -> Vec<&'static Rule> {
        RUNTIME_RULES.iter().collect()
    }

    fn sought(&self) -> Option<&'static str> {
        Some("lib/puppet/type, lib/puppet/provider or lib/puppet/transport")
    }

    fn rules_page(&self) -> &'static str {
        "docs/rules-puppet.md"
    }

    fn rules_folders(&self) -> &'static [&'static str] {
        &[
            "harness/puppet/protocol/src/rules/",
            "harness/puppet/protocol/src/runtimes/",
        ]
    }

    fn proofs(&self) -> Vec<Proof> {
        vec![
            Proof {
                about: "providers",
                rules: codes(&self.rules()),
                table: "fixtures/providers/mutants.toml",
            },
            Proof {
                about: "runtimes",
                rules: codes(&self.rules_for_agents()),
                table: "fixtures/runtimes/mutants.toml",
            },
        ]
    }
}
