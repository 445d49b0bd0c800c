//! How a run is asked for.

use crate::children::Children;
use crate::log::{Format, Level};
use crate::module::ModuleHost;
use crate::witness::Witness;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What a run may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Everything that is promised.
    #[default]
    Normal,
    /// Nothing: `--dry-run`.
    DryRun,
    /// Nothing, and at the end it is told what would have been:
    /// `--simulate`.
    Simulate(Shown),
}

/// What a simulation tells of changed files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// How they differ.
    Diff,
    /// What they are.
    Manifest,
    /// What they and all others are.
    ManifestFull,
}

/// Whose behaviour a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// That of cf-agent 3.21.0.
    #[default]
    Deployed,
    /// That of the specification of custom promise types, where that agent
    /// differs from it.
    Specification,
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The policy, as it was given.
    pub file: String,
    /// What the policy's file holds, where it is not to be read.
    pub text: Option<Vec<u8>>,
    /// The work directory.
    pub workdir: PathBuf,
    /// The check of a policy stands alone, with no run behind it: cf-promises then asks
    /// for less.
    pub alone: bool,
    /// Bundles to take in place of the policy's bundlesequence.
    pub bundles: Option<Vec<String>>,
    /// Classes to set from the start.
    pub define: Vec<String>,
    /// Classes of earlier runs to leave out.
    pub negate: Vec<String>,
    /// Let locks of earlier runs be.
    pub no_lock: bool,
    /// What to print.
    pub level: Level,
    /// How to print it.
    pub format: Format,
    /// What may be changed.
    pub mode: Mode,
    /// Write the parser's warnings to standard error.
    pub warns: bool,
    /// Print classes whose name a pattern is found in, at the end.
    pub show_classes: Option<String>,
    /// Print variables whose name a pattern is found in, at the end.
    pub show_variables: Option<String>,
    /// Run what is supported where something is not.
    pub skip_unsupported: bool,
    /// Whose behaviour the run has.
    pub compat: Compat,
    /// Who keeps the record of its modules.
    pub witness: Option<Arc<dyn Witness>>,
    /// Who keeps its modules in its place.
    pub module_host: Option<Arc<dyn ModuleHost>>,
    /// What the run has going.
    pub children: Arc<Children>,
    /// How long modules may take.
    pub deadlines: Deadlines,
    /// Where a run that does not end by itself is ended.
    pub limits: Limits,
    /// Whether programs may be started, files read and changed. Without, such
    /// promises and functions fail.
    pub effects: bool,
}

impl Options {
    /// The options of a plain run of a policy.
    pub fn new(file: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            text: None,
            workdir: PathBuf::from("/var/lib/cfengine3"),
            alone: false,
            bundles: None,
            define: Vec::new(),
            negate: Vec::new(),
            no_lock: true,
            level: Level::Notice,
            format: Format::Text,
            mode: Mode::Normal,
            warns: false,
            show_classes: None,
            show_variables: None,
            skip_unsupported: false,
            compat: Compat::default(),
            witness: None,
            module_host: None,
            children: Arc::default(),
            deadlines: Deadlines::default(),
            limits: Limits::default(),
            effects: true,
        }
    }

    /// The options of a run of any policy at all: it starts and changes
    /// nothing, and ends soon.
    pub fn harmless(policy: Vec<u8>) -> Self {
        Self {
            text: Some(policy),
            skip_unsupported: true,
            effects: false,
            limits: Limits {
                steps: 20_000,
                depth: 20,
                output: 1 << 20,
                text: 1 << 16,
                input: 1 << 16,
            },
            ..Self::new("/policy.cf")
        }
    }
}

/// How long a module may take.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// To answer the header.
    pub header: Duration,
    /// To validate.
    pub validate: Duration,
    /// To evaluate.
    pub evaluate: Duration,
    /// To answer `terminate`, and to exit then.
    pub terminate: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            header: Duration::from_secs(10),
            validate: Duration::from_secs(10),
            evaluate: Duration::from_secs(30),
            terminate: Duration::from_secs(5),
        }
    }
}

/// Where a run is ended with an error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps of evaluation: promises expanded, variables looked up.
    pub steps: u64,
    /// Bundles in each other.
    pub depth: usize,
    /// Bytes printed.
    pub output: u64,
    /// Bytes of one expanded text.
    pub text: usize,
    /// Bytes of an answer of a module, of a command's output, of a file read.
    pub input: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 2_000_000_000,
            depth: 120,
            output: 16 << 30,
            text: 256 << 20,
            input: 256 << 20,
        }
    }
}
