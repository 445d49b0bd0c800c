//! The same catalog through Stickler's runtime and through the real Puppet, each a program in a
//! sandbox of its own. [`Appliers`] are the sides of a comparison by `stickler-oracle`.

mod compare;
mod run;
mod seen;
mod sides;

pub use compare::of_seen as compare_seen;
pub use run::Run;
pub use seen::{Change, Message, Seen, Status};
pub use sides::{Appliers, PEER};
