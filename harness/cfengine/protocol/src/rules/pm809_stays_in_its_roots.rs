//! # `..` and symbolic links do not lead out of a directory
//!
//! ## What it requires
//! If a module uses a value as a name below a directory, `..` and symbolic links cause no
//! effect outside that directory.
//!
//! ## Why
//! Values often come from external data. A promise that may fill one directory must not be a
//! way to write anywhere.
//!
//! ## How it is judged
//! - Judged: relative names in the examples that become part of a path. The suite replaces
//!   each with one that has `..` and one that goes through a link. It also puts a link into a
//!   directory below which an example changes something. A change at their target is a
//!   finding; `invalid` and `not_kept` without one pass.
//! - Not judged: fields that `executes` lists; changes in a directory that an ordinary session
//!   uses for the name.
//!
//! ## Example
//! A module joins `name => "../../etc/cron.d/x"` to `/srv/uploads` without a check.
//!
//! ## How to fix
//! In the validation, answer `invalid` to names that begin with `/` or have a part `..`. In
//! the evaluation, resolve links; if the path lies outside, answer `not_kept`.
//! - Python: `os.path.realpath(path).startswith(os.path.realpath(root) + "/")`
//! - Shell: `case $(realpath -m -- "$root/$name") in "$(realpath -- "$root")"/*) … ;; esac`
//! - Trees: do not follow links, as with `chown -h`, `O_NOFOLLOW`, `os.walk`.
//!
//! ## Source
//! Good practice for untrusted names (CWE-22, CWE-59).

use crate::partner::at;
use crate::session::{Exchange, Session};
use crate::warn::words;
use crate::wire::Value;
use std::collections::BTreeSet;
use stickler_judge::{Check, Group, Ledger, Relation, Role, RunPlace, Variant, Variation};
use stickler_reading::{above, within};
use stickler_transcript::TrapKind;
use stickler_transcript::{Change, Item};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::ESCAPE], check)];

/// `..` leads out.
const DOTS: Variant = Variant::new("follows-dots");
/// A symbolic link leads out.
const LINK: Variant = Variant::new("follows-link");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    for (index, variant) in group.role(Role::Escape) {
        let Some(promise) = escaping(variant) else {
            continue;
        };
        let roots = roots(baseline, variant, promise);
        let endings = endings(baseline, variant, promise);
        let out = variant.observations.iter().skip(1).find_map(|observation| {
            // Only the subject's changes count: a request was sent since the last observation.
            let number = *observation.exchanges.last()?;
            let change = observation
                .changes
                .iter()
                .find(|change| is_outside(change, variant, &roots, &endings))?;
            Some((number, change))
        });
        if let Some((number, change)) = out {
            let place = RunPlace::at(index, number);
            let message = format!(
                "outside its directory, the module {}",
                words(change, variant.case())
            );
            let is_link = [":link", ":tree"]
                .iter()
                .any(|end| promise.label.ends_with(end));
            let kind = if is_link { LINK } else { DOTS };
            let mut finding = ledger
                .finding_at(place, kind.says(message))
                .expected("no effect outside");
            if let Some(exchange) = variant.exchanges.iter().find(|e| e.number == number) {
                finding = finding.graded(exchange.provenance);
            }
            if let Some(usual) = baseline.evaluations().next() {
                finding = finding.also(at(partner, usual));
            }
            ledger.report(finding);
        } else if let Some(exchange) = answered(variant, promise) {
            ledger.passes.push(at(index, exchange));
        }
    }
}

/// The promise whose value leads out, unless the author declares that value as a command.
fn escaping(session: &Session) -> Option<&Item> {
    let case = session.case();
    let traps = case.traps.iter().any(|trap| trap.kind == TrapKind::Escape);
    let looked = session.observations.len() > 1;
    case.items
        .iter()
        .find(|promise| promise.variation == Some(Variation::Escape))
        .filter(|promise| {
            let is_run = |field: &String| session.facts.executes.contains(field);
            traps && looked && !promise.field.as_ref().is_some_and(is_run)
        })
}

