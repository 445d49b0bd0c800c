//! The modes in which agents are compared.

use std::fmt;
use std::str::FromStr;

/// The options of an agent, in addition to `-K -f FILE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// No options.
    Plain,
    /// `-I`
    Inform,
    /// `-v`
    Verbose,
    /// `-n -I`
    DryRun,
    /// `--log-level=error`
    Error,
    /// `--simulate=manifest-full -I`
    Simulate,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 6] = [
        Mode::Plain,
        Mode::Inform,
        Mode::Verbose,
        Mode::DryRun,
        Mode::Error,
        Mode::Simulate,
    ];

    /// The mode's options.
    pub fn options(self) -> &'static [&'static str] {
        match self {
            Mode::Plain => &[],
            Mode::Inform => &["-I"],
            Mode::Verbose => &["-v"],
            Mode::DryRun => &["-n", "-I"],
            Mode::Error => &["--log-level=error"],
            Mode::Simulate => &["--simulate=manifest-full", "-I"],
        }
    }

    /// The mode's name.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Plain => "plain",
            Mode::Inform => "inform",
            Mode::Verbose => "verbose",
            Mode::DryRun => "dry-run",
            Mode::Error => "error",
            Mode::Simulate => "simulate",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|mode| mode.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Mode::name).join(", ");
            format!("there is no mode \"{text}\"; there are {names}")
        })
    }
}
