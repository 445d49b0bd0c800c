//! # Values are accepted, or refused with a plain error
//!
//! ## What it requires
//! `get`, `canonicalize`, `insync?` and `set` accept every value that its type admits, or refuse it
//! with an error that says so.
//!
//! ## Why
//! NoMethodError or TypeError in a provider does not explain to users what is wrong with their
//! value.
//!
//! ## How it is judged
//! - Judged: exceptions of these methods.
//! - Not judged: exceptions because Stickler's stand-ins for Puppet lack something.
//!
//! ## Example
//! `set` calls `should[:path].start_with?('/')` although `path` may be missing.
//!
//! ## How to fix
//! Check for missing values, and raise `Puppet::ResourceError` with a message.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::backends::{broken, commands_fail};
use crate::message::Failure;
use crate::phase;
use crate::reads::READS;
use crate::rules::PUPPET;
use crate::services::is_down;
use crate::session::{Call, Session};
use stickler_judge::{Check, Ledger, Role, View as _};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// Exceptions that speak of the code, not of the value.
pub(super) const OF_THE_CODE: &[&str] = &[
    "NoMethodError",
    "NameError",
    "TypeError",
    "FrozenError",
    "KeyError",
    "IndexError",
    "ZeroDivisionError",
    "FloatDomainError",
    "LocalJumpError",
    "FiberError",
    "ThreadError",
    "SystemStackError",
    "NotImplementedError",
    "Encoding::CompatibilityError",
    "Encoding::UndefinedConversionError",
];

fn check(session: &Session, ledger: &mut Ledger) {
    // It is no value that is at fault.
    if commands_fail(session) {
        return;
    }
    let methods = [phase::GET, phase::CANONICALIZE, phase::INSYNC, phase::SET];
    for (call, answer) in methods.into_iter().flat_map(|phase| session.calls(phase)) {
        // It is no value that is at fault.
        if is_down(call) {
            continue;
        }
        // A block of a log keeps an exception for itself.
        let in_blocks = call.events.iter().filter_map(|event| event.error.as_ref());
        let failures: Vec<&Failure> = answer.failure().into_iter().chain(in_blocks).collect();
        // Runtimes have values made canonical before they compare them with their types.
        let is_unfit = call.phase == phase::CANONICALIZE
            && session.item(call).is_some_and(|item| item.invalid);
        if is_unfit || broken(call).is_some() {
            continue;
        }
        if failures.is_empty() {
            ledger.pass(call.number);
        }
        for failure in failures {
            judge(session, call, failure, ledger);
        }
    }
}

fn judge(session: &Session, call: &Call, failure: &Failure, ledger: &mut Ledger) {
    if let Some(why) = failure.lack() {
        ledger.skip(why);
        return;
    }
    let class = failure.class.as_deref().unwrap_or_default();
    let is_code = OF_THE_CODE.contains(&class) || failure.is_arity() && !is_own(session, call);
    if !is_code || failure.in_library {
        ledger.pass(call.number);
        return;
    }
    let at = failure.place();
    let message = format!("`{}` raised {class}{at}: {}", call.phase, failure.message);
    let finding = ledger
        .finding(call.number, message)
        .grouped(at)
        .graded(call.provenance);
    ledger.report(finding);
}

/// May it be the provider's own method that takes other arguments? RA207 and RA512 judge that.
fn is_own(session: &Session, call: &Call) -> bool {
    let definition = session.definition(call);
    let is_filtered = definition.is_some_and(|own| own.has_feature("simple_get_filter"));
    let mut groups = session.case().groups.iter();
    let is_real = groups.any(|member| member.role == Role::variant(PUPPET));
    call.phase == phase::GET && is_filtered || call.phase == phase::SET && is_real
}
