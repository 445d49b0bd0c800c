//! Functions that run programs or ask the system.

use super::{Done, arg, class, string};
use crate::context::Agent;
use crate::data;
use crate::data::Data;
use crate::log::Severity;
use crate::machine;
use crate::process::{self, NO_POWERSHELL, Reads, Spec, not_run, of_child, program_of};
use crate::scan;
use crate::value::{Text, Value};

fn spec<'a>(line: &'a str, shell: &str) -> Spec<'a> {
    Spec {
        line,
        shell: shell == "useshell",
        ..Spec::default()
    }
}

/// Whether a command line names a program that can be run; reports if not.
fn may_run(agent: &mut Agent, name: &str, line: &str, shell: &str) -> bool {
    let program = line.trim_start_matches(['"', '\'']);
    let program = program.split([' ', '"', '\'']).next().unwrap_or(program);
    if !program.starts_with('/') {
        if shell == "noshell" {
            let message = format!("{name} '{line}' does not have an absolute path");
            agent.say(Severity::Error, message);
        }
        return shell != "noshell";
    }
    if process::is_executable(program) {
        return true;
    }
    if !std::path::Path::new(program).exists() {
        let message = format!("Proposed executable file '{program}' doesn't exist");
        agent.say(Severity::Error, message);
    }
    let message = format!("{name} '{line}' is assumed to be executable but isn't");
    agent.say(Severity::Error, message);
    false
}

/// `execresult(command, shell, errors)` and `execresult_as_data`
pub(super) fn execresult(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (line, shell) = (arg(arguments, 0), arg(arguments, 1));
    if !may_run(agent, name, line, shell) {
        return Ok(None);
    }
    let mut spec = spec(line, shell);
    spec.reads = match arg(arguments, 2) {
        "stdout" => Reads::OutputAlone,
        "stderr" => Reads::ErrorsAlone,
        _ => Reads::Both,
    };
    let ran = if shell == "powershell" {
        agent.say(Severity::Error, NO_POWERSHELL);
        None
    } else {
        agent.execute(&spec).ok()
    };
    match ran {
        Some((output, exit)) => {
            agent.verbose(|| format!("{name} ran '{line}' successfully"));
            let output = scan::lines(&output).collect::<Vec<_>>().join("\n");
            let output = output.trim_end_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
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
            string(output)
        }
        None => {
            agent.verbose(|| format!("{name} could not run '{line}' successfully"));
            Ok(None)
        }
    }
}

impl Agent {
    /// The values that a program prints for a container on its stdin.
    pub(super) fn json_pipe(&mut self, line: &str, given: &Data) -> Done {
        let input = given.pretty();
        let input = cfengine_policy::text::encode(&input);
        let mut spec = spec(line, "noshell");
        spec.input = Some(&*input);
        spec.searched = true;
        spec.reads = Reads::Output;
        let (output, exit) = self.execute(&spec).unwrap_or_else(|reason| {
            let program = program_of(line);
            (of_child(&not_run(program, &reason)), Some(1))
        });
        if exit.is_some_and(|exit| exit != 0) {
            let exit = exit.unwrap_or_default();
            self.verbose(|| format!("{line} returned with non zero return code: {exit}"));
        }
        if output.is_empty() {
            self.complain("Function mapdata failed to get output from 'json_pipe' execution");
            return Ok(None);
        }
        // A value may span several lines.
        let mut items = Vec::new();
        let mut text = String::new();
        for said in output.split('\n') {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(said);
            if let Ok((data, _)) = data::parse(&text, self.release()) {
                items.push(data);
                text.clear();
            }
        }
        Ok(Some(Value::data(Data::Array(items))))
    }

    /// Runs a program and returns its exit code. Without a shell, its output is dropped unless the
    /// log level is info or above.
    pub(crate) fn exit_of(&mut self, line: &str, shell: &str) -> Option<i32> {
        let shown = shell == "useshell" || self.would(Severity::Info);
        let mut spec = spec(line, shell);
        if shown {
            spec.reads = Reads::Output;
        }
        let (output, exit) = self.execute(&spec).ok()?;
        if shown {
            self.voice.log.raw(&output);
        }
        exit
    }
}

pub(super) fn returnszero(agent: &mut Agent, name: &str, arguments: &[Value]) -> Done {
    let (line, shell) = (arg(arguments, 0), arg(arguments, 1));
    if !may_run(agent, name, line, shell) {
        return class(false);
    }
    let exit = if shell == "powershell" {
        agent.say(Severity::Error, NO_POWERSHELL);
        None
    } else {
        agent.exit_of(line, shell)
    };
    agent.verbose(|| {
        let how = match exit {
            Some(0) => "it returned zero",
            _ => "it did not return zero",
        };
        format!("{name} ran '{line}' successfully and {how}")
    });
    class(exit == Some(0))
}

/// `usemodule(name, arguments)`
pub(super) fn usemodule(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let (name, rest) = (arg(arguments, 0), arg(arguments, 1));
    let path = format!("{}/modules/{name}", agent.voice.options.workdir.display());
    if !std::path::Path::new(&path).exists() {
        let message = format!("Plug-in module '\"{path}\"' not found");
        agent.say(Severity::Error, message);
        return Ok(None);
    }
    let line = format!("\"{path}\" {rest}");
    agent.verbose(|| format!("Executing and using module [{line}]"));
    // cf-agent ignores the exit code here.
    let (output, _) = agent
        .execute(&spec(&line, "noshell"))
        .unwrap_or_else(|reason| (of_child(&not_run(&path, &reason)), None));
    let mut state = agent.module_state(&line, true);
    for said in scan::lines(&output) {
        agent.module_line(&mut state, said)?;
    }
    class(true)
}

/// `getenv(name, most)`
pub(super) fn getenv(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let wanted = arg(arguments, 0);
    let own = agent
        .voice
        .control
        .environment
        .iter()
        .rfind(|(name, _)| name == wanted);
    let value = match own {
        Some((_, value)) => value.clone(),
        None if machine::LOCALIZING.contains(&wanted) => String::new(),
        None => std::env::var_os(wanted)
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    };
    let most = agent.int_or_none(arg(arguments, 1));
    let Ok(most) = usize::try_from(most) else {
        // cf-agent builds a `printf` format, which allows no negative precision.
        return string(format!("%.0{most}s"));
    };
    string(value.chars().take(most).collect::<String>())
}

/// `read_module_protocol(path)`
pub(super) fn read_module_protocol(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let path = arg(arguments, 0);
    let content = match agent.read_bytes(path) {
        Ok(content) => content,
        Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
            let reason = crate::machine::reason(&error);
            agent.complain(format!(
                "Unable to read from file '{path}'. (fread: {reason})"
            ));
            return class(false);
        }
        Err(_) => return class(false),
    };
    let content = cfengine_policy::text::decode(&content).into_owned();
    let mut state = agent.module_state(path, false);
    for line in scan::lines(&content) {
        agent.module_line(&mut state, line)?;
    }
    class(true)
}
