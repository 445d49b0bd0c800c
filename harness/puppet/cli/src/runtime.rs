//! What the commands share that run Puppet's Resource API: the module, its host, messages.

mod device;

use crate::args::RuntimeArgs;
use crate::installed;
use anstyle::{AnsiColor, Style};
use puppet_protocol::Answer;
use puppet_runtime::{Exchange, Fault, Log, Release, RuntimeSettings, Severity};
use puppet_suite::{ResourceApi, SPEECH, is_module, module_folder};
use puppet_types::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use stickler_face::args::ListFormat;
use stickler_face::subject::set_interpreter;
use stickler_face::{Chosen, Failure, description, interrupt, recording, terminal};
use stickler_judge::Exit;
use stickler_rpc::Client;
use stickler_suite::Dialect;
use stickler_suite::Preparing;
use stickler_suite::config::Config;
use stickler_transcript::Bytes;

/// A started host with all that the runtime needs.
pub struct Started {
    /// The host.
    pub process: Client,
    /// The choices of the run.
    pub settings: RuntimeSettings,
}

/// What a command needs of a device beside the connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Connection,
    /// Its facts, which Puppet asks for before there is a catalog.
    Facts,
}

/// Starts the host for a module. What a transport says while it connects goes to the console.
///
/// # Errors
/// If there is no module, or if the host does not start.
pub fn start(
    chosen: &Chosen<'_>,
    args: &RuntimeArgs,
    console: &Console,
    needs: Needs,
) -> Result<Started, Failure> {
    let config = describe(chosen, args)?;
    let release = release(args, &config);
    let strict = args.strict(release);
    let mut argv = ResourceApi.prepare(&config, &Preparing::quietly())?;
    let is_own = !config.subject.command.is_empty();
    if let (true, Some(program)) = (is_own, argv.first_mut()) {
        *program = beside(&config, program);
    }
    let env = description::env(&config);
    let process = match args.record {
        Some(_) => Client::start_overheard(&argv, Path::new("."), &env, SPEECH),
        None => Client::start(&argv, Path::new("."), &env, SPEECH),
    };
    let mut process = process.map_err(|error| {
        let advice = match is_own {
            true => "correct `command` in stickler.toml",
            false => "install Ruby, or name one with --interpreter",
        };
        let program = argv.first().map(|word| word.lossy().into_owned());
        Failure {
            exit: Exit::NoSession,
            message: format!(
                "{}: cannot be started: {error}\n  {advice}",
                program.unwrap_or_default()
            ),
        }
    })?;
    interrupt::before_the_end(process.ender())?;
    if let Some(file) = &args.record {
        let module = args.puppet.module.canonicalize();
        let module = module
            .ok()
            .and_then(|path| Some(path.file_name()?.to_owned()));
        let name = module.unwrap_or_else(|| "module".into());
        let case = puppet_suite::recording(&name.to_string_lossy());
        let begun = process.record(file, case);
        begun.map_err(|error| recording::unbegun(file, &error))?;
    }
    let lib = lib_folders(&config, &args.puppet.modulepath)?;
    let path = lib
        .iter()
        .map(|folder| Value::string(folder.to_string_lossy()));
    let params = Value::hash([
        ("protocol", Value::integer(1)),
        ("runtime", Value::string(release.api.name)),
        ("path", Value::Array(path.collect())),
        ("real", Value::Bool(args.real_puppet)),
        ("strict", Value::string(strict.name())),
        ("exact", Value::Bool(release != Release::SPEC)),
    ]);
    ask(&mut process, "initialize", &params).map_err(no_session)?;
    if let Some(target) = &args.target {
        let on = (args, release);
        connect(&mut process, on, &config, target, console, needs)?;
    }
    Ok(Started {
        process,
        settings: RuntimeSettings {
            release,
            strict,
            noop: args.puppet.noop,
            on_device: args.target.is_some(),
            whole: args.record.is_some(),
            ..RuntimeSettings::default()
        },
    })
}

