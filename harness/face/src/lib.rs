//! What the command line and the commands of each dialect share: arguments, the subject that they name, terminal,
//! failures. [`Face`] is what a dialect adds. This crate must never know a dialect.

pub mod args;
pub mod chosen;
pub mod conform;
pub mod demo;
pub mod description;
pub mod diff;
pub mod doctor;
pub mod failure;
pub mod guess;
pub mod init;
pub mod interrupt;
pub mod library;
pub mod line;
pub mod missing;
pub mod options;
pub mod placeholder;
pub mod programs;
pub mod recording;
pub mod side_by_side;
pub mod subject;
pub mod terminal;

mod dialects;
mod face;
mod spinner;

pub use dialects::{CONFIG, Chosen, Dialects};
pub use face::{Comparison, Face, Named, Schema};
pub use failure::{Done, Failure};
pub use interrupt::Interrupt;
pub use spinner::Spinner;