/// Was the promise evaluated, or rejected?
fn answered<'s>(session: &'s Session, promise: &Item) -> Option<&'s Exchange> {
    let about = |exchange: &&Exchange| exchange.item.as_ref() == Some(&promise.label);
    let evaluated = session
        .evaluations()
        .filter(about)
        .find(|e| e.result().is_some());
    let refused = || {
        session
            .validations()
            .filter(about)
            .find(|e| e.is("invalid"))
    };
    evaluated.or_else(refused)
}

/// The directories in which the ordinary session uses the names that the variant replaced.
fn roots<'s>(baseline: &'s Session, variant: &Session, promise: &Item) -> Vec<&'s [u8]> {
    let used = used(baseline, variant, promise).into_iter();
    used.filter_map(|(path, word)| above(path, word)).collect()
}

/// What stands behind these names in the paths that only stand-ins for commands change, and in no other.
fn endings<'s>(baseline: &'s Session, variant: &Session, promise: &Item) -> BTreeSet<&'s [u8]> {
    let used = used(baseline, variant, promise);
    let ending = |(path, word): &(&'s [u8], &[u8])| {
        let name = path.rsplit(|byte| *byte == b'/').next()?;
        name.strip_prefix(*word)
    };
    let (foreign, own): (Vec<_>, Vec<_>) =
        used.iter().partition(|(path, _)| variant.is_foreign(path));
    let own: BTreeSet<&[u8]> = own.into_iter().filter_map(ending).collect();
    let foreign = foreign.into_iter().filter_map(ending);
    foreign.filter(|ending| !own.contains(ending)).collect()
}

/// The paths that the ordinary session changes, each with the names that the variant replaced.
fn used<'s>(baseline: &'s Session, variant: &Session, promise: &Item) -> Vec<(&'s [u8], &'s [u8])> {
    let Some(field) = promise.field.as_deref() else {
        return Vec::new();
    };
    let changed = variant
        .exchanges
        .iter()
        .find(|exchange| exchange.item.as_ref() == Some(&promise.label))
        .map(|exchange| words_of(exchange, field))
        .unwrap_or_default();
    let evaluations = baseline.evaluations();
    evaluations
        .filter_map(|exchange| Some((exchange.effects.as_ref()?, words_of(exchange, field))))
        .flat_map(|(effects, named)| {
            let gone = named.into_iter().filter(|word| !changed.contains(word));
            gone.flat_map(|word| effects.iter().map(move |change| (&change.path[..], word)))
        })
        .collect()
}

fn words_of<'e>(exchange: &'e Exchange, field: &str) -> Vec<&'e [u8]> {
    let Some(request) = &exchange.request else {
        return Vec::new();
    };
    match field {
        "promiser" => request.promiser.as_deref().into_iter().collect(),
        name => request
            .attribute(name.as_bytes())
            .map_or_else(Vec::new, Value::words),
    }
}

/// Does the effect lie where a trap leads to, outside the roots, and is it not a stand-in's?
fn is_outside(
    change: &Change,
    session: &Session,
    roots: &[&[u8]],
    endings: &BTreeSet<&[u8]>,
) -> bool {
    let path = &change.path[..];
    let traps = session
        .case()
        .traps
        .iter()
        .filter(|trap| trap.kind == TrapKind::Escape);
    let caught = traps.map(|trap| &trap.sign[..]).any(|sign| {
        if sign.starts_with(b"/") {
            within(path, sign)
        } else {
            // The module may append something to the name.
            path.split(|byte| *byte == b'/')
                .filter_map(|part| part.strip_prefix(sign))
                .any(|ending| !endings.contains(ending))
        }
    });
    caught && !roots.iter().any(|root| within(path, root))
}
