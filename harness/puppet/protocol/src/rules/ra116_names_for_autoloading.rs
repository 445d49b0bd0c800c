//! # Files and classes have the names that the autoloader expects
//!
//! ## What it requires
//! A type's file can be loaded. The file of its provider is `puppet/provider/TYPE/TYPE.rb`, or is
//! named after a transport in that folder. It defines the class of this name, such as
//! `Puppet::Provider::Type::Type`.
//!
//! ## Why
//! The runtime finds the provider by these names alone.
//!
//! ## How it is judged
//! - Judged: whether the files of each type and of its provider can be loaded, and define the
//!   provider's class. A type without any provider in the module fails.
//! - Not judged: remote resources without a target, whose provider may be in the transport's
//!   module; files that need a library that is not installed, or a part of Puppet that Stickler's
//!   stand-ins lack.
//!
//! ## Example
//! The class is `Puppet::Provider::AptKey` instead of `Puppet::Provider::AptKey::AptKey`.
//!
//! ## How to fix
//! Name the file and the class after the type, twice.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::message::Failure;
use crate::phase;
use crate::reads::DEFINITIONS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

/// Why providers of remote resources are not judged.
const NO_TARGET: &str = "resources of this type live on devices: describe one with [target.NAME] in \
                         stickler.toml, and name it in an [[example]]";

pub(super) const CHECKS: super::Checks = &[Check::Session(DEFINITIONS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let kinds = session.types.iter().map(|loaded| &loaded.definition);
    let is_remote = kinds.clone().any(|own| own.has_feature("remote_resource"));
    if is_remote && session.calls(phase::OPEN).next().is_none() {
        ledger.skip(NO_TARGET);
    }
    super::loads(session, ledger, "type");
    for (call, answer) in session.calls(phase::OPEN) {
        let Some(failure) = answer.failure() else {
            ledger.pass(call.number);
            continue;
        };
        if let Some(why) = failure.lack() {
            ledger.skip(why);
            continue;
        }
        if is_about_names(failure) {
            let finding = ledger
                .finding(call.number, failure.message.clone())
                .expected("the file and the class of the provider")
                .graded(call.provenance);
            ledger.report(finding);
        }
    }
}

/// Is the file or the class not there? Otherwise code of the module raised, at a place in it.
pub(super) fn is_about_names(failure: &Failure) -> bool {
    failure.at.is_none()
}
