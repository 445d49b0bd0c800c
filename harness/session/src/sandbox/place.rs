//! The directories of a sandbox whose changes are read.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// A directory of the stage that receives changes.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) dir: OwnedFd,
    pub(super) at: PathBuf,
    /// The number of the layer whose lower directory it shares.
    pub(super) layer: Option<usize>,
    /// Its path below the stage; if `None`, it is below the target.
    pub(super) stage: Option<String>,
}