/// The path of a program; it is relative to the folder of `stickler.toml`. A name alone is looked up.
fn beside(config: &Config, program: &Bytes) -> Bytes {
    match program.contains(&b'/') {
        true => {
            let path = config.dir.join(OsStr::from_bytes(program));
            let whole = path.canonicalize().unwrap_or(path);
            whole.into_os_string().into_vec().into()
        }
        false => program.clone(),
    }
}

/// Connects to the device of `--target`.
fn connect(
    process: &mut Client,
    (args, release): (&RuntimeArgs, Release),
    config: &Config,
    target: &str,
    console: &Console,
    needs: Needs,
) -> Result<(), Failure> {
    let found = device::find(args, config, target)?;
    let transport = found.transport;
    let mut tell = |method: &str, params: &Value| {
        let exchange = Exchange::of(process, method, params);
        let exchange = exchange.map_err(|error| no_session(error.0))?;
        for log in puppet_runtime::told(&transport, release, &exchange.events) {
            console.show(&log);
        }
        Ok::<_, Failure>(exchange.answer)
    };
    let number = match tell(found.method, &found.params)? {
        Answer::Result(result) => result.get("transport").cloned(),
        Answer::Failed(failure) => {
            return Err(Failure {
                exit: Exit::Findings,
                message: format!("Can't load {transport} for {target}: {}", failure.message),
            });
        }
        Answer::Refused(_, why) => {
            return Err(no_session(format!("cannot connect to {target}: {why}")));
        }
        Answer::Broken(why) => return Err(no_session(format!("no answer: {why}"))),
    };
    let number = number.and_then(|number| Value::from_json(number, 0).ok());
    let Some(number) = number.filter(|_| needs == Needs::Facts) else {
        return Ok(());
    };
    match tell("facts", &Value::hash([("transport", number)]))? {
        // A host in another language need not have it.
        Answer::Result(_) | Answer::Refused(..) => Ok(()),
        Answer::Failed(failure) => Err(Failure {
            exit: Exit::Findings,
            message: format!("the facts of {target}: {}", failure.message),
        }),
        Answer::Broken(why) => Err(no_session(format!("no answer: {why}"))),
    }
}

/// Sends a request that must succeed. The error says why it did not.
fn ask(process: &mut Client, method: &str, params: &Value) -> Result<(), String> {
    let exchange = Exchange::of(process, method, params);
    match exchange.map_err(|error| error.0)?.answer {
        Answer::Result(_) => Ok(()),
        Answer::Failed(failure) => Err(failure.message),
        Answer::Refused(_, message) => Err(message),
        Answer::Broken(why) => Err(format!("no answer: {why}")),
    }
}

fn no_session(why: impl Into<String>) -> Failure {
    Failure {
        exit: Exit::NoSession,
        message: why.into(),
    }
}

/// Ends the host and the recording, if there is one.
///
/// # Errors
/// If it could not be written.
pub fn finish(process: &mut Client) -> Result<(), Failure> {
    recording::finished(process.stop_recording())
}

/// The description of the module: its `stickler.toml`, if it has one.
///
/// # Errors
/// If there is no module, or if its description is wrong.
pub fn describe(chosen: &Chosen<'_>, args: &RuntimeArgs) -> Result<Config, Failure> {
    let named = args.config.as_deref();
    let mut config = description::of_folder(chosen, &args.puppet.module, named)?;
    let subject = &mut config.subject;
    if subject.path.is_none() && subject.command.is_empty() {
        subject.path = Some(".".into());
    }
    set_interpreter(subject, args.interpreter.as_deref())?;
    if let Some(folder) = module_folder(&config)
        && !is_module(&folder)
    {
        return Err(Failure::usage(format!(
            "{}: no Puppet module: there is no lib/puppet/type, provider or transport below it; \
             change to the module's root, or name it with --module",
            folder.display()
        )));
    }
    Ok(config)
}

