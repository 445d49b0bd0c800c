//! mgmt resources for the suite: the host around the author's package, and the sessions with it.

mod deeds;
mod dialect;
mod driven;
mod fitting;
mod graphs;
mod host;
mod inspect;
mod keys;
mod literals;
mod plans;
mod recording;
mod registered;
mod requests;
mod said;
mod sample;
mod shown;
mod staged;
mod swapping;
mod values;
mod verbs;
mod vocabulary;
mod watching;
mod wire;

pub use dialect::Mgmt;
pub use fitting::drift_command;
pub use graphs::{GraphCases, Ran, case_folder};
pub use host::{detect_races, is_host, with_engine};
pub use inspect::{Inspected, kinds};
pub use keys::{INIT, OVERLAY, TAGS};
pub use recording::recording;
pub use sample::sample;
pub use vocabulary::VOCABULARY;
