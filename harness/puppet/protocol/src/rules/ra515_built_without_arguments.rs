//! # A provider loads and is constructed without effects
//!
//! ## What it requires
//! The provider's file can be loaded, and its class can be constructed without arguments. Both
//! change nothing on the system, and need no network.
//!
//! ## Why
//! The runtime constructs the provider in the middle of a run, and also for `puppet resource`.
//!
//! ## How it is judged
//! - Judged: exceptions and changes of files while the provider is loaded and constructed.
//! - Judged: connections that fail meanwhile, also after the services of `stickler.toml` have been
//!   stopped.
//! - Judged: constants that nothing defines, and missing files of the module's own.
//! - Not judged: a missing file or class (RA116); failures because Stickler's stand-ins for Puppet
//!   lack something, or this machine lacks a library, a file, a platform or an environment
//!   variable.
//!
//! ## Example
//! `def initialize(settings)` requires an argument; `def initialize; @session = login; end`.
//!
//! ## How to fix
//! Give `initialize` no parameters; read settings and connect in `get` and `set`.
//!
//! ## Source
//! Resource API specification, "Runtime environment".

use super::ra116_names_for_autoloading::is_about_names;
use crate::message::Failure;
use crate::phase;
use crate::reads::DEFINITIONS;
use crate::services::is_stopped_before;
use crate::session::Session;
use crate::targets::TARGETS;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::{cut, visible};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(DEFINITIONS, check),
    Check::Session(TARGETS, stopped),
];

/// It raised.
const RAISED: Variant = Variant::new("raised");
/// It connects.
const CONNECTS: Variant = Variant::new("connects");
/// What code raises if it cannot connect.
const UNCONNECTED: [&str; 9] = [
    "Errno::ECONNREFUSED",
    "Errno::ECONNRESET",
    "Errno::EHOSTUNREACH",
    "Errno::ENETUNREACH",
    "Errno::EADDRNOTAVAIL",
    "Errno::ETIMEDOUT",
    "SocketError",
    "Socket::ResolutionError",
    "Net::OpenTimeout",
];
/// Something changed.
const CHANGES: Variant = Variant::new("changes");

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::OPEN) {
        let failure = answer.failure();
        if let Some(why) = failure.and_then(Failure::lack) {
            ledger.skip(why);
            continue;
        }
        if failure.is_some_and(is_about_names) {
            continue;
        }
        if let Some(failure) = failure.filter(|failure| cannot_connect(failure)) {
            let message = format!(
                "building the provider connects to something: {}{}",
                failure.in_words(),
                failure.place()
            );
            ledger.check(call.number, call.provenance, Some(CONNECTS.says(message)));
            continue;
        }
        if let Some(failure) = failure.filter(|failure| !is_its_own(failure)) {
            ledger.skip(format!(
                "the provider cannot be built here: {}",
                cut(&visible(failure.message.as_bytes()), 100)
            ));
            continue;
        }
        let raised = failure.map(|failure| {
            let class = failure.class.as_deref().unwrap_or("an exception");
            let at = failure.at.as_deref().unwrap_or("the provider");
            RAISED.says(format!("{class} at {at}: {}", failure.message))
        });
        let changed = call.effects.iter().flatten().next();
        let changed = changed.map(|change| {
            CHANGES.says(format!(
                "building the provider changed {}",
                visible(&change.path)
            ))
        });
        ledger.check(call.number, call.provenance, raised.or(changed));
    }
}

/// Is an exception the provider's own fault, wherever it runs? It may miss a library, a file or a
/// platform.
fn is_its_own(failure: &Failure) -> bool {
    let class = failure.class.as_deref().unwrap_or_default();
    match class {
        "ArgumentError" => true,
        "LoadError" => failure.lacks_own_file(),
        // A constant of another module is not here.
        "NameError" => failure.absent.is_none(),
        class => super::ra801_plain_errors::OF_THE_CODE.contains(&class),
    }
}

fn cannot_connect(failure: &Failure) -> bool {
    let class = failure.class.as_deref().unwrap_or_default();
    UNCONNECTED.contains(&class)
}

/// Once the services are down, a provider can be built as before.
fn stopped(session: &Session, ledger: &mut Ledger) {
    let mut built = session
        .calls(phase::OPEN)
        .filter(|(_, answer)| answer.failure().is_none());
    let Some((first, _)) = built.next() else {
        return;
    };
    for (call, answer) in session.calls(phase::OPEN) {
        if call.process == first.process || !is_stopped_before(session, call) {
            continue;
        }
        // The other check reports connections that fail.
        let failure = answer.failure().filter(|failure| !cannot_connect(failure));
        let broken = failure.map(|failure| {
            CONNECTS.says(format!(
                "the provider cannot be built while the service is down: {}{}",
                failure.in_words(),
                failure.place()
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
