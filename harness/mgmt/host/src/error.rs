//! Why a host cannot be built.

use std::path::PathBuf;

/// Why a host cannot be built. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no Go toolchain.
    #[error(
        "there is no `go` in PATH: install Go from https://go.dev/dl, and look at `stickler doctor`"
    )]
    NoGo,
    /// The folder is no Go package.
    #[error("{folder} is no Go package: {why}{advice}")]
    NoPackage {
        /// The folder.
        folder: String,
        /// What Go says.
        why: String,
        /// What to do, if that is known.
        advice: String,
    },
    /// The module needs another Go than the installed one.
    #[error("the module of {folder} needs another Go: {why}\n  `stickler doctor` says what to do")]
    Toolchain {
        /// The folder.
        folder: String,
        /// What Go says.
        why: String,
    },
    /// A program cannot be imported.
    #[error(
        "{folder} is a program (package main), which no other can import: move its resources into a package"
    )]
    Main {
        /// The folder.
        folder: String,
    },
    /// It does not use mgmt.
    #[error("{folder} does not use mgmt's package `engine`, so it registers no resource")]
    NoEngine {
        /// The folder.
        folder: String,
    },
    /// Go cannot compile it.
    #[error("the host of {folder} cannot be built:\n{why}{advice}")]
    Compile {
        /// The folder.
        folder: String,
        /// What Go says.
        why: String,
        /// What to do, if that is known.
        advice: String,
    },
    /// Go cannot compile it with mgmt's own engine.
    #[error(
        "the host of {folder} cannot be built with mgmt's engine:\n{why}\n  its module needs the packages `engine/graph`, \
         `pgraph` and `converger` of mgmt, and what they import; without --with-engine, MR605 is skipped"
    )]
    RealEngine {
        /// The folder.
        folder: String,
        /// What Go says.
        why: String,
    },
    /// A file cannot be written, or a program not be started.
    #[error("{what}: {why}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        why: std::io::Error,
    },
}

impl BuildError {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> BuildError {
        let what = what.into();
        move |why| BuildError::Io { what, why }
    }

    pub(crate) fn shown(folder: &std::path::Path) -> String {
        let shown: PathBuf = folder.components().collect();
        match shown.as_os_str().is_empty() {
            true => ".".to_owned(),
            false => shown.display().to_string(),
        }
    }
}
