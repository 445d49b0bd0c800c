//! `stickler init`: examines a module and writes a `stickler.toml` for it.

mod puppet;
mod starter;

use crate::args::InitArgs;
use crate::face::{self, Face, Job};
use crate::failure::{Done, Failure};
use crate::guess;
use crate::look::{Look, look};
use crate::promised::{self, FromPolicy};
use crate::subject;
use crate::terminal;
use cfengine_protocol::wire::Protocol;
use cfengine_protocol::words::{shown, visible};
use cfengine_protocol::{Ended, Session};
use cfengine_suite::{PromiseModules, VOCABULARY};
use starter::Starter;
use std::path::{Path, PathBuf};
use stickler_judge::Exit;
use stickler_suite::config::{self, Config, Subject};
use stickler_suite::first_look;
use stickler_transcript::ExitCause;

/// How many characters are shown of output instead of a header.
const SAID: usize = 100;

pub fn run(args: &InitArgs) -> Done {
    let folder = args.module.as_deref().unwrap_or(Path::new("."));
    if args.policy.is_none() && puppet_suite::is_module(folder) {
        return puppet::run(args, folder);
    }
    face::with(face::USUAL, Init(args))?
}

struct Init<'a>(&'a InitArgs);

impl Job for Init<'_> {
    type Done = Done;
    fn with<F: Face>(self, face: &F) -> Done {
        face.init(self.0)
    }
}

/// Runs `init` for a promise module.
///
/// # Errors
/// If there is no module, or if the file cannot be written.
pub fn of_module(dialect: &PromiseModules, args: &InitArgs) -> Done {
    let to_stdout = args.output.as_os_str() == "-";
    let promised = args
        .policy
        .as_deref()
        .map(|policy| promised::read(policy, args.module.as_deref(), &args.promise_types))
        .transpose()?;
    let module = module(args, promised.as_ref())?;
    if !to_stdout && args.output.exists() && !args.force {
        return Err(Failure::usage(format!(
            "{} already exists\n  --force overwrites it; --output FILE writes another file",
            args.output.display()
        )));
    }
    let interpreter = match &promised {
        Some(promised) if args.interpreter.is_none() => promised.interpreter.clone(),
        _ => guess::interpreter(&module, args.interpreter.as_deref())?,
    };
    let mut config = Config {
        dir: PathBuf::from("."),
        subject: Subject {
            path: Some(module.clone()),
            interpreter: interpreter.clone(),
            kinds: args.promise_types.clone(),
            ..Subject::default()
        },
        ..Config::default()
    };
    let argv = subject::argv(dialect, &config)?;
    let host = subject::host(&args.sandbox, &config)?;
    let (session, knowledge) = first_look(dialect, &host, &config, &argv)?;
    let (promise_types, source_of_type) = if let Some(promised) = &promised {
        (promised.promise_types.clone(), "in the policy")
    } else if args.promise_types.is_empty() {
        let header = session
            .headers()
            .find_map(|exchange| Some(visible(exchange.header()?.name()?)));
        let (name, source) = guess::promise_type(&module, header.as_deref());
        (vec![name], source)
    } else {
        (args.promise_types.clone(), "as given")
    };
    config.subject.kinds.clone_from(&promise_types);
    let look = look(dialect, &host, &config, &argv, session, knowledge)?;
    let starter = Starter {
        module: file_name(&module),
        path: guess::relative(&folder_of(&args.output, to_stdout)?, &module),
        interpreter,
        promise_types,
        protocol: cfengine_suite::protocol(&look.knowledge),
        action_policy: look.knowledge.dry,
        required: look.required.clone(),
        others: look.others.clone(),
        examples: promised
            .as_ref()
            .map_or_else(Vec::new, |promised| promised.examples.clone()),
    };
    let text = starter.text();
    // The text must be readable as a configuration; a mistake here would be Stickler's own.
    let check = folder_of(&args.output, to_stdout)?.join(subject::CONFIG);
    config::from_text(&check, &text, &VOCABULARY)
        .map_err(|error| Failure::harness(format!("the starter file is not readable: {error}")))?;
    let why = guess::not_direct(&module);
    let mut found = found(&look, &starter, source_of_type, why);
    if let Some(promised) = &promised {
        found.push(format!(
            "examples      {} from the policy",
            promised.examples.len()
        ));
        found.extend(promised.notes.iter().cloned());
    }
    if to_stdout {
        terminal::print(&text)?;
        for line in &found {
            terminal::note(line);
        }
        return Ok(Exit::Success);
    }
    std::fs::write(&args.output, &text).map_err(|error| {
        Failure::usage(format!(
            "{}: cannot be written: {error}",
            args.output.display()
        ))
    })?;
    let next = next(args, &look, !starter.examples.is_empty());
    terminal::print(format!("{}\n\n{next}", found.join("\n")))?;
    Ok(Exit::Success)
}

