//! # An unusable target raises
//!
//! ## What it requires
//! If the target does not answer, or refuses the credentials, `initialize` raises. If the transport
//! connects later, `verify` raises.
//!
//! ## Why
//! Otherwise the run continues without a connection, and reports another error.
//!
//! ## How it is judged
//! - Judged: connections while no `[[service]]` of `stickler.toml` runs, with each secret and the user
//!   of the connection info replaced, and with a `port` on which nothing listens, after other connections.
//! - Not judged: targets that still work then.
//!
//! ## Example
//! `initialize` rescues `Errno::ECONNREFUSED` and logs a warning, and `verify` is empty.
//!
//! ## How to fix
//! Let the exception pass, or raise `Puppet::Error` with a message that names the target.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation".

use crate::phase;
use crate::purpose;
use crate::session::{Call, Session};
use crate::targets::{TARGETS, keyed, lacks_facts, raised, returned, rows};
use puppet_types::Value;
use stickler_judge::{Check, Group, Ledger, RunPlace, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Group(TARGETS, check),
    Check::Session(TARGETS, elsewhere),
];

/// Another port makes no difference.
const PORT: Variant = Variant::new("port");

/// Nothing listens where the connection info says.
fn elsewhere(session: &Session, ledger: &mut Ledger) {
    let all = session.exchanges.iter();
    let of = all.filter(|call| {
        let is_meant =
            call.key.is(purpose::ELSEWHERE) || call.key.part_of(purpose::ELSEWHERE).is_some();
        is_meant && call.answer.is_some()
    });
    let (connections, verified): (Vec<&Call>, Vec<&Call>) =
        of.partition(|call| call.phase == phase::CONNECT);
    let ([connection], true) = (&connections[..], returned(keyed(session, purpose::AGAIN))) else {
        return;
    };
    let fails = |call: &&Call| {
        call.answer
            .as_ref()
            .is_some_and(|it| it.failure().is_some())
    };
    let broken = match &verified[..] {
        _ if fails(connection) => None,
        [verify] if fails(verify) => None,
        [_] => {
            let info = connection.param("connection_info");
            let port = info.and_then(|info| info.get("port").map(Value::to_text));
            Some(PORT.says(format!(
                "nothing listens on port {}, but neither `initialize` nor `verify` raises",
                port.unwrap_or_default()
            )))
        }
        _ => return,
    };
    ledger.check(connection.number, connection.provenance, broken);
}

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((_, whole)) = group.baseline() else {
        return;
    };
    if !returned(keyed(whole, purpose::AGAIN)) {
        return;
    }
    for (role, index, session) in group.variants() {
        let Some((call, answer)) = keyed(session, purpose::TRIED) else {
            continue;
        };
        let place = RunPlace::at(index, call.number);
        let verified = keyed(session, purpose::VERIFY);
        if answer.failure().is_some() || raised(verified) {
            ledger.passes.push(place);
            continue;
        }
        if !returned(verified) {
            continue;
        }
        let (facts, read) = (keyed(session, purpose::FACTS), keyed(session, purpose::GET));
        let differs = raised(facts)
            || raised(read)
            || lacks_facts(whole, session)
            || read.is_some() && rows(read) != rows(keyed(whole, purpose::GET));
        if !differs {
            ledger.skip("the target still answers");
            continue;
        }
        let what = match role.name() {
            "gone" => "the target does not answer".to_owned(),
            secret => format!("the credentials are wrong ({secret})"),
        };
        let message = format!("{what}, but neither `initialize` nor `verify` raises");
        let finding = ledger.finding_at(place, message).grouped(role.name());
        ledger.report(finding.graded(call.provenance));
    }
}
