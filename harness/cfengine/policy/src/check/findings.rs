//! The errors that were found.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use cfengine_protocol::release::Release;

/// The errors of a policy for one release.
pub(super) struct Findings<'r> {
    pub(super) release: &'r Release,
    pub(super) all: Vec<Diagnostic>,
}

impl<'r> Findings<'r> {
    pub(super) fn new(release: &'r Release) -> Self {
        Self {
            release,
            all: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, span: Span, message: impl Into<String>) {
        self.all.push(Diagnostic::new(span, message));
    }
}
