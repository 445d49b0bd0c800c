//! # Values are accepted, or refused with a plain error
//!
//! ## What it requires
//! `get`, `canonicalize`, `insync?` and `set` accept every value that its type admits, or refuse it
//! with an error that says so.
//!
//! ## Why
//! A NoMethodError or TypeError does not explain to users what is wrong with their value.
//!
//! ## How it is judged
//! - Judged: exceptions of these methods, also with a path in a missing folder whose name is like a format.
//! - Not judged: exceptions because Stickler's stand-ins for Puppet lack something.
//! - Not judged: exceptions that no value causes. The causes are a kill or a write that failed (RA511, RA514),
//!   an unusual change (RA503, RA504, RA506), a change that is made once more (RA502), a hash as a name
//!   (RA505), a missing filter (RA207), a partial resource (RA304), a call of `insync?` (RA402), or a method
//!   that the context lacks (RA603).
//!
//! ## Example
//! `set` calls `should[:path].start_with?('/')` although `path` may be missing; `format("no #{path}: %s", why)`.
//!
//! ## How to fix
//! Check for missing values, and raise `Puppet::ResourceError` with a message.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::backends::{broken, commands_fail};
use crate::declared::is_simple;
use crate::message::{Answer, Failure};
use crate::phase;
use crate::purpose;
use crate::reads::MOVED;
use crate::services::is_down;
use crate::session::{Call, Session};
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(MOVED, check)];

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
    "UncaughtThrowError",
    "FiberError",
    "ThreadError",
    "SystemStackError",
    "NotImplementedError",
    "Encoding::CompatibilityError",
    "Encoding::UndefinedConversionError",
];

fn check(session: &Session, ledger: &mut Ledger) {
    // It is no value that is at fault.
    if commands_fail(session) || session.is_disturbed() {
        return;
    }
    let methods = [phase::GET, phase::CANONICALIZE, phase::INSYNC, phase::SET];
    for (call, answer) in methods.into_iter().flat_map(|phase| session.calls(phase)) {
        // It is no value that is at fault.
        if is_down(call) || call.key.is(purpose::REPEATED) {
            continue;
        }
        // A block of a log keeps an exception for itself.
        let in_blocks = call.events.iter().filter_map(|event| event.error.as_ref());
        let failures: Vec<&Failure> = answer.failure().into_iter().chain(in_blocks).collect();
        // Runtimes have values made canonical before they compare them with their types.
        let is_unfit = call.phase == phase::CANONICALIZE
            && session.item(call).is_some_and(|item| item.invalid);
        if is_unfit || broken(call).is_some() || is_listing(session, call) {
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
    // A call inside of the method is the provider's own.
    let is_inner = failure.signature == Some(false);
    let is_code = OF_THE_CODE.contains(&class)
        || is_inner
        || is_of_format(failure)
        || failure.is_arity() && !is_own(session, call);
    if is_code && is_of_another_rule(call, class) {
        return;
    }
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

/// Does `format` take a value for a pattern?
fn is_of_format(failure: &Failure) -> bool {
    let says = |words| failure.message.starts_with(words);
    failure.class.as_deref() == Some("ArgumentError")
        && (says("malformed format string") || says("too few arguments"))
}

/// Does another rule judge such an exception, since no value is its cause?
fn is_of_another_rule(call: &Call, class: &str) -> bool {
    let changes = changes(call);
    let lacks = |key: &str| {
        let mut all = changes.iter();
        all.any(|(_, change)| change.get(key).is_none_or(Value::is_nil))
    };
    let is_unknown = || {
        let mut events = call.events.iter();
        class == "NoMethodError" && events.any(|event| event.kind == "unknown")
    };
    match call.phase {
        // RA304
        phase::CANONICALIZE if purpose::PARTIAL.iter().any(|one| call.key.is(*one)) => true,
        // RA402
        phase::INSYNC => OF_THE_CODE.contains(&class),
        // RA506, RA503, RA504
        phase::SET if changes.is_empty() || lacks("should") || lacks("is") => true,
        // RA603
        _ => is_unknown(),
    }
}

/// Are all rows asked of a provider that has a filter? Unless it answers no question for names either, RA207
/// judges that.
fn is_listing(session: &Session, call: &Call) -> bool {
    let definition = session.definition(call);
    let is_filtered = definition.is_some_and(|own| own.has_feature("simple_get_filter"));
    let asks_all = |call: &Call| call.param("names").is_none_or(|names| names.is_nil());
    let named = session.calls(phase::GET);
    let named: Vec<_> = named.filter(|(other, _)| !asks_all(other)).collect();
    let answers = |(_, answer): &(&Call, &Answer)| answer.failure().is_none();
    call.phase == phase::GET
        && is_filtered
        && asks_all(call)
        && (named.is_empty() || named.iter().any(answers))
}

/// May it be the provider's own method that takes other arguments? RA207, RA512 and RA513 judge that.
fn is_own(session: &Session, call: &Call) -> bool {
    let definition = session.definition(call);
    let has = |feature| definition.is_some_and(|own| own.has_feature(feature));
    let is_simple = || {
        session
            .opening(call)
            .is_some_and(|(_, opened)| is_simple(opened))
    };
    match call.phase {
        phase::GET => has("simple_get_filter"),
        phase::SET => has("supports_noop") || is_simple(),
        _ => false,
    }
}
