//! Whether a policy that is read makes sense: what the agent finds wrong
//! before it evaluates anything.
//!
//! [`file`] looks at one file's blocks, [`whole`] and [`missing`] at the policy
//! that all files make together.

mod block;
mod body;
mod calls;
mod own_value;
mod promise;
mod runnable;
mod special;
pub(crate) mod truth;
mod twice;

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::Policy;

/// Finds what is wrong within one file.
pub fn file(policy: &Policy) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    for bundle in &policy.bundles {
        block::bundle(bundle, policy, &mut found);
    }
    for body in &policy.bodies {
        body::body(body, &mut found);
    }
    for block in &policy.promise_blocks {
        body::promise_block(block, &mut found);
    }
    twice::blocks(policy, &mut found);
    twice::handles(policy, &mut found);
    calls::evaluated(policy, &mut found);
    own_value::contained(policy, &mut found);
    found.0
}

/// Finds what is wrong with all files together, given that each is well.
pub fn whole(policy: &Policy) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    for bundle in &policy.bundles {
        special::calls_of_bundles(bundle, policy, &mut found);
    }
    twice::blocks(policy, &mut found);
    twice::handles(policy, &mut found);
    if policy.control("common").is_some() {
        runnable::comments(policy, &mut found);
    }
    found.0
}

/// Finds bodies that promises name and that all files together lack. The agent asks
/// for them all before it runs a policy; by itself, only a policy with a `body common
/// control` must have them.
pub fn missing(policy: &Policy) -> Vec<Diagnostic> {
    let mut found = Findings::default();
    runnable::bodies(policy, &mut found);
    found.0
}

#[derive(Default)]
struct Findings(Vec<Diagnostic>);

impl Findings {
    fn add(&mut self, span: Span, message: impl Into<String>) {
        self.0.push(Diagnostic::new(span, message));
    }
}

#[cfg(test)]
mod tests;
