//! Why something did not work.

use puppet_manifest::Place;
use puppet_protocol::Failure;
use puppet_types::{Refused, Undecided};
use stickler_rpc::Ended;

/// An exception of Ruby: the provider's, or what Puppet or its library raise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// Its class.
    pub class: String,
    /// Its message.
    pub message: String,
    /// Is it a `StandardError`? Others end the whole run.
    pub standard: bool,
    /// The status, if it is that of `exit`.
    pub exit: Option<i64>,
}

impl Raised {
    pub(crate) fn new(class: &str, message: impl Into<String>) -> Self {
        Raised {
            class: class.to_owned(),
            message: message.into(),
            standard: true,
            exit: None,
        }
    }

    /// An error about a resource.
    pub(crate) fn resource(message: impl Into<String>) -> Self {
        Self::new("Puppet::ResourceError", message)
    }

    /// An error of the developer.
    pub(crate) fn developer(message: impl Into<String>) -> Self {
        Self::new("Puppet::DevError", message)
    }

    /// An error of Puppet.
    pub(crate) fn puppet(message: impl Into<String>) -> Self {
        Self::new("Puppet::Error", message)
    }

    /// Does Puppet say which parameter it was about?
    pub(crate) fn names_its_parameter(&self) -> bool {
        self.class.starts_with("Puppet::") || self.class == "ArgumentError"
    }
}

impl From<&Failure> for Raised {
    fn from(failure: &Failure) -> Self {
        Raised {
            class: failure.class.clone().unwrap_or_default(),
            message: failure.message.clone(),
            standard: failure.standard.unwrap_or(true),
            exit: failure.exit,
        }
    }
}

/// Why the runtime cannot go on, or a resource cannot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An exception.
    #[error("{}", .0.message)]
    Raised(Raised),
    /// The host has ended.
    #[error(transparent)]
    Host(#[from] Ended),
    /// There is no such type; the text says why.
    #[error("{0}")]
    NoType(String),
    /// The runtime does not support this; the text names it.
    #[error("{0}")]
    Unsupported(String),
}

impl Fault {
    /// Did a provider call `exit`, without an error?
    pub fn is_exit(&self) -> bool {
        matches!(self, Fault::Raised(raised) if raised.exit == Some(0))
    }
}

impl From<Raised> for Fault {
    fn from(raised: Raised) -> Self {
        Fault::Raised(raised)
    }
}

impl From<Undecided> for Fault {
    fn from(undecided: Undecided) -> Self {
        Fault::Unsupported(undecided.to_string())
    }
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Because(message) => Raised::resource(message).into(),
            Refused::Fails(message) => Raised::new("NoMethodError", message).into(),
            Refused::Undecided(undecided) => undecided.into(),
        }
    }
}

/// Why a catalog cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// What went wrong.
    pub fault: Fault,
    /// Where the resource is declared that is the cause, if it is one.
    pub place: Option<Place>,
}
