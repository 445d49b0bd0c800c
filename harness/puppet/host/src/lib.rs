//! The Ruby host: a program that loads types, providers and transports of the Puppet Resource API,
//! and calls them as JSON-RPC requests say. This crate carries its files. It
//! starts nothing and knows nothing of sessions, transcripts or rules.
//!
//! `docs/provider-protocol.md` describes the protocol.

use stickler_rpc::HostFiles;

/// The version of the protocol that the host speaks.
pub const PROTOCOL: u64 = 1;

/// What Ruby runs once, beside the entry, to compile the host's files: it starts sooner then.
pub const COMPILER: &str = "compiled.rb";

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../ruby/", $name)))),*]
    };
}

/// The host. Its entry is the argument of `ruby --disable-gems`.
pub const HOST: HostFiles = HostFiles {
    name: "ruby-host",
    entry: "host.rb",
    files: files![
        "aliases.rb",
        "channel.rb",
        "compiled.rb",
        "context.rb",
        "facter.rb",
        "facter_execution.rb",
        "facter_resolution.rb",
        "failure.rb",
        "folders.rb",
        "hocon.rb",
        "host.rb",
        "lacks.rb",
        "library.rb",
        "loader.rb",
        "puppet.rb",
        "puppet_data.rb",
        "puppet_execution.rb",
        "puppet_http.rb",
        "puppet_types.rb",
        "questions.rb",
        "real.rb",
        "resource_api.rb",
        "server.rb",
        "session.rb",
        "simple_provider.rb",
        "standard.rb",
        "through.rb",
        "transport.rb",
        "values.rb",
        "variables.rb",
    ],
};
