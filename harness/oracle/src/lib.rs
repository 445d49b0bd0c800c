//! Compares the oracle of a dialect with the real peer: both get the same input, and what they show
//! is compared. This crate knows no dialect, evaluates nothing and judges no subject.
//!
//! A dialect implements [`Sides`]: how each side runs, and what of it counts. [`compare`] runs them,
//! or takes the peer's runs from a file ([`Stored`]). A [`Difference`] fails the comparison unless
//! the dialect lists it with a reason ([`AcceptedDifference`]). A [`Room`] runs one side in a sandbox of its own.

mod difference;
mod effects;
mod error;
mod known;
mod line;
mod place;
mod room;
mod run;
mod sides;
mod stored;
mod tally;

pub use difference::{Difference, steady};
pub use effects::{ChangedPath, changed_paths};
pub use error::Error;
pub use known::AcceptedDifference;
pub use line::{Generated, Line, json_schema};
pub use place::InputPlace;
pub use room::{End, Job, Ran, Room};
pub use run::RunName;
pub use sides::{Compared, Comparison, Sides, compare, compare_run};
pub use stored::Stored;
pub use tally::{RunVerdict, Tally};
