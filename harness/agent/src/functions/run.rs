//! Functions that run programs or ask the system.

use super::{Done, arg, class, string};
use crate::context::Agent;
use crate::data::Data;
use crate::log::Level;
use crate::machine;
use crate::process::{self, Spec};
use crate::value::{Text, Value};

fn spec<'a>(line: &'a str, shell: &str) -> Spec<'a> {
    Spec {
        line,
        shell: shell == "useshell",
        ..Spec::default()
    }
}

/// `execresult(command, shell, errors)` and `execresult_as_data`
pub(super) fn execresult(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (line, shell) = (arg(arguments, 0), arg(arguments, 1));
    let program = line.trim_start_matches(['"', '\'']);
    let program = program.split([' ', '"', '\'']).next().unwrap_or(program);
    if shell == "noshell" && !program.starts_with('/') {
        let message = format!("{name} '{line}' does not have an absolute path");
        agent.say(Level::Error, message);
        return Ok(None);
    }
    if shell == "noshell" && !process::is_executable(program) {
        let message = format!("{name} '{line}' is assumed to be executable but isn't");
        agent.say(Level::Error, message);
        return Ok(None);
    }
    let mut spec = spec(line, shell);
    spec.errors = matches!(arg(arguments, 2), "" | "both");
    match agent.execute(&spec) {
        Ok((output, exit)) => {
            let output = output.strip_suffix('\n').unwrap_or(&output);
            if name == "execresult_as_data" {
                let members = [
                    (
                        Text::from("exit_code"),
                        Data::int(exit.unwrap_or(-1).into()),
                    ),
                    (Text::from("output"), Data::text(output)),
                ];
                return Ok(Some(Value::data(Data::Object(
                    members.into_iter().collect(),
                ))));
            }
            if exit != Some(0) && output.is_empty() {
                agent.verbose(|| format!("{name} could not run '{line}' successfully"));
            }
            string(output)
        }
        Err(_) => {
            agent.verbose(|| format!("{name} could not run '{line}' successfully"));
            Ok(None)
        }
    }
}

pub(super) fn returnszero(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let (line, shell) = (arg(arguments, 0), arg(arguments, 1));
    let program = line.split(' ').next().unwrap_or(line).trim_matches('"');
    if shell == "noshell" {
        if !program.starts_with('/') {
            let message = format!("returnszero '{line}' does not have an absolute path");
            agent.say(Level::Error, message);
            return Ok(None);
        }
        if !process::is_executable(program) {
            let message = format!("returnszero '{line}' is assumed to be executable but isn't");
            agent.say(Level::Error, message);
            return Ok(None);
        }
    }
    let mut spec = spec(line, shell);
    spec.errors = true;
    match agent.execute(&spec) {
        Ok((output, exit)) => {
            for line in output.lines().filter(|line| !line.is_empty()) {
                agent.say(Level::Info, format!("M '{}': {line}", arg(arguments, 0)));
            }
            agent.verbose(|| format!("returnszero ran '{line}'"));
            class(exit == Some(0))
        }
        Err(_) => class(false),
    }
}

/// `usemodule(name, arguments)`
pub(super) fn usemodule(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let (name, rest) = (arg(arguments, 0), arg(arguments, 1));
    let path = if name.starts_with('/') {
        name.to_owned()
    } else {
        format!("{}/modules/{name}", agent.options.workdir.display())
    };
    if !process::is_executable(&path) {
        agent.say(Level::Error, format!("(Module [{path}] doesn't exist)"));
        return class(false);
    }
    let line = if rest.is_empty() {
        path.clone()
    } else {
        format!("{path} {rest}")
    };
    let mut spec = spec(&line, "noshell");
    spec.errors = true;
    let Ok((output, exit)) = agent.execute(&spec) else {
        return class(false);
    };
    let mut state = agent.module_state(&line, true);
    for said in output.lines() {
        agent.module_line(&mut state, said)?;
    }
    class(exit == Some(0))
}

/// `getenv(name, most)`
pub(super) fn getenv(_: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let value = std::env::var_os(arg(arguments, 0)).unwrap_or_default();
    let value = value.to_string_lossy();
    let most = crate::number::int(arg(arguments, 1)).unwrap_or(0);
    let most = usize::try_from(most).unwrap_or(0);
    string(value.chars().take(most).collect::<String>())
}

/// `userexists`, `groupexists`, `getuid`, `getgid`
pub(super) fn accounts(_: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let who = arg(arguments, 0);
    let id = match name {
        "userexists" | "getuid" => machine::user_id(who),
        _ => machine::group_id(who),
    };
    match name {
        "userexists" | "groupexists" => class(id.is_some()),
        _ => match id {
            Some(id) => string(id.to_string()),
            None => Ok(None),
        },
    }
}
