//! Limits of integers, sizes and floats.

use crate::value::float_text;
use num_bigint::BigInt;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};

/// Limits of an integer or a size, both inclusive; `None` is no limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The smallest one.
    pub from: Option<BigInt>,
    /// The biggest one.
    pub to: Option<BigInt>,
}

impl Range {
    /// No limits.
    pub const ALL: Self = Self {
        from: None,
        to: None,
    };

    /// From one number to another.
    pub fn new(from: impl Into<BigInt>, to: impl Into<BigInt>) -> Self {
        Self {
            from: Some(from.into()),
            to: Some(to.into()),
        }
    }

    /// At least so many.
    pub fn at_least(from: impl Into<BigInt>) -> Self {
        Self {
            from: Some(from.into()),
            to: None,
        }
    }

    /// The size of any collection: at least 0.
    pub fn any_size() -> Self {
        Self::at_least(0)
    }

    /// Exactly one size.
    pub fn exactly(size: usize) -> Self {
        Self::new(size, size)
    }

    /// As a size, which is never below 0.
    #[must_use]
    pub fn into_size(self) -> Self {
        if self.from.as_ref().is_some_and(|from| !from.is_negative()) {
            return self;
        }
        Self {
            from: Some(BigInt::zero()),
            to: self
                .to
                .map(|to| if to.is_negative() { BigInt::zero() } else { to }),
        }
    }

    /// Exactly 0?
    pub fn is_zero(&self) -> bool {
        self.from.as_ref().is_some_and(BigInt::is_zero)
            && self.to.as_ref().is_some_and(BigInt::is_zero)
    }

    /// Has it no limits?
    pub fn is_unbounded(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Is the number in it?
    pub fn contains(&self, number: &BigInt) -> bool {
        self.from.as_ref().is_none_or(|from| from <= number)
            && self.to.as_ref().is_none_or(|to| number <= to)
    }

    /// Is the size in it?
    pub fn contains_size(&self, size: usize) -> bool {
        let size = i128::try_from(size).unwrap_or(i128::MAX);
        // A limit beyond 128 bits is beyond any size.
        let from = |from: &BigInt| {
            from.to_i128()
                .map_or(from.is_negative(), |from| from <= size)
        };
        let to = |to: &BigInt| to.to_i128().map_or(!to.is_negative(), |to| size <= to);
        self.from.as_ref().is_none_or(from) && self.to.as_ref().is_none_or(to)
    }

    /// Is all of the other one in it?
    pub fn covers(&self, other: &Self) -> bool {
        let from = match (&self.from, &other.from) {
            (None, _) => true,
            (Some(own), Some(other)) => own <= other,
            (Some(_), None) => false,
        };
        from && match (&self.to, &other.to) {
            (None, _) => true,
            (Some(own), Some(other)) => own >= other,
            (Some(_), None) => false,
        }
    }

    /// Do they share a number, or are they neighbours? Then, the range over both.
    pub fn merged(&self, other: &Self) -> Option<Self> {
        let apart = |to: &Option<BigInt>, from: &Option<BigInt>| match (to, from) {
            (Some(to), Some(from)) => to + 1 < *from,
            _ => false,
        };
        if apart(&self.to, &other.from) || apart(&other.to, &self.from) {
            return None;
        }
        Some(self.hull(other))
    }

    /// The smallest range over both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        let from = match (&self.from, &other.from) {
            (Some(one), Some(other)) => Some(one.min(other).clone()),
            _ => None,
        };
        let to = match (&self.to, &other.to) {
            (Some(one), Some(other)) => Some(one.max(other).clone()),
            _ => None,
        };
        Self { from, to }
    }

    /// The parameters with which it is written; none if there are no limits.
    pub(super) fn parts(&self) -> Vec<String> {
        if self.is_unbounded() {
            return Vec::new();
        }
        let from = self.from.as_ref();
        let mut parts = vec![from.map_or_else(|| "default".to_owned(), BigInt::to_string)];
        parts.extend(self.to.as_ref().map(BigInt::to_string));
        parts
    }
}

/// Limits of a float, both inclusive; infinite ones are no limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FloatRange {
    /// The smallest one.
    pub from: f64,
    /// The biggest one.
    pub to: f64,
}

impl FloatRange {
    /// No limits.
    pub const ALL: Self = Self {
        from: f64::NEG_INFINITY,
        to: f64::INFINITY,
    };

    /// Has it no limits?
    pub fn is_unbounded(&self) -> bool {
        self.from == f64::NEG_INFINITY && self.to == f64::INFINITY
    }

    /// Is the number in it? `NaN` never is.
    pub fn contains(&self, number: f64) -> bool {
        self.from <= number && number <= self.to
    }

    /// Is all of the other one in it?
    pub fn covers(&self, other: &Self) -> bool {
        self.from <= other.from && self.to >= other.to
    }

    /// Do they share a number? Then, the range over both.
    pub fn merged(&self, other: &Self) -> Option<Self> {
        let apart = self.to < other.from || other.to < self.from;
        (!apart).then(|| self.hull(other))
    }

    /// The smallest range over both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        let from = if self.from <= other.from {
            self.from
        } else {
            other.from
        };
        let to = if self.to >= other.to {
            self.to
        } else {
            other.to
        };
        Self { from, to }
    }

    /// The parameters with which it is written; none if there are no limits.
    pub(super) fn parts(&self) -> Vec<String> {
        if self.is_unbounded() {
            return Vec::new();
        }
        let mut parts = vec![if self.from == f64::NEG_INFINITY {
            "default".to_owned()
        } else {
            float_text(self.from)
        }];
        if self.to != f64::INFINITY {
            parts.push(float_text(self.to));
        }
        parts
    }
}
