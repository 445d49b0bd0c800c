//! What the suite needs to test promise modules: how to talk to them, what to learn about them, and
//! the plan families that only they need.

mod deployed;
mod dialect;
mod driven;
mod keys;
mod plans;
mod program;
mod registered;
mod requests;
mod said;
mod shown;
mod targeted;
mod wire;

pub use dialect::{PromiseModules, VOCABULARY};
pub use driven::outcome;
pub use shown::Shown;
