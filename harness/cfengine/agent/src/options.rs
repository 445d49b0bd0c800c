//! The options of a run.

use crate::children::Children;
use crate::log::{Format, Severity};
use crate::module::ModuleHost;
use crate::witness::Witness;
use cfengine_protocol::release::Compat;
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
    /// Nothing, and the run reports at its end what would have changed: `--simulate`.
    Simulate(SimulationReport),
}

/// What a simulation reports about files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationReport {
    /// The differences of changed files.
    Diff,
    /// The new state of changed files.
    Manifest,
    /// The state of changed and of kept files.
    ManifestFull,
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The path of the policy, as given.
    pub file: String,
    /// The content of the policy's file, if the file is not read.
    pub text: Option<Vec<u8>>,
    /// The work directory.
    pub workdir: PathBuf,
    /// Whether the policy is only checked, with no run after it; cf-promises then requires less.
    pub alone: bool,
    /// Bundles to run instead of the policy's bundlesequence.
    pub bundles: Option<Vec<String>>,
    /// Classes to set from the start.
    pub define: Vec<String>,
    /// Persistent classes to leave out.
    pub negate: Vec<String>,
    /// Whether locks of earlier runs are ignored.
    pub no_lock: bool,
    /// The lowest log level to print.
    pub level: Severity,
    /// The format of the output.
    pub format: Format,
    /// What the run may change.
    pub mode: Mode,
    /// Whether the parser's warnings are printed to stderr.
    pub warns: bool,
    /// At the end, print the classes whose names match this pattern.
    pub show_classes: Option<String>,
    /// At the end, print the variables whose names match this pattern.
    pub show_variables: Option<String>,
    /// Whether the run skips unsupported constructs instead of refusing the policy.
    pub skip_unsupported: bool,
    /// The behaviour that the run follows.
    pub compat: Compat,
    /// The recorder of the run's modules.
    pub witness: Option<Arc<dyn Witness>>,
    /// The host that runs the modules instead of the agent.
    pub module_host: Option<Arc<dyn ModuleHost>>,
    /// The run's child processes.
    pub children: Arc<Children>,
    /// The deadlines of modules.
    pub deadlines: Deadlines,
    /// The limits that end a run.
    pub limits: Limits,
    /// Whether the run may start programs, and read and change files. Without it, such promises and
    /// functions fail.
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
            level: Severity::Notice,
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

    /// The options for a run of an untrusted policy: it starts and changes nothing, and ends soon.
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

/// The deadlines of a module.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// To answer the header.
    pub header: Duration,
    /// To validate.
    pub validate: Duration,
    /// To evaluate.
    pub evaluate: Duration,
    /// To answer `terminate`, and then to exit.
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

/// The limits at which a run ends with an error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps of evaluation: promises expanded, variables looked up.
    pub steps: u64,
    /// How deep bundles may call each other.
    pub depth: usize,
    /// Bytes printed.
    pub output: u64,
    /// Bytes of one expanded text.
    pub text: usize,
    /// Bytes of a module's answer, of a command's output, or of a file.
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
