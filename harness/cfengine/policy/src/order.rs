//! The normal order in which promise types and bundles are evaluated.

mod plan;

pub use plan::{Plan, Step, TOP_DOWN, asks_top_down, plan};

use cfengine_protocol::release::Compat;

/// A component and its type of bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// cf-agent and its bundles.
    Agent,
    /// cf-serverd and its bundles.
    Server,
    /// cf-monitord and its bundles.
    Monitor,
    /// The bundles of cf-agent that edit lines of a file.
    EditLine,
}

/// A promise type's place in the normal order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// The promise type.
    pub kind: &'static str,
    /// Whether the specification lists it in the order.
    pub specified: bool,
    /// Whether 3.21.0 evaluates it in this place.
    pub deployed: bool,
}

const fn both(kind: &'static str) -> Rank {
    Rank {
        kind,
        specified: true,
        deployed: true,
    }
}

const fn specified(kind: &'static str) -> Rank {
    Rank {
        deployed: false,
        ..both(kind)
    }
}

const fn deployed(kind: &'static str) -> Rank {
    Rank {
        specified: false,
        ..both(kind)
    }
}

const AGENT: &[Rank] = &[
    both("meta"),
    both("vars"),
    both("defaults"),
    both("classes"),
    both("users"),
    both("files"),
    both("packages"),
    both("guest_environments"),
    both("methods"),
    both("processes"),
    both("services"),
    both("commands"),
    both("storage"),
    both("databases"),
    both("reports"),
];

const EDIT_LINE: &[Rank] = &[
    specified("meta"),
    both("vars"),
    specified("defaults"),
    both("classes"),
    both("delete_lines"),
    both("field_edits"),
    both("insert_lines"),
    both("replace_patterns"),
    both("reports"),
];

const SERVER: &[Rank] = &[
    deployed("meta"),
    both("vars"),
    both("classes"),
    both("roles"),
    both("access"),
];

const MONITOR: &[Rank] = &[
    both("vars"),
    both("classes"),
    both("measurements"),
    both("reports"),
];

impl Component {
    /// The type of bundle, as policies write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Server => "server",
            Self::Monitor => "monitor",
            Self::EditLine => "edit_line",
        }
    }

    /// The normal order within a bundle.
    pub fn order(self) -> &'static [Rank] {
        match self {
            Self::Agent => AGENT,
            Self::Server => SERVER,
            Self::Monitor => MONITOR,
            Self::EditLine => EDIT_LINE,
        }
    }

    /// The order within common bundles, which are evaluated first.
    pub fn common_order(self, compat: Compat) -> &'static [&'static str] {
        match (compat, self) {
            (Compat::Specification, _) => &["classes", "vars", "reports"],
            (Compat::Deployed(_), Self::Server) => &["meta", "vars", "classes", "reports"],
            // Reports are only evaluated if the bundlesequence names the bundle.
            (Compat::Deployed(_), Self::Agent | Self::EditLine) => &["vars", "classes"],
            (Compat::Deployed(_), Self::Monitor) => &["vars", "classes", "reports"],
        }
    }

    /// The differences between 3.21.0 and the specification, in words.
    pub fn differences(self) -> &'static [&'static str] {
        match self {
            Self::Agent => &[
                "3.21.0 takes vars before classes, and vars again, in common bundles",
                "3.21.0 reports from a common bundle only if the bundlesequence names it",
            ],
            Self::EditLine => &["3.21.0 takes neither meta nor defaults"],
            Self::Server => &[
                "3.21.0 takes meta, before vars",
                "3.21.0 takes common bundles in their places among the server bundles, once all of them were pre-evaluated",
                "3.21.0 takes other promise types last, with a warning, and no bundle with parameters",
            ],
            Self::Monitor => &[
                "3.21.0 has no normal order for the monitor: it takes a bundle's promise types as they appear",
            ],
        }
    }
}

#[cfg(test)]
mod tests;
