//! Generates policies from a sequence of choices. The same choices give the same policy, and
//! smaller choices give a simpler one. So changing the sequence shrinks a policy. This crate only
//! knows the syntax of the language, not its evaluation.

mod bundle;
mod choices;
mod condition;
mod custom;
mod files;
mod functions;
mod policy;
mod scope;
mod shrink;
mod values;
mod variables;

pub use choices::Choices;
pub use custom::{JSON_MODULE, LINE_MODULE, PLAIN_MODULE};
pub use policy::{Policy, policy};
pub use shrink::shrink;
