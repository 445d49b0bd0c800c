//! The evaluation after a failure, when nothing fails any more.

use super::commands::undone_part;
use crate::compare::{scratch_state_after, unstable};
use crate::effects::comes_after_failure;
use crate::failure::observed;
use crate::output::call_words;
use crate::partner::{at, graded, lost, plain, read_alike, readable, settles};
use crate::phase;
use crate::session::{Exchange, Session};
use crate::temporary::is_in_hidden;
use crate::volatile::Volatile;
use crate::words::{cut, shown, visible};
use stickler_judge::{Group, Ledger, Variant};
use stickler_reading::is_harness;
use stickler_transcript::Level;

/// The work is not done later.
const NOT_MADE_UP: Variant = Variant::new("not-made-up");
/// Later evaluations fail, too.
const STILL_FAILS: Variant = Variant::new("still-fails");

/// Does the next evaluation do the work that the failure prevented?
pub(super) fn made_up_for(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    if !settles(baseline) {
        return;
    }
    let volatile = Volatile::of(group);
    let unstable = unstable(group);
    for (_, index, variant) in group.variants() {
        let mut evaluations = variant.evaluations();
        let (Some(failed), Some(after)) = (evaluations.next(), evaluations.next()) else {
            continue;
        };
        let usual = variant
            .item(after)
            .and_then(|promise| plain(baseline, promise, phase::EVALUATE))
            .filter(|usual| usual.is("repaired") && !unstable.contains(&usual.key));
        let (Some(usual), true) = (usual, comes_after_failure(after) && readable(after)) else {
            continue;
        };
        if !failed.is("not_kept") && !failed.is("error") {
            continue;
        }
        let by_call = failed.failed_write().is_some();
        let wrong = if after.is("kept") || after.is("repaired") {
            not_made_up(usual, after, (baseline, variant), &volatile)
                .or_else(|| {
                    let idle = after.is("kept") && !by_call && !runs_commands(after, variant);
                    idle.then(|| "it runs none of its commands again".to_owned())
                })
                .map(|words| (NOT_MADE_UP, words))
        } else {
            // A module may stop after a command that failed once.
            by_call.then(|| (STILL_FAILS, "nothing fails any more".to_owned()))
        };
        let Some((kind, wrong)) = wrong else {
            ledger.passes.push(at(index, after));
            continue;
        };
        let result = cut(&visible(after.result().unwrap_or_default()), 40);
        let what = match failed.stopped_at() {
            Some(call) if by_call => format!("a call ({})", call_words(call, variant.case())),
            _ if by_call => "a call".to_owned(),
            _ => "a command".to_owned(),
        };
        let message = format!("evaluated again after {what} failed: `{result}`, but {wrong}");
        let finding = ledger
            .finding_at(at(index, after), kind.says(message))
            .expected("`repaired`, as in an undisturbed session")
            .also(at(index, failed))
            .also(at(partner, usual))
            .at_most(Level::Should);
        ledger.report(graded(finding, after));
    }
}

/// What an undisturbed session changes, and this one has not changed by its second evaluation.
fn not_made_up(
    usual: &Exchange,
    after: &Exchange,
    (baseline, variant): (&Session, &Session),
    volatile: &Volatile,
) -> Option<String> {
    let case = variant.case();
    if let Some(path) = undone_part(usual, after, variant, volatile) {
        return Some(format!(
            "the change to `{}` is missing",
            shown(path, case, 80)
        ));
    }
    if !read_alike(baseline, variant) {
        return None;
    }
    let now = scratch_state_after(variant, after);
    let lost = lost(baseline, &now, volatile, |path| !is_in_hidden(path))?;
    let path = shown(&lost.path, case, 80);
    (!lost.mode_alone).then(|| format!("`{path}` {}", lost.difference))
}

/// Does an evaluation run a stand-in that counts its calls?
fn runs_commands(exchange: &Exchange, session: &Session) -> bool {
    observed(session, exchange).is_none_or(|changes| changes.iter().any(is_harness))
}
