//! Functions of users and groups.

use super::{Done, arg, class, list, string};
use crate::context::Agent;
use crate::log::Severity;
use crate::machine;
use crate::value::Value;

/// `userexists`, `groupexists`, `getuid`, `getgid`
pub(super) fn accounts(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let who = arg(arguments, 0);
    let users = matches!(name, "userexists" | "getuid");
    let asks = matches!(name, "userexists" | "groupexists");
    let is_number = !who.is_empty() && who.bytes().all(|b| b.is_ascii_digit());
    let id = if users {
        machine::user_id(who)
    } else {
        machine::group_id(who)
    };
    // If no account has the name, `getent` looks it up as a number.
    let id = id.filter(|_| !is_number || machine::has_number(users, who));
    if id.is_none() {
        let level = if asks {
            Severity::Verbose
        } else {
            Severity::Error
        };
        match (users, asks && is_number) {
            (true, true) => {
                let message =
                    format!("Could not get user name for uid {who}, (getpwuid: not found)");
                agent.say(level, message);
            }
            (false, true) => {
                let message =
                    format!("Could not get group name for gid {who}, (getgrgid: not found)");
                agent.say(level, message);
            }
            _ => agent.say_unknown_account(level, users, who),
        }
    }
    match id {
        _ if asks => class(id.is_some()),
        Some(id) => string(id.to_string()),
        None => Ok(None),
    }
}

/// `getusers(names, ids)`: all users except those listed.
pub(super) fn getusers(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let names: Vec<_> = arg(arguments, 0).split(',').collect();
    let ids: Vec<_> = arg(arguments, 1).split(',').collect();
    let content = agent.read_text("/etc/passwd").unwrap_or_default();
    let users = content.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let id = fields.nth(1)?;
        (!names.contains(&name) && !ids.contains(&id)).then_some(name)
    });
    let mut found: Vec<&str> = Vec::new();
    for user in users {
        if !found.contains(&user) {
            found.push(user);
        }
    }
    list(found)
}

/// `getuserinfo(name)`, by name or number. An unknown account, or no argument, means the agent's
/// own user.
pub(super) fn getuserinfo(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let own = agent.machine.uid.to_string();
    let who = match arguments.first() {
        Some(_) if arg(arguments, 0) != "*" => arg(arguments, 0),
        _ => &own,
    };
    let by_id = who.bytes().all(|b| b.is_ascii_digit());
    let found = machine::user_data(|fields| fields[if by_id { 2 } else { 0 }] == who);
    let found = found.or_else(|| machine::user_data(|fields| fields[2] == own));
    Ok(found.map(Value::data))
}
