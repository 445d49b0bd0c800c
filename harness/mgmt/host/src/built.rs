//! How a host was built: a file beside it says so.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};
use stickler_rpc::write;

/// The file beside a host that says how it was built.
const OPTIONS: &str = "options.json";

/// How a host is built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Build tags.
    pub tags: Vec<String>,
    /// Files that the build takes for others: paths relative to the package, and absolute ones to read.
    pub overlay: Vec<(PathBuf, PathBuf)>,
    /// With the race detector?
    pub race: bool,
    /// With mgmt's own engine?
    #[serde(default)]
    pub engine: bool,
    /// The name of a function of the package that fills in what `Init` gets.
    pub init: Option<String>,
}

/// What was built.
#[derive(Serialize, Deserialize)]
pub(crate) struct Built {
    /// The folder of the package.
    pub(crate) folder: PathBuf,
    pub(crate) options: Options,
}

/// Keeps how the host in a folder is built.
pub(crate) fn keep(own: &Path, built: &Built) -> io::Result<()> {
    write(&own.join(OPTIONS), &serde_json::to_string(built)?)
}

/// How the host of the package in a folder was built, if it was built on this machine and is still there.
pub fn options_of(host: &Path, folder: &Path) -> Option<Options> {
    let built = built(host.parent()?)?;
    (built.folder == folder).then_some(built.options)
}

/// The folder of the package around which the host in a folder was built.
pub(crate) fn package_of(own: &Path) -> Option<PathBuf> {
    Some(built(own)?.folder)
}

fn built(own: &Path) -> Option<Built> {
    let text = fs::read_to_string(own.join(OPTIONS)).ok()?;
    serde_json::from_str(&text).ok()
}
