//! # A replaced file keeps its mode and owner
//!
//! ## What it requires
//! If no field is about a mode or an owner, a repaired file keeps the unusual mode and owner that it had.
//!
//! ## Why
//! A resource that renames a new file into place gives it the engine's owner and umask. A key file may become
//! readable by all, or a service may lose access to its configuration.
//!
//! ## How it is judged
//! - Judged: an apply that returns `(false, nil)`, after the suite gave a file of the resource an unusual mode (0624,
//!   0705) and owner (12345), mostly with foreign content.
//! - Not judged: the mode or owner, if a field about it has a value, by `Default` too, or if the resource repairs it
//!   even where nothing else differs; the owner, if a field gives the mode; the mode, if the resource makes the file
//!   executable or created it with a special mode.
//! - Lowered to may: files of which the resource writes the whole content.
//! - Not judged: files of a tool's tree that the resource does not name; files that only a stand-in writes; copied trees
//!   and moved files; the owner, if the sandbox cannot set it.
//!
//! ## Example
//! `os.Rename(tmp, path)` without `os.Chown` and `os.Chmod` before it.
//!
//! ## How to fix
//! Copy owner and mode from the old file to the new one before the rename, the owner first:
//! `st := info.Sys().(*syscall.Stat_t); os.Chown(tmp, int(st.Uid), int(st.Gid)); os.Chmod(tmp, info.Mode())`
//!
//! ## Source
//! Good practice: a resource does not change what its fields do not name.

use crate::managed::by_default;
use crate::phase;
use crate::session::{Call, Session};
use stickler_json::Json;
use stickler_judge::{Check, Demands, Ledger, Level, Relation, is_own_file, keeps_mode_and_owner};
use stickler_reading::Exchange;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::DRIFT], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let all = session.calls(phase::NEW).chain(session.calls(phase::SET));
    let mut texts = Vec::new();
    for call in all {
        texts.extend(about(session, call).texts);
    }
    keeps_mode_and_owner(
        session,
        phase::CHECKAPPLY,
        |exchange, path| {
            !session.is_foreign(path)
                && (session.writes_itself(path) || is_own_file(path, &texts, exchange))
        },
        |exchange| demands(session, exchange),
        ledger,
    );
}

/// What the resource of an exchange demands.
fn demands<'s>(session: &'s Session, exchange: &Exchange) -> Demands<'s> {
    let mut demands = Demands {
        owner_goes_with_mode: true,
        whole: Some(Level::May),
        ..Demands::default()
    };
    let mut calls = session.exchanges.iter();
    let Some(call) = calls.find(|call| call.number == exchange.number) else {
        return demands;
    };
    let making = session.calls(phase::NEW).chain(session.calls(phase::SET));
    let making = making.filter(|one| one.process == call.process);
    for made in making.filter(|one| one.resource() == call.resource()) {
        let more = about(session, made);
        demands.texts.extend(more.texts);
        demands.fields.extend(more.fields);
    }
    demands
}

/// What a request demands of the resource that it makes or fills in.
fn about<'s>(session: &'s Session, call: &'s Call) -> Demands<'s> {
    let mut demands = Demands::default();
    let Some(params) = &call.params else {
        return demands;
    };
    if call.phase == phase::NEW {
        if let Some(Json::String(name)) = params.get("name") {
            demands.texts.push(name.as_bytes());
        }
        let kind = call.param("kind").unwrap_or_default();
        let own = by_default(session.case(), kind);
        // Whatever the value is.
        demands
            .fields
            .extend(own.map(|name| (name.as_bytes(), Some(&b"root"[..]))));
    } else if let Some(Json::Object(fields)) = params.get("fields") {
        for field in fields {
            look(field.key.as_bytes(), &field.value, &mut demands);
        }
    }
    demands
}

/// Takes in a field that has a value: what is empty manages nothing.
fn look<'s>(name: &'s [u8], value: &'s Json, demands: &mut Demands<'s>) {
    match value {
        Json::Null | Json::Bool(false) => {}
        Json::String(text) if text.as_bytes().is_empty() => {}
        Json::Number(number) if number == "0" => {}
        Json::String(text) => {
            demands.texts.push(text.as_bytes());
            demands.fields.push((name, Some(text.as_bytes())));
        }
        Json::Number(number) => demands.fields.push((name, named_by(name, number))),
        Json::Bool(true) => demands.fields.push((name, None)),
        Json::Array(items) => items.iter().for_each(|item| look(name, item, demands)),
        Json::Object(members) => {
            for member in members {
                look(name, &member.value, demands);
                look(member.key.as_bytes(), &member.value, demands);
            }
        }
    }
}

/// A number as the text of an owner, in a field that names one: elsewhere it is no mode either.
fn named_by<'s>(name: &[u8], number: &'s str) -> Option<&'s [u8]> {
    stickler_judge::is_of_mode_or_owner(name).then_some(number.as_bytes())
}
