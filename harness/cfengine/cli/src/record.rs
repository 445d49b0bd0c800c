//! `stickler record`: relays between an agent and a module, and records.

mod wrap;

use crate::args::RecordArgs;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use stickler_face::{Chosen, Failure, terminal};
use stickler_judge::Exit;
use stickler_session::record::{RecordError, Tape, end_as, own_command, record, recorded_case};
use stickler_transcript::{Case, Event};

/// Records a module, or writes the executable that does.
pub fn run(chosen: &Chosen<'_>, args: &RecordArgs) -> Result<ExitCode, Failure> {
    if let Some(module) = &args.wrap {
        return wrap::write(chosen, args, module);
    }
    let (program, arguments) = args
        .command
        .split_first()
        .ok_or_else(|| Failure::usage("name the module's command after `--`"))?;
    let mut command = Command::new(program);
    command.args(arguments);
    let mut tape = begin(args)?;
    let status = record(&mut command, &mut tape).map_err(|error| {
        let message = format!(
            "{}: {}",
            program.display(),
            stickler_face::failure::chain(&error)
        );
        tape.note(&Event::Trouble {
            t: tape.now(),
            message: message.clone(),
        });
        Failure {
            exit: match error {
                RecordError::Start(_) => Exit::NoSession,
                RecordError::Io(_) => Exit::Harness,
            },
            message,
        }
    });
    if let Err(error) = tape.finish() {
        terminal::error(&format!(
            "{}: the recording is incomplete: {error}",
            args.out.display()
        ));
    }
    Ok(ExitCode::from(end_as(status?)))
}

/// Begins the transcript that the arguments name.
fn begin(args: &RecordArgs) -> Result<Tape, Failure> {
    let limit = args.limit.saturating_mul(1 << 20);
    let unwritable = |path: &Path, error: std::io::Error| {
        Failure::usage(format!(
            "{}: cannot be written: {error}; --out needs an existing folder",
            path.display()
        ))
    };
    if let Some(begun) = args.begun {
        return Tape::join(&args.out, begun, limit).map_err(|error| unwritable(&args.out, error));
    }
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let case = case(&args.command, &cwd);
    Tape::begin_in(&args.out, &case, limit)
        .map(|(_, tape)| tape)
        .map_err(|(path, error)| unwritable(&path, error))
}

/// The first line of a recording of this command, without its name.
pub fn case<S: AsRef<OsStr>>(command: &[S], cwd: &Path) -> Case {
    Case {
        command: Some(own_command(command, cwd)),
        ..recorded_case("promise-module", &subject(command))
    }
}

/// The module's file name: the started program, or the file that is passed to an interpreter.
fn subject<S: AsRef<OsStr>>(command: &[S]) -> String {
    let is_file = |word: &&S| Path::new(word).is_file();
    let module = command.iter().skip(1).find(is_file);
    let name = module.or(command.first()).map(Path::new);
    let name = name.and_then(Path::file_name).unwrap_or(OsStr::new(""));
    name.to_string_lossy().into_owned()
}
