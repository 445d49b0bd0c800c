//! Messages.

/// The level of a message, in Puppet's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
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

impl Level {
    const ALL: [Level; 8] = [
        Level::Debug,
        Level::Info,
        Level::Notice,
        Level::Warning,
        Level::Err,
        Level::Alert,
        Level::Emerg,
        Level::Crit,
    ];

    /// Its name in logs and in the metaparameter `loglevel`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Err => "err",
            Level::Alert => "alert",
            Level::Emerg => "emerg",
            Level::Crit => "crit",
        }
    }

    /// The level of this name. Providers also write `critical`, and manifests `verbose`.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "critical" => Some(Level::Crit),
            "verbose" => Some(Level::Info),
            "error" => Some(Level::Err),
            _ => Self::ALL.into_iter().find(|level| level.name() == name),
        }
    }

    /// What stands before a message on a console.
    pub fn label(self) -> &'static str {
        match self {
            Level::Debug => "Debug",
            Level::Info => "Info",
            Level::Notice => "Notice",
            Level::Warning => "Warning",
            Level::Err => "Error",
            Level::Alert => "Alert",
            Level::Emerg => "Emergency",
            Level::Crit => "Critical",
        }
    }
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Its level.
    pub level: Level,
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
