//! Listed exceptions.

use crate::Difference;
use std::fmt;

/// A kind of difference that a dialect accepts, with the reason.
pub struct AcceptedDifference {
    /// Is a difference of this kind?
    pub covers: fn(&Difference) -> bool,
    /// Why it is accepted.
    pub reason: &'static str,
}

impl fmt::Debug for AcceptedDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AcceptedDifference")
            .field(&self.reason)
            .finish()
    }
}
