//! Puppet data types without Puppet: types and their values, definitions of resource types and
//! transports, title patterns.
//!
//! This crate answers as Puppet 7.23 and its Resource API library do, peculiarities included; tests
//! compare it with them. It knows no subject, no host and no transcript, and does no I/O. What only
//! a real Ruby can answer is [`Undecided`].

mod aliases;
mod assign;
pub mod definition;
mod describe;
mod dice;
pub mod generate;
mod infer;
mod matches;
mod munge;
mod names;
mod parse;
pub mod regex;
pub mod titles;
mod types;
mod undecided;
mod unfollowed;
pub mod value;

pub use aliases::Aliases;
pub use definition::{Attribute, Behaviour, Definition, Problem};
pub use dice::Dice;
pub use matches::Match;
pub use munge::Refused;
pub use parse::{ErrorClass, ParseError, parse, parse_with};
pub use types::{
    Alias, FloatRange, Kind, Member, Named, Parameter, Range, Rare, Text, Type, Unfollowed, Unknown,
};
pub use undecided::{Reason, Undecided};
pub use value::Value;
