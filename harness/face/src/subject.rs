//! Determines the subject from arguments and `stickler.toml`.

use crate::args::{SandboxArgs, SubjectArgs};
use crate::dialects::{CONFIG, Chosen, Dialects};
use crate::failure::Failure;
use crate::guess::{self, interpreter};
use crate::interrupt::Interrupt;
use crate::missing::missing;
use crate::placeholder;
use crate::spinner::Spinner;
use crate::terminal;
use crate::{chosen, description, options};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use stickler_judge::Exit;
use stickler_session::sandbox::{Host, HostOptions, Tier};
use stickler_suite::config::{Config, Subject};
use stickler_suite::{Dialect, Preparing};
use stickler_transcript::Bytes;

/// The arguments with a module: a file, its description, or a folder with a description.
///
/// # Errors
/// If the folder has no description.
pub fn of_module(
    dialects: &Dialects,
    args: &SubjectArgs,
    module: Option<&PathBuf>,
) -> Result<SubjectArgs, Failure> {
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
            if chosen::is_claimed(dialects, module)? {
                return Ok(args);
            }
            return Err(Failure::usage(format!(
                "{}: the folder has no {CONFIG}, and {}\n  name a module in it, or write one with \
                 `stickler init {}/MODULE -o {}`",
                module.display(),
                chosen::unclaimed(dialects),
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
pub fn describe(chosen: &Chosen<'_>, args: &SubjectArgs) -> Result<Config, Failure> {
    let face = chosen.face;
    options::fit(chosen, &args.given)?;
    let mut config = file(chosen, args)?;
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

fn file(chosen: &Chosen<'_>, args: &SubjectArgs) -> Result<Config, Failure> {
    if let Some(file) = &args.config {
        if !file.exists() {
            return Err(missing(file));
        }
        return match args.command.is_empty() {
            true => description::read(chosen, file),
            false => description::for_another(chosen, file),
        };
    }
    // A module or command from the command line needs no description, and must not get that of
    // another one.
    let is_named = chosen.face.named(&args.given).is_some();
    let elsewhere = args.module.is_some() || is_named || !args.command.is_empty();
    let here = Path::new(CONFIG);
    if !here.exists() {
        return Ok(Config {
            dir: PathBuf::from("."),
            ..Config::default()
        });
    }
    let config = match elsewhere {
        true => description::for_another(chosen, here)?,
        false => description::read(chosen, here)?,
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
    dialect: &dyn Dialect,
    config: &Config,
    interrupt: &Interrupt,
) -> Result<Vec<Bytes>, Failure> {
    let spinner = Spinner::default();
    let argv = dialect.prepare(
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
pub fn sources(chosen: &Chosen<'_>, args: &SubjectArgs) -> Vec<PathBuf> {
    let Ok(mut config) = file(chosen, args) else {
        return Vec::new();
    };
    if args.module.is_some() {
        config.dir = PathBuf::from(".");
        config.subject.path.clone_from(&args.module);
    }
    chosen.face.dialect().sources(&config)
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
pub fn host(dialect: &dyn Dialect, args: &SandboxArgs, config: &Config) -> Result<Host, Failure> {
    host_with(dialect, args, config, false)
}

/// The same. Subjects may share the System V segments of this process.
pub fn host_with(
    dialect: &dyn Dialect,
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
        limits: dialect.limits(),
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
