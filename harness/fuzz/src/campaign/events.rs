//! What a campaign tells while it goes on.

use super::before::Recalled;
use crate::finding::Finding;
use crate::status::Status;
use std::sync::Arc;
use stickler_suite::{Observer, Redactor};

/// Everything that a campaign tells.
#[derive(Debug)]
pub enum CampaignEvent<'e> {
    /// The examples have shown what is secret.
    Learned(Arc<Redactor>),
    /// The campaign begins.
    Begins {
        /// With so many inputs of its own.
        seeds: usize,
        /// And so many of the corpus.
        from_corpus: usize,
    },
    /// A defect that an earlier run found was run again.
    Recalled(Recalled<'e>),
    /// A defect is confirmed. If it is one that an earlier run found, it says so.
    Found(&'e Finding),
    /// Something that the user should know.
    Note(&'e str),
    /// How far the campaign is: several times a second.
    Status(&'e Status),
}

/// Follows a campaign.
pub type CampaignObserver<'o> = dyn for<'e> Observer<CampaignEvent<'e>> + 'o;
