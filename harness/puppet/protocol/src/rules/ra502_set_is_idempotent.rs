//! # A second run makes no changes
//!
//! ## What it requires
//! After `set` returns, the same target needs no further change. The same change once more does no harm.
//!
//! ## Why
//! A resource that changes in every run hides real changes, and restarts services again and again.
//!
//! ## How it is judged
//! - Judged: an evaluation right after one that changed something, by the same process or a new one, also
//!   after a pause; errors such as NoMethodError if the same change is made again, as if another process had
//!   been quicker.
//! - Not judged: examples whose author expects `changed` again; difficult texts, unless `insync?`
//!   decides (RA803); a change that is refused the second time.
//!
//! ## Example
//! `set` appends a line that `get` does not recognise; `insync?` compares with `value.hash`, which differs
//! from process to process.
//!
//! ## How to fix
//! Let `get` return values in the form in which users write them, or declare `canonicalize`.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use super::ra801_plain_errors::OF_THE_CODE;
use crate::after::{after_each, afters, holds_secrets, is_outdated, says_no};
use crate::backends::commands_fail;
use crate::phase;
use crate::purpose;
use crate::reads::LATER;
use crate::rows::{evaluations, is_difficult};
use crate::session::{Call, Session};
use std::collections::BTreeSet;
use stickler_judge::{Check, Defect, Ledger, Variant};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(LATER, check)];

/// A new process sets the resource again.
const RESTARTED: Variant = Variant::new("restarted");
/// The same change again raises.
const AGAIN: Variant = Variant::new("again");

fn check(session: &Session, ledger: &mut Ledger) {
    if commands_fail(session) {
        return;
    }
    repeated(session, ledger);
    let all = evaluations(session);
    for (at, pair) in all.windows(2).enumerate() {
        let [(_, first, before), (_, second, after)] = pair else {
            continue;
        };
        let item = session.item(second);
        let definition = session.definition(second);
        let decides = definition.is_some_and(|own| own.has_feature("custom_insync"));
        let is_text = is_difficult(session, second) && !decides;
        let expect = item.map(|item| &item.expect[..]).unwrap_or_default();
        let expected = expect.get(at + 1).or(expect.last());
        // Where `insync?` refuses to answer, no runtime sets anything.
        let is_asked = |call: &Call| (first.number..second.number).contains(&call.number);
        let mut asked = session.calls(phase::INSYNC);
        let is_refused = asked.any(|(call, answer)| is_asked(call) && answer.failure().is_some());
        let is_judged = !is_text
            && !is_refused
            && first.item == second.item
            && *before == Fate::Changed
            && *after != Fate::Failed
            && expected.is_none_or(|expected| expected != "changed")
            && !session.changed_between(first, second)
            && !(*after == Fate::Changed && is_outdated(session, second));
        if is_judged {
            let of = |names: Vec<String>| match &names[..] {
                [] => String::new(),
                names => format!(" of `{}`", names.join("`, `")),
            };
            let why = match missed(session, first) {
                // It alone knows what it compares.
                None if decides => {
                    let refused = session
                        .calls(phase::INSYNC)
                        .filter(|(call, answer)| {
                            is_asked(call)
                                && answer.value("value").is_some_and(|said| says_no(&said))
                        })
                        .filter_map(|(call, _)| Some(call.param("property")?.to_text()));
                    let names = refused.collect::<BTreeSet<_>>().into_iter().collect();
                    let target = format!("the target{}", of(names));
                    format!(": `insync?` says that it has not reached {target}")
                }
                // What a secret is like cannot be seen.
                None if hides(session, first) => String::new(),
                None => ", although it has reached the target".to_owned(),
                Some(names) => format!(": it has not reached the target{}", of(names)),
            };
            let broken = match first.process == second.process {
                true => Defect::from(format!("`set` is called again{why}")),
                false => RESTARTED.says(format!("a new process calls `set` again{why}")),
            };
            let broken = (*after == Fate::Changed).then_some(broken);
            ledger.check(second.number, second.provenance, broken);
        }
    }
}

/// A change is made again, as if nobody had made it: what is there is created, or what is gone is deleted.
fn repeated(session: &Session, ledger: &mut Ledger) {
    let all = session.calls(phase::SET);
    for (call, answer) in all.filter(|(call, _)| call.key.is(purpose::REPEATED)) {
        // What failed the first time is judged there.
        let mut earlier = session.calls(phase::SET);
        let is_first = |one: &Call| {
            one.number < call.number
                && one.process == call.process
                && one.param("changes") == call.param("changes")
        };
        if !earlier.any(|(one, _)| is_first(one) && !one.fails()) {
            continue;
        }
        // A block of a log keeps an exception for itself.
        let in_blocks = call.events.iter().filter_map(|event| event.error.as_ref());
        let mut failures = answer.failure().into_iter().chain(in_blocks);
        let is_code = |class: &String| OF_THE_CODE.contains(&&**class);
        let crash = failures.find(|failure| {
            failure.lack().is_none()
                && !failure.in_library
                && failure.class.as_ref().is_some_and(is_code)
        });
        let broken = crash.map(|failure| {
            AGAIN.says(format!(
                "made once more, the same change raises {}{}",
                failure.in_words(),
                failure.place()
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}

/// Does a `set` have a secret among its targets?
fn hides(session: &Session, set: &Call) -> bool {
    let mut all = after_each(session).into_iter();
    all.any(|one| one.set.number == set.number && holds_secrets(&one.change))
}

/// The properties that are not as they were to be in the `get` after a `set`; `None` if it shows the target.
fn missed(session: &Session, set: &Call) -> Option<Vec<String>> {
    let mut all = afters(session).into_iter();
    match all.find(|one| one.set.number == set.number) {
        Some(after) => after.wrong.map(|wrong| wrong.properties),
        None => Some(Vec::new()),
    }
}
