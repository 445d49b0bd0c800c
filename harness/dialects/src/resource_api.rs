//! Types, providers and transports of Puppet's Resource API.

use crate::registered::{Proof, Registered, codes};
use puppet_suite::ResourceApi;
use stickler_suite::Dialect as _;

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