/// The release whose behaviour a run has: the one that the user names, else the usual one.
pub fn release(args: &RuntimeArgs, config: &Config) -> Release {
    args.runtime.unwrap_or_else(|| installed::usual(config))
}

/// The `lib` folders that providers see: the module's own, then those of other modules.
///
/// # Errors
/// If a folder of modules cannot be read.
pub fn lib_folders(config: &Config, modulepath: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut folders = Vec::new();
    if let Some(folder) = module_folder(config) {
        let folder = folder.canonicalize().unwrap_or(folder);
        folders.push(folder.join("lib"));
    }
    for dir in modulepath {
        let unreadable = |error| Failure::usage(format!("--modulepath {}: {error}", dir.display()));
        let mut found = Vec::new();
        for entry in dir.read_dir().map_err(unreadable)? {
            let root = entry.map_err(unreadable)?.path();
            // A module may have type aliases alone.
            if root.join("lib").is_dir() || root.join("types").is_dir() {
                found.push(root.canonicalize().unwrap_or(root).join("lib"));
            }
        }
        found.sort();
        found.retain(|lib| !folders.contains(lib));
        folders.extend(found);
    }
    Ok(folders)
}

/// Shows messages as Puppet does on a console, or as lines of JSON.
pub struct Console {
    least: Severity,
    format: ListFormat,
    on_stdout: bool,
    on_stderr: bool,
}

impl Console {
    /// A console with these options.
    pub fn new(args: &RuntimeArgs) -> Self {
        Console {
            least: match (args.debug, args.verbose) {
                (true, _) => Severity::Debug,
                (false, true) => Severity::Info,
                (false, false) => Severity::Notice,
            },
            format: args.format,
            on_stdout: args.color.on_stdout(),
            on_stderr: args.color.on_stderr(),
        }
    }

    /// Shows a message.
    pub fn show(&self, log: &Log) {
        if log.level < self.least {
            return;
        }
        if let ListFormat::Json = self.format {
            let line = serde_json::json!({
                "event": "log",
                "level": log.level.name(),
                "source": log.source,
                "message": log.message,
            });
            // If the reader has gone, so has the wish for messages.
            let _ = terminal::print(format!("{line}\n"));
            return;
        }
        let color = match log.level {
            Severity::Debug => Some(AnsiColor::Cyan),
            Severity::Info => Some(AnsiColor::Green),
            Severity::Notice => None,
            Severity::Warning => Some(AnsiColor::Yellow),
            _ => Some(AnsiColor::Red),
        };
        let is_error = log.level >= Severity::Warning;
        let colored = if is_error {
            self.on_stderr
        } else {
            self.on_stdout
        };
        let style = match color {
            Some(color) if colored => Style::new().fg_color(Some(color.into())),
            _ => Style::new(),
        };
        let text = terminal::visible_lines(&log.text());
        let line = format!("{style}{}: {text}{style:#}\n", log.level.label());
        let _ = match is_error {
            true => std::io::stderr().lock().write_all(line.as_bytes()),
            false => std::io::stdout().lock().write_all(line.as_bytes()),
        };
    }

    /// Prints a line of JSON, if that is the format.
    pub fn json(&self, line: &serde_json::Value) -> Result<(), Failure> {
        match self.format {
            ListFormat::Json => terminal::print(format!("{line}\n")),
            ListFormat::Pretty => Ok(()),
        }
    }
}

/// A value in a line of JSON, written as in the provider protocol.
pub fn json(value: &Value) -> serde_json::Value {
    serde_json::from_str(&value.encode()).unwrap_or_default()
}

/// Why a run could not go on, with its exit code.
pub fn failure(fault: Fault, what: &str) -> Failure {
    match fault {
        Fault::Raised(raised) => Failure {
            exit: Exit::Findings,
            message: format!("{what}: {}", raised.message),
        },
        Fault::Host(error) => no_session(error.0),
        Fault::NoType(why) => Failure::usage(why),
        Fault::Unsupported(why) => Failure::usage(format!("not supported: {why}")),
    }
}
