//! The public fields of resources, as `get` tells them.

use crate::message::{plain, text};
use crate::phase;
use crate::session::{Call, Session};
use stickler_json::Json;

/// Is a call about this resource, on either side?
fn concerns(call: &Call, process: usize, label: &str) -> bool {
    let sides = ["resource", "other", "from"];
    call.process == process && sides.iter().any(|side| call.param(side) == Some(label))
}

/// The fields of a resource, read last before a call, if nothing was set since. Equal fields are equal texts.
pub(crate) fn fields_of(session: &Session, call: &Call, label: &str) -> Option<String> {
    let before = session
        .exchanges
        .iter()
        .take_while(|one| one.number < call.number);
    let own = before.filter(|one| one.process == call.process && one.resource() == label);
    let last = own.fold(None, |known, one| match one.phase {
        phase::GET => Some(one),
        phase::NEW | phase::SET => None,
        _ => known,
    })?;
    last.answer.as_ref()?.member("fields").map(plain)
}

/// The field of a resource that a call changed, if its fields were read right before and right after it.
pub(crate) fn changed_by(session: &Session, call: &Call, label: &str) -> Option<String> {
    let own: Vec<&Call> = session
        .exchanges
        .iter()
        .filter(|one| concerns(one, call.process, label))
        .collect();
    let at = own.iter().position(|one| one.number == call.number)?;
    let read = |at: usize| {
        let call = own.get(at).filter(|one| one.phase == phase::GET)?;
        call.answer.as_ref()?.member("fields")?.as_object()
    };
    let (before, after) = (read(at.checked_sub(1)?)?, read(at + 1)?);
    let changed = after.iter().find(|member| {
        let old = before.iter().find(|old| old.key == member.key);
        old.is_none_or(|old| plain(&old.value) != plain(&member.value))
    })?;
    let name = String::from_utf8_lossy(changed.key.as_bytes());
    Some(format!("`{name}`"))
}

/// The paths that a call found to be shared.
pub(crate) fn shared_paths(call: &Call) -> Vec<String> {
    let answer = call.answer.as_ref();
    match answer.and_then(|answer| answer.member("fields")) {
        Some(Json::Array(paths)) => {
            let paths = paths.iter().filter_map(text);
            paths.map(|path| format!("`{path}`")).collect()
        }
        _ => Vec::new(),
    }
}
