//! Determines the subject from arguments and `stickler.toml`.

use crate::args::{SandboxArgs, SubjectArgs};
use crate::bar::Spinner;
pub use crate::chosen::CONFIG;
use crate::face::Face;
use crate::failure::Failure;
use crate::guess::{self, interpreter};
use crate::interrupt::Interrupt;
use crate::missing::missing;
use crate::placeholder;
use crate::promised::{self, FromPolicy};
use crate::terminal;
use crate::{chosen, description, options};
use cfengine_protocol::wire::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use stickler_judge::Exit;
use stickler_session::sandbox::{Host, HostOptions, Tier};
use stickler_suite::config::{Config, Example, Subject};
use stickler_suite::{Preparing, Vocabulary};
use stickler_transcript::Bytes;

/// The arguments with a module: a file, its description, or a folder with a description.
///
/// # Errors
/// If the folder has no description.
pub fn of_module(args: &SubjectArgs, module: Option<&PathBuf>) -> Result<SubjectArgs, Failure> {
    let mut args = args.clone();
    args.module = module.cloned();
    let Some(module) = &args.module else {
        return Ok(args);
    };
    if !module.exists() {
        return Err(missing(module));
    }
    if module.file_name().is_some_and(|name| name == CONFIG) {
        args.config = args.module.take();
    } else if module.is_dir() && args.config.is_none() {
        let config = module.join(CONFIG);
        if !config.exists() {
            if chosen::is_claimed(module)? {
                return Ok(args);
            }
            return Err(Failure::usage(format!(
                "{}: the folder has no {CONFIG}, and {}\n  name a module in it, or write one with \
                 `stickler init {}/MODULE -o {}`",
                module.display(),
                chosen::unclaimed(),
                module.display(),
                config.display(),
            )));
        }
        args.config = Some(config);
        args.module = None;
    }
    Ok(args)
}

/// Reads the configuration, and adds what the command line says.
///
/// # Errors
/// If there is no subject, or if its description is wrong.
pub fn describe(face: &dyn Face, args: &SubjectArgs) -> Result<Config, Failure> {
    options::fit(face, &args.given)?;
    let mut config = file(face.vocabulary(), args)?;
    let subject = &mut config.subject;
    if let Some(module) = &args.module {
        if module.is_dir() && !face.takes_folders() {
            return Err(Failure::usage(format!(
                "{} is a folder; name the module in it, or change to it if it has a {CONFIG}",
                module.display()
            )));
        }
        // Relative to the user's folder, not to the configuration's.
        subject.path = Some(std::path::absolute(module).map_err(anyhow::Error::from)?);
        subject.interpreter = None;
        subject.command.clear();
        if args.interpreter.is_none()
            && module.is_file()
            && let Some(named) = guess::named_by_first_line(module)
        {
            terminal::note(&format!(
                "{} is not executable: run by {named}, which its first line names",
                module.display()
            ));
            subject.interpreter = Some(named);
        }
    }
    if !args.command.is_empty() {
        subject.command.clone_from(&args.command);
        subject.interpreter = None;
        let dir = &config.dir;
        subject.path = subject.path.take().filter(|path| dir.join(path).exists());
    }
    set_interpreter(subject, args.interpreter.as_deref())?;
    for variable in &args.env {
        let (name, value) = variable
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| Failure::usage(format!("--env {variable}: write NAME=VALUE")))?;
        subject.env.retain(|(known, _)| known != name);
        subject.env.push((name.to_owned(), value.to_owned()));
    }
    face.amend(args, &mut config)?;
    for note in placeholder::typos(&config) {
        terminal::note(&note);
    }
    if config.subject.path.is_none() && config.subject.command.is_empty() {
        return Err(Failure::usage(match &config.file {
            Some(file) => format!(
                "{}: [subject] has no `path`; add one, or a `command`",
                file.display()
            ),
            None => format!(
                "no module is named and there is no {CONFIG} here\n  \
                 stickler check ./module.py --interpreter python3   for a first look\n  \
                 stickler init ./module.py                          to write a {CONFIG}"
            ),
        }));
    }
    Ok(config)
}

/// Sets the interpreter that the command line names.
///
/// # Errors
/// If the subject is a whole command line.
pub fn set_interpreter(subject: &mut Subject, named: Option<&str>) -> Result<(), Failure> {
    let Some(named) = named else {
        return Ok(());
    };
    if !subject.command.is_empty() {
        return Err(Failure::usage(format!(
            "--interpreter {named} has no effect, because the subject is a whole command line: {}\n  \
             take --interpreter out, or put {named} into the command",
            stickler_report::command_line(&subject.command)
        )));
    }
    subject.interpreter = Some(named.to_owned());
    Ok(())
}

