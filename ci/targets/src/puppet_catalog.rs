//! Any bytes are a catalog or refused, with a place.

use puppet_manifest::read_catalog;
use std::collections::HashSet;

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    match read_catalog("catalog.json", bytes) {
        Ok(catalog) => {
            let resources = catalog
                .resources
                .iter()
                .map(puppet_manifest::Resource::reference);
            let all: Vec<_> = resources
                .chain(
                    catalog
                        .containers
                        .iter()
                        .map(puppet_manifest::Container::reference),
                )
                .collect();
            let different: HashSet<_> = all.iter().collect();
            assert_eq!(different.len(), all.len());
        }
        Err(error) => assert!(error.line > 0 && error.column > 0 && !error.message.is_empty()),
    }
}
