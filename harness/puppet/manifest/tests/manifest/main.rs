//! Manifests and catalogs: any text, and beside the real Puppet.

mod bounds;
mod differential;
