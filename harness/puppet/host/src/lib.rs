//! The Ruby host: a program that loads types, providers and transports of the Puppet Resource API,
//! and calls them as JSON-RPC requests say. This crate carries its files and writes them out. It
//! starts nothing and knows nothing of sessions, transcripts or rules.
//!
//! `docs/provider-protocol.md` describes the protocol.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The version of the protocol that the host speaks.
pub const PROTOCOL: u64 = 1;

/// The entry, which Ruby is started with.
const ENTRY: &str = "host.rb";

/// What Ruby runs once, beside the entry, to compile the host's files: it starts sooner then.
pub const COMPILER: &str = "compiled.rb";

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../ruby/", $name)))),*]
    };
}

/// The files of the host by name.
pub const FILES: &[(&str, &str)] = files![
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
    "library.rb",
    "loader.rb",
    "puppet.rb",
    "puppet_execution.rb",
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
];

/// A name for these files: others get another one.
pub fn version() -> String {
    let texts = FILES.iter().flat_map(|(name, text)| [name, text]);
    let bytes = texts.flat_map(|text| text.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("ruby-host-{hash:016x}")
}

/// Writes the host into a folder, and returns the path of its entry: the argument of
/// `ruby --disable-gems`. Files that are there already are left alone. Several processes may do
/// this at once.
///
/// # Errors
///
/// If the folder or a file in it cannot be written.
pub fn install(dir: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(dir)?;
    for (name, text) in FILES {
        let path = dir.join(name);
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            continue;
        }
        // A reader sees the old file or the new one.
        let unfinished = dir.join(format!(".{name}.{}", std::process::id()));
        let written = fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written?;
    }
    Ok(dir.join(ENTRY))
}
