//! Messages.

/// The level of a message, in Puppet's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// `debug`
    Debug,
    /// `info`
    Info,
    /// `notice`
    Notice,
    /// `warning`
    Warning,
    /// `err`
    Err,
    /// `alert`
    Alert,
    /// `emerg`
    Emerg,
    /// `crit`
    Crit,
}

impl Severity {
    const ALL: [Severity; 8] = [
        Severity::Debug,
        Severity::Info,
        Severity::Notice,
        Severity::Warning,
        Severity::Err,
        Severity::Alert,
        Severity::Emerg,
        Severity::Crit,
    ];

    /// Its name in logs and in the metaparameter `loglevel`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Debug => "debug",
            Severity::Info => "info",
            Severity::Notice => "notice",
            Severity::Warning => "warning",
            Severity::Err => "err",
            Severity::Alert => "alert",
            Severity::Emerg => "emerg",
            Severity::Crit => "crit",
        }
    }

    /// The level of this name. Providers also write `critical`, and manifests `verbose`.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "critical" => Some(Severity::Crit),
            "verbose" => Some(Severity::Info),
            "error" => Some(Severity::Err),
            _ => Self::ALL.into_iter().find(|level| level.name() == name),
        }
    }

    /// What stands before a message on a console.
    pub fn label(self) -> &'static str {
        match self {
            Severity::Debug => "Debug",
            Severity::Info => "Info",
            Severity::Notice => "Notice",
            Severity::Warning => "Warning",
            Severity::Err => "Error",
            Severity::Alert => "Alert",
            Severity::Emerg => "Emergency",
            Severity::Crit => "Critical",
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Its level.
    pub level: Severity,
    /// The path of a resource or of its property. `None` for Puppet itself.
    pub source: Option<String>,
    /// The text.
    pub message: String,
}

impl Log {
    /// The text with its source.
    pub fn text(&self) -> String {
        match &self.source {
            Some(source) => format!("{source}: {}", self.message),
            None => self.message.clone(),
        }
    }
}
