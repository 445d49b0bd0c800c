//! The errors that were found.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

#[derive(Default)]
pub(super) struct Findings(pub(super) Vec<Diagnostic>);

impl Findings {
    pub(super) fn add(&mut self, span: Span, message: impl Into<String>) {
        self.0.push(Diagnostic::new(span, message));
    }
}
