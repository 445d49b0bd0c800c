//! Plays situations with an agent under test: one table of situations for each dialect, one runner, one comparison.
//!
//! A dialect implements [`Table`] and [`Situations`]: how its agent plays situations, and what the measured releases did.
//! [`run`] plays
//! them side by side, [`standing`] says which release the agent behaves as, and [`situations`] turns the differences
//! into outcomes for the reporters. This crate knows no dialect, and applies no rule.

mod apart;
mod maker;
mod noted;
mod outcomes;
pub mod rows;
mod run;
mod situations;
mod standing;
mod table;

pub use apart::apart;
pub use maker::{Maker, Tried};
pub use noted::Noted;
pub use outcomes::{Unplayed, differs, situations};
pub use run::{Ran, Settings, run};
pub use situations::{Line, Own, Situations, kept, lines, words};
pub use standing::{Standing, agreements, differing, standing};
pub use table::{Difference, Played, REPRODUCED, Stored, Table, Weight};
