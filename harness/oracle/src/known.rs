//! Listed exceptions.

use crate::Difference;
use std::fmt;

/// A kind of difference that a dialect accepts, with the reason.
pub struct Known {
    /// Is a difference of this kind?
    pub covers: fn(&Difference) -> bool,
    /// Why it is accepted.
    pub reason: &'static str,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Known").field(&self.reason).finish()
    }
}
