//! # A transport has its methods
//!
//! ## What it requires
//! The class of a transport has `initialize(context, connection_info)`, `verify(context)`,
//! `facts(context)` and `close(context)`. `initialize` copes without the optional keys of the connection
//! info.
//!
//! ## Why
//! Runtimes and tasks call them with these arguments. `puppet device` calls `facts` in each run.
//!
//! ## How it is judged
//! - Judged: the public methods of each transport of the module, and whether they accept these
//!   arguments. No connection is needed.
//! - Judged: connections to the targets of `stickler.toml` without the optional keys that have no
//!   default, each alone and all together. An error of the code, such as NoMethodError, fails.
//! - Not judged: a transport that needs a library that is not installed; a plain refusal.
//!
//! ## Example
//! `def facts` without the context, left over from older device code;
//! `connection_info[:timeout] * 2`, where `timeout` is `Optional`.
//!
//! ## How to fix
//! Write `def facts(context)`; `close` may be empty if there is nothing to release.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation". puppet-resource_api 1.8.16 calls
//! only `initialize` and `facts`.

use super::ra801_plain_errors::OF_THE_CODE;
use crate::declared::takes;
use crate::message::Failure;
use crate::phase;
use crate::purpose;
use crate::session::Session;
use crate::targets::{TARGETS, TRANSPORTS};
use stickler_json::Json;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[
    Check::Session(TRANSPORTS, check),
    Check::Session(TARGETS, lacking),
];

/// A method is missing.
const MISSING: Variant = Variant::new("missing");
/// A method takes other arguments.
const ARGUMENTS: Variant = Variant::new("arguments");

/// It does not cope without an optional key.
const LACKING: Variant = Variant::new("without-optional");

/// The methods, their arguments in words, and how many they are.
const METHODS: [(&str, &str, usize); 4] = [
    ("initialize", "context, connection_info", 2),
    ("verify", "context", 1),
    ("facts", "context", 1),
    ("close", "context", 1),
];

fn check(session: &Session, ledger: &mut Ledger) {
    let described = session.calls(phase::DESCRIBE);
    for (call, answer) in described.filter(|(call, _)| call.param("transport").is_some()) {
        let crate::message::Answer::Result(result) = answer else {
            continue;
        };
        let Some(methods @ Json::Object(_)) = result.get("methods") else {
            continue;
        };
        for (name, arguments, count) in METHODS {
            let broken = match methods.get(name) {
                None => Some(MISSING.says(format!("there is no method `{name}({arguments})`"))),
                Some(parameters) if !takes(parameters, count) => {
                    Some(ARGUMENTS.says(format!("`{name}` does not take ({arguments})")))
                }
                Some(_) => None,
            };
            match broken {
                None => ledger.pass(call.number),
                Some(broken) => {
                    let finding = ledger.finding(call.number, broken).grouped(name);
                    ledger.report(finding.graded(call.provenance));
                }
            }
        }
    }
}

fn lacking(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::CONNECT) {
        let key = call.key.part_of(purpose::LACKING);
        if key.is_none() && !call.key.is(purpose::LACKING) {
            continue;
        }
        let failure = answer.failure();
        if let Some(why) = failure.and_then(Failure::lack) {
            ledger.skip(why);
            continue;
        }
        let of_code = failure.filter(|failure| {
            let class = failure.class.as_deref().unwrap_or_default();
            OF_THE_CODE.contains(&class) && !failure.in_library
        });
        let broken = of_code.map(|failure| {
            let what = match key {
                Some(key) => format!("the optional key `{key}`"),
                None => "optional keys".to_owned(),
            };
            LACKING.says(format!(
                "without {what}, `initialize` raises {}{}",
                failure.in_words(),
                failure.place()
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
