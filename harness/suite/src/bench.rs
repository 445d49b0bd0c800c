//! What sessions with a subject are held with.

use crate::config::Config;
use crate::dialect::Dialect;
use stickler_session::sandbox::Host;
use stickler_transcript::Bytes;

/// What sessions with a subject are held with.
#[derive(Clone, Copy)]
pub struct Bench<'b> {
    /// The subject's dialect.
    pub dialect: &'b dyn Dialect,
    /// What the sandboxes on this machine can do.
    pub host: &'b Host,
    /// The description of the subject.
    pub config: &'b Config,
    /// Its command line. Stored cases have their own.
    pub argv: &'b [Bytes],
}
