//! CFEngine custom promise modules: the wire protocol, sessions as rules see them, and the rules.
//!
//! Pure: this crate reads transcripts and bytes. It never starts a process, reads a clock or
//! touches a file.

mod aftermath;
pub mod agents;
pub mod carried;
pub mod cause;
pub mod compare;
mod declared;
mod effects;
mod ending;
mod excerpt;
mod facts;
mod failure;
mod fate;
pub mod internals;
mod logs;
pub mod meant;
pub mod memo;
mod naming;
mod narrower;
pub mod needs;
mod offer;
mod output;
mod partner;
pub mod phase;
pub mod purpose;
mod reads;
pub mod relation;
pub mod release;
mod requests;
mod results;
pub mod rules;
mod session;
pub mod shape;
mod stated;
pub mod temporary;
pub mod trace;
mod turn;
pub mod unfilled;
pub mod volatile;
mod warn;
pub mod wire;

pub use cause::why_failed;
pub use effects::{Weight, weigh};
pub use facts::Facts;
pub use fate::WORDS;
pub use memo::Memo;
pub use session::{Ended, Exchange, FRAMING, Left, Observation, Process, Session, Writes};
pub use stated::promise;
pub use stickler_reading::words;
pub use temporary::is_modules_own;
pub use turn::{accepts, message_len};