/// Adds a policy's promises, and the example of the command line.
///
/// # Errors
/// If the policy cannot be read or names no module, or if an attribute has no value.
pub fn amend(args: &SubjectArgs, config: &mut Config) -> Result<(), Failure> {
    let subject = &mut config.subject;
    let mut examples = Vec::new();
    if let Some(policy) = &args.policy {
        let found = promised::read(policy, args.module.as_deref(), &args.promise_types)?;
        subject.path = Some(module_of(&found, policy)?);
        if args.interpreter.is_none() {
            subject.interpreter = found.interpreter;
        }
        subject.kinds = found.promise_types;
        subject.command.clear();
        examples = found.examples;
        for note in &found.notes {
            terminal::note(note);
        }
    }
    if !args.promise_types.is_empty() {
        subject.kinds.clone_from(&args.promise_types);
    }
    let own = config.examples.len();
    config.examples.append(&mut examples);
    if let Some(promiser) = &args.promiser {
        for hint in list_hints(&args.attributes) {
            terminal::note(&hint);
        }
        config.examples.push(Example {
            name: "command line".into(),
            identity: vec![("promiser".into(), Value::text(promiser.as_bytes()))],
            attributes: args
                .attributes
                .iter()
                .map(|attribute| {
                    let (name, value) = attribute.split_once('=').ok_or_else(|| {
                        Failure::usage(format!("--attribute {attribute}: write NAME=VALUE"))
                    })?;
                    Ok((name.to_owned(), Value::text(value)))
                })
                .collect::<Result<_, Failure>>()?,
            ..Example::default()
        });
    } else if !args.attributes.is_empty() {
        return Err(Failure::usage(
            "--attribute needs --promiser: together they describe an example",
        ));
    }
    if own > 0 && config.examples.len() > own {
        let own = stickler_report::count(own, "example");
        let file = config.file.as_deref().unwrap_or(Path::new(CONFIG));
        let file = file.display();
        terminal::note(&format!("{file} adds {own}; --example chooses"));
    }
    Ok(())
}

/// Hints that values on the command line are text even if they look like lists or containers.
fn list_hints(attributes: &[String]) -> Vec<String> {
    let pairs = attributes.iter().filter_map(|it| it.split_once('='));
    let mut names: Vec<&str> = pairs.clone().map(|(name, _)| name).collect();
    names.sort_unstable();
    let listed = pairs.filter_map(|(name, value)| {
        let value = value.trim();
        let whole = |start, end| value.starts_with(start) && value.ends_with(end);
        let bare = value.trim_start_matches('{').starts_with("dir}");
        let list = whole('[', ']') || whole('{', '}') && !bare;
        list.then_some((name, "is sent as text"))
    });
    let twice = names.windows(2).filter_map(|pair| {
        let is_same = pair[0] == pair[1];
        is_same.then_some((pair[0], "is given twice, which does not make a list"))
    });
    let mut said: Vec<(&str, &str)> = listed.chain(twice).collect();
    said.dedup();
    let hint = |(name, what): (&str, &str)| {
        format!(
            "--attribute {name} {what}; write lists and containers in {CONFIG}: \
             attributes = {{ {name} = [\"one\", \"two\"] }}"
        )
    };
    said.into_iter().map(hint).collect()
}

/// The module that a policy names.
///
/// # Errors
/// If it does not exist.
pub fn module_of(found: &FromPolicy, policy: &Path) -> Result<PathBuf, Failure> {
    if found.path.is_file() {
        return std::path::absolute(&found.path).map_err(|error| anyhow::Error::from(error).into());
    }
    Err(Failure::usage(format!(
        "{}: the module {} does not exist\n  give its path before the policy: stickler check ./module.py --policy {}",
        policy.display(),
        found.path.display(),
        policy.display()
    )))
}

fn file(words: &Vocabulary, args: &SubjectArgs) -> Result<Config, Failure> {
    if let Some(file) = &args.config {
        if !file.exists() {
            return Err(missing(file));
        }
        return match args.command.is_empty() {
            true => description::read(file, words),
            false => description::for_another(file, words),
        };
    }
    // A module or command from the command line needs no description, and must not get that of
    // another one.
    let elsewhere = args.module.is_some() || args.policy.is_some() || !args.command.is_empty();
    let here = Path::new(CONFIG);
    if !here.exists() {
        return Ok(Config {
            dir: PathBuf::from("."),
            ..Config::default()
        });
    }
    let config = match elsewhere {
        true => description::for_another(here, words)?,
        false => description::read(here, words)?,
    };
    let same = |module: &Path| {
        config.subject.path.as_ref().is_some_and(|path| {
            let known = std::fs::canonicalize(config.dir.join(path));
            matches!((known, std::fs::canonicalize(module)), (Ok(a), Ok(b)) if a == b)
        })
    };
    if elsewhere && !args.module.as_deref().is_some_and(same) {
        return Ok(Config {
            dir: PathBuf::from("."),
            ..Config::default()
        });
    }
    Ok(config)
}

