//! A file that exists and may not be read is not an empty one.

use super::LOSES;
use crate::compare::scratch_state;
use crate::partner::{at, lost};
use crate::session::Session;
use crate::volatile::Volatile;
use crate::words::shown;
use stickler_judge::{Group, Ledger, Role};
use stickler_transcript::Level;

/// Does `repaired` lose what the same promise keeps if it may read its file?
pub(super) fn unreadable(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    let volatile = Volatile::of(group);
    for (role, index, variant) in group.variants() {
        if *role != Role::Unreadable || variant.is_truncated() || baseline.is_truncated() {
            continue;
        }
        let Some(exchange) = variant.evaluations().last() else {
            continue;
        };
        let usual = baseline.exchange(&exchange.key);
        let Some(usual) = usual.filter(|usual| usual.is("repaired")) else {
            continue;
        };
        let place = at(index, exchange);
        let lost = lost(baseline, &scratch_state(variant), &volatile, |_| true)
            .filter(|lost| !lost.mode_alone && exchange.is("repaired"));
        let Some(lost) = lost else {
            ledger.passes.push(place);
            continue;
        };
        let finding = ledger
            .finding_at(
                place,
                LOSES.says(format!(
                    "a file that it may not read: `repaired`, and `{}` {}",
                    shown(&lost.path, variant.case(), 80),
                    lost.difference
                )),
            )
            .expected("not_kept, or the state of a session that may read the file")
            .at_most(Level::Should)
            .graded(exchange.provenance)
            .also(at(partner, usual));
        ledger.report(finding);
    }
}
