//! The tiers of sandboxes, and what each cannot provide.

use std::fmt;
use std::str::FromStr;

/// How strongly a sandbox isolates its subject from the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Namespaces, and an overlay over the whole machine: the subject changes nothing outside, and
    /// every effect is observed.
    Overlay,
    /// Landlock: only the scratch directory is writable.
    Copy,
    /// A scratch directory without isolation.
    None,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overlay => "overlay",
            Self::Copy => "copy",
            Self::None => "none",
        })
    }
}

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(text: &str) -> Result<Self, UnknownTier> {
        [Self::Overlay, Self::Copy, Self::None]
            .into_iter()
            .find(|tier| tier.to_string() == text)
            .ok_or_else(|| UnknownTier(text.to_owned()))
    }
}

/// The name of a tier is misspelled.
#[derive(Debug, thiserror::Error)]
#[error("unknown sandbox tier {0:?}: use overlay, copy or none")]
pub struct UnknownTier(String);

/// What a tier cannot provide on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lack {
    /// Changes outside the scratch directory are not observed.
    EffectsOutsideScratch,
    /// The subject sees other processes, and may send them signals.
    ProcessIsolation,
    /// The network stays on.
    NetworkOff,
    /// Only the plain [`Target`](super::Target); [`Protection`](super::Protection) only by
    /// permissions.
    Targets,
    /// The subject can change the machine.
    Walls,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EffectsOutsideScratch => "effects outside the scratch directory",
            Self::ProcessIsolation => "process isolation",
            Self::NetworkOff => "network off",
            Self::Targets => "read-only and full targets",
            Self::Walls => "walls around the machine",
        })
    }
}
