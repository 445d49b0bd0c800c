//! The releases of Puppet that a module is meant for, and what they make of what it does.

use crate::session::Session;
use stickler_judge::View as _;

/// The fact of a case that lists them by name. Without it, a module is meant for all that were measured.
pub const FACT: &str = "runtimes";

/// Those that a module is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Releases {
    /// Puppet 7.23, with the library 1.8.16.
    pub seven: bool,
    /// Puppet 8, with the library 1.9.
    pub eight_old: bool,
    /// Puppet 8, with the library 2.0.
    pub eight: bool,
    /// Does the author name them?
    pub are_named: bool,
}

impl Releases {
    /// Those of a session's module.
    pub fn of(session: &Session) -> Self {
        let facts = &session.case().facts;
        let named = facts.get(FACT).and_then(|value| value.as_array());
        let Some(named) = named else {
            return Releases {
                seven: true,
                eight_old: true,
                eight: true,
                are_named: false,
            };
        };
        let has = |name: &str| {
            let mut named = named.iter();
            named.any(|one| one.as_str() == Some(name))
        };
        Releases {
            seven: has("7.23+1.8.16"),
            eight_old: has("8+1.9"),
            eight: has("8+2.0"),
            are_named: true,
        }
    }

    /// Does any of them refuse what the setting `strict` decides?
    pub fn refuse(self) -> bool {
        self.eight_old || self.eight
    }

    /// What they make of something that the setting `strict` decides, as a clause in brackets.
    pub fn strictly(self) -> &'static str {
        match (self.seven, self.refuse()) {
            (true, true) => " (Puppet 8 refuses this, 7.23 warns)",
            (true, false) => " (Puppet 7.23 warns of this)",
            (false, true) => " (Puppet 8 refuses this)",
            (false, false) => "",
        }
    }
}
