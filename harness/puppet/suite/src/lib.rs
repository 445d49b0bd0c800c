//! How Stickler tests types and providers of Puppet's Resource API: where they are, how the host
//! that runs them is started, what it is asked.

mod altered;
mod deferred;
mod dialect;
mod find;
mod host;
mod keys;
mod named;
mod plans;
mod player;
mod recording;
mod refusal;
mod registered;
mod requests;
mod resource;
mod said;
mod secret;
mod shown;
mod site;
mod stored;
mod there;
mod twins;
mod verbs;
mod versions;
mod vocabulary;
mod wire;

pub use dialect::ResourceApi;
pub use find::{Found, find, folder as module_folder, is_module};
pub use host::{interpreter, runs_folder};
pub use recording::{SPEECH, recording};
pub use secret::wrapped;
pub use shown::Shown;
pub use site::reach;
pub use there::there_are;
pub use versions::{targets, use_only_runtime, use_real_puppet, use_runtime};
pub use vocabulary::VOCABULARY;
