//! # A transport has its methods
//!
//! ## What it requires
//! The class of a transport has `initialize(context, connection_info)`, `verify(context)`,
//! `facts(context)` and `close(context)`.
//!
//! ## Why
//! Runtimes and tasks call them with these arguments. `puppet device` calls `facts` in each run.
//!
//! ## How it is judged
//! - Judged: the public methods of each transport of the module, and whether they accept these
//!   arguments. No connection is needed.
//! - Not judged: a transport that needs a library that is not installed.
//!
//! ## Example
//! `def facts` without the context, left over from older device code.
//!
//! ## How to fix
//! Write `def facts(context)`; `close` may be empty if there is nothing to release.
//!
//! ## Source
//! Resource API specification, "Transports", "Implementation". puppet-resource_api 1.8.16 calls
//! only `initialize` and `facts`.

use crate::declared::takes;
use crate::phase;
use crate::session::Session;
use crate::targets::TRANSPORTS;
use stickler_json::Json;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TRANSPORTS, check)];

/// A method is missing.
const MISSING: Variant = Variant::new("missing");
/// A method takes other arguments.
const ARGUMENTS: Variant = Variant::new("arguments");

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
