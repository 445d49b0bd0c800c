//! # Reading starts from `Default`, and a round trip compares equal
//!
//! ## What it requires
//! `UnmarshalYAML`, where there is one, sets the fields that it is given on top of `Default`. A
//! resource that is written with `encoding/gob` and read again compares equal.
//!
//! ## Why
//! Graphs in YAML are read in this way. The engine writes resources with gob when it keeps what
//! undoes them, and when it exports them.
//!
//! ## How it is judged
//! - Judged: each example, written and read; read from its own fields, and from none; the same with
//!   another value of each field, if it is valid.
//! - Not judged: what differs from an equal resource anyway (MR401).
//!
//! ## Example
//! `UnmarshalYAML` fills an empty struct, so that fields that are not given are zero.
//!
//! ## How to fix
//! Start with `raw := rawRes(*obj.Default().(*FooRes))`. Fields that gob cannot write do not belong into
//! the public part of a resource.
//!
//! ## Source
//! mgmt resource guide, "UnmarshalYAML".

use crate::comparison::{Sides, comparisons};
use crate::message::plain;
use crate::phase;
use crate::reads::COMPARES;
use crate::session::{Call, Session};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(COMPARES, check)];

/// It cannot be written or read.
const FAILS: Variant = Variant::new("fails");
/// What comes back differs.
const DIFFERS: Variant = Variant::new("differs");
/// Reading does not start from `Default`.
const NO_DEFAULT: Variant = Variant::new("no-default");

fn check(session: &Session, ledger: &mut Ledger) {
    let encoded = session
        .exchanges
        .iter()
        .filter(|call| [phase::ROUND, phase::UNMARSHAL].contains(&call.phase));
    for call in encoded {
        let how = match call.phase {
            phase::ROUND => "a round trip through gob",
            _ => "`UnmarshalYAML`",
        };
        let why = call.why_it_fails();
        if let Some(why) = why {
            let broken = FAILS.says(format!("{how} fails: {why}"));
            ledger.check(call.number, call.provenance, Some(broken));
            continue;
        }
        if !call.returns() {
            continue;
        }
        let mut later = session
            .exchanges
            .iter()
            .filter(|one| one.number > call.number && one.resource() == call.resource());
        let Some(next) = later.next() else {
            continue;
        };
        let broken = match next.phase {
            // What is never equal says nothing about what was read.
            phase::CMP if next.error().is_some() && differs_anyway(session, call) => continue,
            phase::CMP => next
                .error()
                .map(|why| DIFFERS.says(format!("after {how}, `Cmp` says: {why}"))),
            phase::GET => no_default(session, next).map(|field| {
                NO_DEFAULT.says(format!(
                    "after {how} of nothing, `{field}` is not what `Default` gives"
                ))
            }),
            _ => continue,
        };
        ledger.check_against(call.number, next.number, call.provenance, broken);
    }
}

/// Does the source of a call differ even from itself, or from one that was made alike?
fn differs_anyway(session: &Session, call: &Call) -> bool {
    let Some(from) = call.param("from") else {
        return false;
    };
    let mut differs = false;
    comparisons(session, |cmp, sides| {
        let is_alike = matches!(sides, Sides::Same | Sides::Alike);
        differs |= is_alike
            && cmp.process == call.process
            && [cmp.param("resource"), cmp.param("other")].contains(&Some(from))
            && cmp.error().is_some();
    });
    differs
}

/// A field that differs from that of a resource as `Default` gives it, read before.
fn no_default(session: &Session, read: &Call) -> Option<String> {
    let default = session
        .calls(phase::GET)
        .find(|call| call.resource() == "plain")?;
    let fields = |call: &Call| {
        Some(
            call.answer
                .as_ref()?
                .member("fields")?
                .as_object()?
                .to_vec(),
        )
    };
    let (default, own) = (fields(default)?, fields(read)?);
    let differs = own.iter().find(|member| {
        default
            .iter()
            .any(|one| one.key == member.key && plain(&one.value) != plain(&member.value))
    })?;
    Some(String::from_utf8_lossy(differs.key.as_bytes()).into_owned())
}
