//! Hosts: programs that run a subject's code and speak JSON-RPC 2.0, one message a line. This crate
//! frames and reads their messages, writes their files into the user's cache, and runs a host in the
//! user's place. It knows no dialect: what parameters and results mean is the caller's business.

mod answer;
mod cache;
mod caller;
mod client;
mod errors;
mod files;
mod framing;
mod line;
mod notification;
mod program;

pub use answer::{Answer, Raised};
pub use cache::cache_folder;
pub use caller::{Caller, Ended};
pub use client::{Client, Speech};
pub use files::{HostFiles, digest, write};
pub use framing::{FRAMING, is_notification, message_len};
pub use line::{notification_line, request_line};
pub use notification::Notification;
pub use program::{located, run_once};
