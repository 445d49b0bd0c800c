//! Explains outcomes: why a rule was not judged, and what a deployed agent would do with the answers that findings
//! are about.

use crate::bench::Bench;
use crate::dialect::Dialect;
use crate::learned::Learned;
use crate::run::{Cut, RunOutput, SETUP};
use std::collections::BTreeSet;
use stickler_judge::{AnySession, Confirmed, Explained, Matter, Rule, Verdict, WORKING_EXAMPLE};
use stickler_session::sandbox::Lack;
use stickler_transcript::Relation;

/// What a deployed agent would do with the answers that the findings of a rule are about.
pub(crate) fn remarked(
    dialect: &dyn Dialect,
    rule: &Rule,
    outcome: Explained,
    sessions: &[AnySession],
) -> Explained {
    match rule.matter {
        Matter::Answer => outcome.remarked(|finding| dialect.remark(finding, sessions)),
        Matter::Deed => outcome,
    }
}

/// Withdraws what an incomplete run cannot say.
pub(crate) fn left_open(outcome: Confirmed, rule: &Rule) -> Explained {
    // The session that shows what differs anyway may be among those that did not run.
    let seems = outcome.verdict == Verdict::Fail && !outcome.is_confirmed();
    let what = outcome.message.clone().unwrap_or_default();
    // A failure that is expected may still be in the part that did not run.
    let is_open = matches!(outcome.verdict, Verdict::NotExercised | Verdict::Xpass);
    let outcome = Explained::from(outcome);
    if seems && rule.compares() {
        return outcome.skipped(format!(
            "interrupted before it was tried again; it seemed that: {what}"
        ));
    }
    match is_open {
        true => outcome.skipped("the run was interrupted"),
        false => outcome,
    }
}

/// Adds to an outcome of a run that came to its end why the rule was not judged: `part` says so of a run of only a part
/// of the suite.
pub(crate) fn explained(
    bench: &Bench<'_>,
    outcome: Confirmed,
    rule: &Rule,
    output: &RunOutput,
    part: Option<&'static str>,
) -> Explained {
    let Bench { dialect, host, .. } = *bench;
    let outcome = Explained::from(outcome);
    let relations = rule.relations();
    if outcome.verdict == Verdict::Pass {
        let is_read = |session: &&Vec<Relation>| session.iter().any(|one| relations.contains(one));
        return outcome.without(output.unheld.each.iter().filter(is_read).count());
    }
    if outcome.verdict != Verdict::NotExercised {
        return outcome;
    }
    if relations.contains(&Relation::PROTECT) && host.lacking().contains(&Lack::Targets) {
        let tier = host.tier();
        return outcome.skipped(format!(
            "the {tier} sandbox has no read-only and full targets"
        ));
    }
    let mut left_out = output.left_out.iter();
    if let Some((_, why)) = left_out.find(|(_, why)| !why.starts_with(SETUP)) {
        return outcome.skipped(why);
    }
    if let Some((why, wanted)) = inapplicable(bench, rule, &output.known) {
        return outcome.because(why).wanting(wanted);
    }
    if let Some(why) = dialect.lacking(&output.sessions) {
        return outcome.skipped(why).wanting(Some("what is missing here"));
    }
    let unheld = !relations.is_disjoint(&output.unheld.relations);
    // Nobody asked for the usual time: a rule is not reached only if it had no session at all.
    let is_reached = output.unheld.why == Some(Cut::UsualTime) && is_read(&relations, output);
    let why = match output.unheld.why {
        Some(Cut::Failure) => "the run ended at the first failure",
        Some(Cut::UsualTime) if unheld && is_reached => {
            "time: some of its sessions did not run, and nothing in the others could have broken it"
        }
        Some(Cut::Time | Cut::UsualTime) if unheld => {
            return outcome.unheld("time: its sessions did not run");
        }
        Some(Cut::Sessions) if unheld => {
            return outcome.unheld("--sessions: its sessions did not run");
        }
        _ => match rule.silent.filter(|_| part.is_none()) {
            Some(why) => why,
            None if judges_held(rule, &output.sessions) => dialect.vocabulary().never,
            None => part.unwrap_or("no session tests this"),
        },
    };
    outcome.because(why)
}

/// Why a rule cannot judge anything of this subject and description, if it cannot, and what its author could add.
fn inapplicable(
    bench: &Bench<'_>,
    rule: &Rule,
    known: &Learned,
) -> Option<(&'static str, Option<&'static str>)> {
    if !known.common.usable {
        return Some(("no request was answered", Some(WORKING_EXAMPLE)));
    }
    let mut needs = rule.needs.iter();
    let missing = needs.find(|need| !bench.dialect.has(need, bench.config, known));
    missing.map(|need| (need.lacking, need.wanted))
}

/// Was a session held that a rule with these relations reads?
fn is_read(relations: &BTreeSet<Relation>, output: &RunOutput) -> bool {
    let mut groups = output.sessions.iter().flat_map(|one| &one.case().groups);
    groups.any(|group| relations.contains(&group.relation))
}

/// Does a rule judge some of these sessions each by itself? Then it found nothing to judge in them.
fn judges_held(rule: &Rule, sessions: &[AnySession]) -> bool {
    let relations = rule.relations();
    let mut groups = sessions.iter().flat_map(|one| &one.case().groups);
    !rule.compares()
        && (relations.is_empty() || groups.any(|group| relations.contains(&group.relation)))
}