/// Prepares the subject, and returns its command line, checked as far as possible without starting it.
///
/// # Errors
/// If the module cannot run.
pub fn prepare(
    face: &dyn Face,
    config: &Config,
    interrupt: &Interrupt,
) -> Result<Vec<Bytes>, Failure> {
    let spinner = Spinner::default();
    let argv = face.prepare(
        config,
        &Preparing {
            say: &|what| spinner.say(what),
            stop: interrupt.stop(),
        },
    )?;
    drop(spinner);
    let first = argv
        .first()
        .map(|word| word.lossy().into_owned())
        .unwrap_or_default();
    let program = find_program(&first, config);
    let Some(program) = program else {
        let what = if config.subject.interpreter.is_some() {
            "interpreter"
        } else {
            "command"
        };
        return Err(Failure {
            exit: Exit::NoSession,
            message: format!("{what} \"{first}\": not found; give its path, or install it"),
        });
    };
    let executable = std::fs::metadata(&program)
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0);
    if !executable {
        let runs = interpreter(&program, None).ok().flatten();
        let runs = runs.unwrap_or_else(|| "PROGRAM".to_owned());
        return Err(Failure {
            exit: Exit::NoSession,
            message: format!(
                "{0}: not executable\n  run chmod +x {0}, or set --interpreter {runs}",
                program.display()
            ),
        });
    }
    if let Some(why) = guess::not_direct(&program) {
        let runs = interpreter(&program, None).ok().flatten();
        let runs = runs.unwrap_or_else(|| "PROGRAM".to_owned());
        let todo = match why.contains("CRLF") {
            true => "convert its line ends with sed -i 's/\\r$//'",
            false => "add that line",
        };
        return Err(Failure {
            exit: Exit::NoSession,
            message: format!(
                "{}: cannot be started: {why}\n  {todo}, or set --interpreter {runs}",
                program.display()
            ),
        });
    }
    let mut argv = argv;
    if let Some(word) = argv.first_mut() {
        use std::os::unix::ffi::OsStringExt;
        *word = program.into_os_string().into_vec().into();
    }
    Ok(argv)
}

/// A command line for people.
pub fn shown(argv: &[Bytes]) -> String {
    let words = argv.iter().map(|word| word.lossy().into_owned());
    stickler_report::command_line(&words.collect::<Vec<_>>())
}

/// The folders to watch for changes of the subject; none if its description cannot be read.
pub fn sources(face: &dyn Face, args: &SubjectArgs) -> Vec<PathBuf> {
    let Ok(mut config) = file(face.vocabulary(), args) else {
        return Vec::new();
    };
    if args.module.is_some() {
        config.dir = PathBuf::from(".");
        config.subject.path.clone_from(&args.module);
    }
    face.sources(&config)
}

/// Looks a program up in the subject's own `PATH`.
fn find_program(name: &str, config: &Config) -> Option<PathBuf> {
    if name.contains('/') {
        let path = config.dir.join(name);
        return path
            .exists()
            .then(|| std::path::absolute(&path).unwrap_or(path));
    }
    let own = config.subject.env.iter().find(|(key, _)| key == "PATH");
    let path = own.map_or(
        "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin",
        |(_, value)| value,
    );
    path.split(':')
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
}

/// A tier's name in reports.
pub fn sandbox(tier: &str) -> String {
    match tier {
        "none" => "no sandbox".to_owned(),
        tier => format!("{tier} sandbox"),
    }
}

/// Determines which sandbox this machine provides.
///
/// # Errors
/// If the wanted tier is not available.
pub fn host(face: &dyn Face, args: &SandboxArgs, config: &Config) -> Result<Host, Failure> {
    host_with(face, args, config, false)
}

/// The same. Subjects may share the System V segments of this process.
pub fn host_with(
    face: &dyn Face,
    args: &SandboxArgs,
    config: &Config,
    shares_segments: bool,
) -> Result<Host, Failure> {
    let wanted = args
        .sandbox
        .as_ref()
        .or(config.sandbox.tier.as_ref())
        .map(|tier| {
            tier.parse::<Tier>().map_err(|_| {
                Failure::usage(format!(
                    "unknown sandbox \"{tier}\"; use overlay, copy or none"
                ))
            })
        })
        .transpose()?;
    let options = HostOptions {
        network: config.sandbox.network,
        expose: config.sandbox.expose.clone(),
        limits: face.limits(),
        shares_segments,
    };
    Host::probe(wanted, options).map_err(|error| Failure {
        exit: Exit::NoSession,
        message: format!(
            "{}\n  `stickler doctor` shows what this machine supports",
            crate::failure::chain(&error)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::list_hints;

    #[test]
    fn check_warns_of_lists_on_the_command_line() {
        let hints = |attributes: &[&str]| {
            list_hints(
                &attributes
                    .iter()
                    .map(|it| (*it).to_owned())
                    .collect::<Vec<_>>(),
            )
            .len()
        };
        assert_eq!(hints(&["tags=[\"a\", \"b\"]", "mode=0644"]), 1);
        assert_eq!(hints(&["vars={\"a\": \"b\"}"]), 1);
        assert_eq!(hints(&["tag=a", "tag=b", "tag=c"]), 1);
        assert_eq!(
            hints(&["path={dir}", "other={dir}/{x}", "pattern=[a-z]+", "empty="]),
            0
        );
    }
}
