//! Checks a parsed policy: the errors that cf-agent finds before it evaluates anything.
//!
//! [`file`] checks the blocks of one file, [`whole`] and [`missing`] check all files of a policy
//! together.

mod block;
mod body;
mod calls;
mod findings;
mod own_value;
mod promise;
mod runnable;
mod special;
pub(crate) mod truth;
mod twice;

use crate::diagnostic::Diagnostic;
use crate::tree::Policy;
use cfengine_protocol::release::Release;
use findings::Findings;

/// Finds the errors within one file.
pub fn file(policy: &Policy, release: &Release) -> Vec<Diagnostic> {
    let mut found = Findings::new(release);
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
    found.all
}

/// Finds the errors of all files together; each file by itself must be valid.
pub fn whole(policy: &Policy, release: &Release) -> Vec<Diagnostic> {
    let mut found = Findings::new(release);
    for bundle in &policy.bundles {
        special::calls_of_bundles(bundle, policy, &mut found);
    }
    twice::blocks(policy, &mut found);
    twice::handles(policy, &mut found);
    if policy.control("common").is_some() {
        runnable::comments(policy, &mut found);
    }
    found.all
}

/// Finds bodies that promises name and that no file defines. cf-agent requires them all before a
/// run. cf-promises requires them only if there is a `body common control`.
pub fn missing(policy: &Policy, release: &Release) -> Vec<Diagnostic> {
    let mut found = Findings::new(release);
    runnable::bodies(policy, &mut found);
    found.all
}

#[cfg(test)]
mod tests;
