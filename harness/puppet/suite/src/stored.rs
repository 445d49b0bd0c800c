//! Makes stored cases whole for this machine.

use crate::{host, site};
use puppet_protocol::phase;
use puppet_types::Value;
use stickler_suite::MASK;
use stickler_suite::config::{Config, Device};
use stickler_transcript::{Case, Key, Phase, Step};

/// Fills masked values of connections in again. The name of the target follows the exchange's key.
pub(crate) fn unmask(config: &Config, case: &mut Case) {
    rewrite(case, &[phase::CONNECT, phase::DEVICE], |key, params| {
        unmasked(params, site::device(config, key.label()?)?)
    });
}

fn unmasked(params: &mut Value, device: &Device) -> Option<()> {
    let whole = site::info(device);
    let Value::Hash(members) = member_mut(params, "connection_info")? else {
        return None;
    };
    for (name, value) in members {
        let own = whole.iter().find(|(own, _)| name.as_symbol() == Some(own));
        if let (Some((_, own)), Some(MASK)) = (own, value.as_str()) {
            *value = own.clone();
        }
    }
    Some(())
}

/// The host of another user need not be there, and the module may have moved.
pub(crate) fn relocate(case: &mut Case) {
    let commands = case.plan.iter_mut().flat_map(|plan| &mut plan.commands);
    let mut lib = None;
    for command in commands {
        lib = host::relocate(&mut command.argv).or(lib);
    }
    let Some(lib) = lib else { return };
    rewrite(case, &[phase::INITIALIZE], |_, params| {
        *member_mut(params, "path")? = Value::Array(vec![Value::string(&lib)]);
        Some(())
    });
}

/// Changes the parameters of messages. Those for which `change` returns `None` stay as they are. Returns
/// how many were changed.
pub(crate) fn rewrite(
    case: &mut Case,
    phases: &[Phase],
    change: impl Fn(&Key, &mut Value) -> Option<()>,
) -> usize {
    let mut count = 0;
    let steps = case.plan.iter_mut().flat_map(|plan| &mut plan.steps);
    let sends = steps.filter_map(|step| match step {
        Step::Send(send) if phases.contains(&send.phase) => Some(send),
        _ => None,
    });
    for send in sends {
        let Ok(mut request) = Value::parse(&send.message()) else {
            continue;
        };
        let changed =
            member_mut(&mut request, "params").and_then(|params| change(&send.key, params));
        if let (Some(()), Some(piece)) = (changed, send.pieces.first_mut()) {
            let mut line = request.encode().into_bytes();
            line.push(b'\n');
            piece.data = line.into();
            send.pieces.truncate(1);
            count += 1;
        }
    }
    count
}

pub(crate) fn member_mut<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    let Value::Hash(members) = value else {
        return None;
    };
    let mut members = members.iter_mut();
    let found = members.find(|(key, _)| key.as_symbol() == Some(name));
    found.map(|(_, value)| value)
}
