//! Where the agents may part on generated policies, and why. `docs/agent.md` tells
//! of the first kind: what cf-agent 3.21.0 does there is no behaviour to agree with.

use crate::Difference;

/// A line that may differ, and why.
pub struct Known {
    /// What each line that differs holds.
    pub holds: &'static str,
    /// Why nothing is done about it.
    pub reason: &'static str,
}

/// All of them.
pub const KNOWN: [Known; 2] = [
    Known {
        holds: "Broken variable syntax or bracket mismatch in string",
        reason: "the parser's own message, on standard error, about texts that hold brackets without an end once they are expanded",
    },
    Known {
        holds: "promise with promiser '${}",
        reason: "behind a bracket without an end cf-agent prints what is in memory",
    },
];

/// The reason why a difference is let be.
pub fn known(difference: &Difference) -> Option<&'static Known> {
    let changed = |line: &&str| line.starts_with(['-', '+']);
    KNOWN.iter().find(|known| {
        let mut lines = difference.diff.lines().filter(changed);
        lines.all(|line| line.contains(known.holds))
    })
}
