//! A case as other versions of the library play it, and as the specification has it.

use crate::deferred::Deferred;
use crate::stored::{member_mut, rewrite};
use puppet_protocol::phase;
use puppet_runtime::Release;
use puppet_types::Value;
use stickler_suite::config::Config;
use stickler_transcript::{Case, Relation, Role, Step};

/// The version of the library whose runtime Stickler plays unless told otherwise.
pub(crate) const RUNTIME: &str = "1.8.16";

/// Where a description keeps the version that the user wants in place of it.
const CHOSEN: &str = "runtime";

/// Plays this release in all sessions.
pub fn use_runtime(config: &mut Config, release: Release) {
    config.subject.own.set(CHOSEN, release.api.name.to_owned());
}

/// The version of the library whose runtime is played.
pub(crate) fn usual(config: &Config) -> &str {
    config.subject.own.text(CHOSEN).unwrap_or(RUNTIME)
}

/// The version with which it is compared.
pub(crate) fn other(config: &Config) -> &'static str {
    match usual(config) {
        NEWER => RUNTIME,
        _ => NEWER,
    }
}

/// Where a description keeps whether providers get the installed Puppet.
const REAL: &str = "real_puppet";

/// Gives providers the installed Puppet in place of the stand-ins, in all sessions.
pub fn use_real_puppet(config: &mut Config) {
    config.subject.own.set(REAL, true);
}

/// Do providers get the installed Puppet in all sessions?
pub(crate) fn is_real(config: &Config) -> bool {
    config.subject.own.truth(REAL)
}

/// The newest version of the library.
pub(crate) const NEWER: &str = "2.0.1";

/// The case with a runtime as the specification has it. `None` if the harness disturbs the provider in
/// it, or if it is about versions.
pub(crate) fn specified(case: &Case) -> Option<Case> {
    let is_undisturbed = case.groups.iter().all(|member| {
        !matches!(member.relation, Relation::KILL | Relation::COMMANDS)
            && (member.relation != Relation::WRITE || member.role == Role::Baseline)
    });
    if !is_undisturbed {
        return None;
    }
    under(case, "spec")
}

/// The case with each deployed version of the library.
pub(crate) fn deployed(case: &Case) -> (&'static str, Vec<(&'static str, Case)>) {
    let versions = [RUNTIME, NEWER].into_iter();
    let cases = versions.filter_map(|version| Some((version, under(case, version)?)));
    ("puppet-resource_api", cases.collect())
}

/// The case with one version. `None` if it runs with the installed Puppet.
fn under(case: &Case, version: &str) -> Option<Case> {
    let mut case = case.clone();
    let begins = sends(&case).filter(|send| send.phase == phase::INITIALIZE);
    let count = begins.count();
    let changed = rewrite(&mut case, &[phase::INITIALIZE], |_, params| {
        *member_mut(params, "runtime")? = Value::string(version);
        Some(())
    });
    evaluate_as(&mut case, version);
    (count > 0 && changed == count).then_some(case)
}

/// Lets the runtime evaluate as a version does.
fn evaluate_as(case: &mut Case, version: &str) {
    let steps = case.plan.iter_mut().flat_map(|plan| &mut plan.steps);
    for step in steps {
        let Step::Send(send) = step else { continue };
        if let Some(Ok(mut deferred)) = Deferred::read(send)
            && let Some(piece) = send.pieces.first_mut()
        {
            for evaluation in deferred.evaluations_mut() {
                version.clone_into(&mut evaluation.version);
            }
            piece.data = deferred.line().into();
            send.pieces.truncate(1);
        }
    }
}

fn sends(case: &Case) -> impl Iterator<Item = &stickler_transcript::Send> {
    let steps = case.plan.iter().flat_map(|plan| &plan.steps);
    steps.filter_map(|step| match step {
        Step::Send(send) => Some(send),
        _ => None,
    })
}
