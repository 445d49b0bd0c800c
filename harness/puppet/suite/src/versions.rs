//! A case as other versions of the library play it, and as the specification has it.

use crate::deferred::Deferred;
use crate::keys::RUNTIMES;
use crate::stored::{member_mut, rewrite};
use puppet_protocol::{phase, releases};
use puppet_runtime::Release;
use puppet_types::Value;
use stickler_suite::config::Config;
use stickler_transcript::{Case, Relation, Role, Step};

/// Where a description keeps the release that sessions play unless they are about others.
const CHOSEN: &str = "runtime";

/// Plays this release in all sessions that are not about others.
pub fn use_runtime(config: &mut Config, release: Release) {
    config.subject.own.set(CHOSEN, release.api.name.to_owned());
}

/// Plays this release, and no other.
pub fn use_only_runtime(config: &mut Config, release: Release) {
    use_runtime(config, release);
    let only = vec![release.name.to_owned()];
    config.subject.own.set(RUNTIMES, only);
}

/// The version of the library whose runtime is played.
pub(crate) fn usual(config: &Config) -> &str {
    let newest = || targets(config).last().map_or(NEWER, |one| one.api.name);
    config.subject.own.text(CHOSEN).unwrap_or_else(|| newest())
}

/// The releases that the module is meant for, from the oldest to the newest: all that were measured unless the
/// author names some.
pub fn targets(config: &Config) -> Vec<Release> {
    let named = config.subject.own.texts(RUNTIMES);
    let mut all = Vec::from(Release::ALL);
    match named.is_empty() {
        true => all.retain(|one| *one != Release::SPEC),
        false => all.retain(|one| named.iter().any(|name| name == one.name)),
    }
    all
}

/// The other versions of the library that the module is meant for.
pub(crate) fn others(config: &Config) -> Vec<&'static str> {
    let usual = usual(config);
    let all = targets(config).into_iter().map(|one| one.api.name);
    all.filter(|name| *name != usual).collect()
}

/// Does one of them ask for all rows with a list of no names?
pub(crate) fn asks_with_empty_lists(config: &Config) -> bool {
    let mut all = targets(config).into_iter();
    all.any(|one| one.api.all_is_an_empty_list)
}

/// The first of them that keeps rows during a run.
pub(crate) fn keeping(config: &Config) -> Option<&'static str> {
    let mut all = targets(config).into_iter();
    let keeping = all.find(|one| one.api.keeps_rows())?;
    Some(keeping.api.name)
}

/// Those that ask providers for further resources.
pub(crate) fn generating(config: &Config) -> Vec<&'static str> {
    let all = targets(config).into_iter();
    let all = all.filter(|one| one.api.generates());
    all.map(|one| one.api.name).collect()
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

/// The oldest and the newest version of the library that were measured.
const OLDER: &str = Release::PUPPET_7.api.name;
const NEWER: &str = Release::NEWEST.api.name;

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

/// The case with each deployed version of the library that its module is meant for: where the author names none, the
/// oldest and the newest that were measured.
pub(crate) fn deployed(case: &Case) -> (&'static str, Vec<(&'static str, Case)>) {
    let named = case.facts.get(releases::FACT);
    let named = named.and_then(|names| names.as_array()).into_iter();
    let named = named.flatten().filter_map(|name| name.as_str());
    let measured = named
        .filter_map(Release::named)
        .filter(|one| Release::MEASURED.contains(one));
    let mut versions: Vec<&str> = measured.map(|one| one.api.name).collect();
    if versions.is_empty() {
        versions = vec![OLDER, NEWER];
    }
    let versions = versions.into_iter();
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
