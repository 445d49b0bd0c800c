//! Policies made up from a sequence of choices: the same choices make the same
//! policy, and smaller choices a simpler one, so that a policy is made smaller by
//! changing the sequence. Knows the language's surface, and no evaluation.

mod bundle;
mod choices;
mod condition;
mod custom;
mod files;
mod functions;
mod policy;
mod shrink;
mod values;
mod variables;

pub use choices::Choices;
pub use custom::{JSON_MODULE, LINE_MODULE, PLAIN_MODULE};
pub use policy::{Policy, policy};
pub use shrink::shrink;
