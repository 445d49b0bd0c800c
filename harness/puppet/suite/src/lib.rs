//! How Stickler tests types and providers of Puppet's Resource API: where they are, how the host
//! that runs them is started, what it is asked.

mod altered;
mod deferred;
mod dialect;
mod find;
mod host;
mod plans;
mod player;
mod process;
mod refusal;
mod requests;
mod resource;
mod said;
mod site;
mod stored;
mod versions;
mod wire;

pub use dialect::{ResourceApi, VOCABULARY};
pub use find::{Found, find, folder as module_folder, is_module};
pub use host::runs_folder;
pub use process::Process;
pub use site::reach;
