//! What sessions with a subject are held with.

use crate::config::Config;
use crate::dialect::Dialect;
use crate::learned::Learned;
use crate::setting::{Setting, Speech};
use std::collections::BTreeSet;
use stickler_session::sandbox::{Host, Lack, Tier};
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

impl<'b> Bench<'b> {
    /// For sessions outside the suite: nothing is compared, and nothing is chosen at random.
    pub fn setting(&self, known: &'b Learned) -> Setting<'b> {
        Setting {
            words: self.dialect.vocabulary(),
            verbs: known.verbs(),
            config: self.config,
            knowledge: &known.common,
            read: BTreeSet::new(),
            compared: BTreeSet::new(),
            argv: self.argv.to_vec(),
            speech: Speech::Agent,
            seed: 0,
            sandboxed: self.host.tier() != Tier::None,
            targets: !self.host.lacking().contains(&Lack::Targets),
        }
    }
}