/// The module that the arguments or the policy name.
fn module(args: &InitArgs, promised: Option<&FromPolicy>) -> Result<PathBuf, Failure> {
    let module = match (&args.module, promised, &args.policy) {
        (Some(module), ..) => module.clone(),
        (None, Some(promised), Some(policy)) => subject::module_of(promised, policy)?,
        _ => return Err(Failure::usage("name a module, or a policy with --policy")),
    };
    if !module.exists() {
        return Err(subject::missing(&module));
    }
    if module.is_dir() {
        return Err(Failure::usage(format!(
            "{} is a folder; name the module in it",
            module.display()
        )));
    }
    std::path::absolute(&module).map_err(|error| anyhow::Error::from(error).into())
}

fn file_name(module: &Path) -> String {
    module
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn folder_of(output: &Path, to_stdout: bool) -> Result<PathBuf, Failure> {
    let folder = match output.parent() {
        Some(folder) if !to_stdout && !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::canonicalize(folder)
        .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))
}

/// The results, one line each.
fn found(look: &Look, starter: &Starter, source_of_type: &str, why: Option<String>) -> Vec<String> {
    let mut lines = vec![format!(
        "module        {}{}",
        stickler_report::visible(&starter.module),
        match &starter.interpreter {
            Some(interpreter) => format!(", run by {interpreter}{}", because(why)),
            None => ", run directly".to_owned(),
        }
    )];
    let header = look
        .session
        .headers()
        .find_map(|exchange| Some((exchange.header()?, exchange)));
    match (cfengine_suite::protocol(&look.knowledge), header) {
        (Some(protocol), Some((header, _))) => {
            let flag = match protocol {
                Protocol::Json => "JSON protocol",
                Protocol::Line => "line protocol",
            };
            let policy = if look.knowledge.dry {
                ", understands action_policy"
            } else {
                ""
            };
            lines.push(format!("header        {}", visible(header.line)));
            lines.push(format!("              {flag}{policy}"));
        }
        _ => lines.extend(no_header(&look.session)),
    }
    lines.push(format!(
        "promise type  {} ({source_of_type})",
        starter.promise_types.join(", ")
    ));
    if !look.required.is_empty() {
        lines.push(format!(
            "attributes    {} (validation asks for {})",
            look.required.join(", "),
            if look.required.len() == 1 {
                "it"
            } else {
                "them"
            }
        ));
    }
    if !look.others.is_empty() {
        let name = if look.required.is_empty() {
            "attributes"
        } else {
            ""
        };
        lines.push(format!(
            "{name:<14}{} (in the source)",
            look.others.join(", ")
        ));
    }
    if look.required.is_empty() && look.others.is_empty() {
        lines.push(
            "attributes    none found, neither in the source nor in error messages".to_owned(),
        );
    }
    lines
}

/// Why the module needs an interpreter, after the interpreter.
fn because(why: Option<String>) -> String {
    why.map(|why| format!(": {why}")).unwrap_or_default()
}

fn no_header(session: &Session) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(exchange) = session.exchanges.first() else {
        return vec!["header        none".to_owned()];
    };
    let how = match exchange.ended {
        Ended::Exited(ExitCause::Code(code)) => format!("the module exited with status {code}"),
        Ended::Exited(_) => "a signal ended the module".to_owned(),
        Ended::Silent(_) => "the module did not answer in time".to_owned(),
        Ended::ClosedOutput => "the module closed its output".to_owned(),
        _ => "its output names neither json_based nor line_based".to_owned(),
    };
    lines.push(format!("header        no usable header: {how}"));
    for (name, bytes) in [
        ("on stdout", &exchange.output),
        ("on stderr", &exchange.errors),
    ] {
        // The last line of a traceback says most.
        let last = bytes
            .split(|byte| *byte == b'\n')
            .rfind(|line| !line.is_empty());
        if let Some(last) = last {
            lines.push(format!(
                "              {name}: {}",
                shown(last, session.case(), SAID)
            ));
        }
    }
    lines
}

fn next(args: &InitArgs, look: &Look, has_examples: bool) -> String {
    let output = args.output.display();
    let mut text = format!("wrote {output}\n");
    let check = if args.output.as_os_str() == subject::CONFIG {
        "stickler check".to_owned()
    } else {
        format!("stickler check --config {output}")
    };
    if cfengine_suite::protocol(&look.knowledge).is_none() {
        text.push_str(&format!(
            "next: `{check}` shows what is wrong with the header\n"
        ));
        return text;
    }
    if look.answer.is_none() {
        text.push_str(
            "the module did not answer a validation with a result; the first check shows more\n",
        );
    }
    if has_examples {
        text.push_str(&format!(
            "next: `{check}`; its [[example]]s are the policy's promises\n"
        ));
        return text;
    }
    text.push_str(&format!(
        "next: `{check}` for a first look; then fill in the [[example]] with one of your promises,\n\
         \u{20}     so that Stickler also judges evaluation and effects\n"
    ));
    text
}
