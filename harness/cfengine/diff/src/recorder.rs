//! The program between an agent and a module: it records the requests and passes them on. The
//! module inherits stdout and stderr. The agent sees them close only when the recorder has exited
//! too. Then writing fails, as it would for the module itself.

use crate::interpose::Orders;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use stickler_oracle::Error;

/// Runs the real file behind `stand_in` with these arguments, and returns the exit code.
///
/// # Errors
///
/// When the stand-in cannot be read, or the real file cannot be run.
pub fn run(stand_in: &Path, arguments: &[OsString]) -> Result<u8, Error> {
    let orders = orders(stand_in)?;
    let mut command = Command::new(&orders.real);
    if orders.modules.is_some() {
        // An interpreter finds its library by the name under which it is called.
        command.arg0(stand_in);
    }
    command.args(arguments);
    let first = arguments.first().map(|first| first.to_string_lossy());
    let recorded = match (&orders.modules, &first) {
        (Some(modules), Some(first)) => modules.iter().any(|module| module == &**first),
        (Some(_), None) => false,
        (None, _) => true,
    };
    if !recorded {
        return Err(system("running an interpreter", command.exec()));
    }
    let name = match (&orders.modules, &first) {
        (Some(_), Some(first)) => first.to_string(),
        _ => stand_in.to_string_lossy().into_owned(),
    };
    let mut record = new_record(&orders.records, &name)?;
    let header = take_header(&mut record);
    let error = |source| system("starting a module", source);
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(error)?;
    if let Some(stdin) = child.stdin.take() {
        std::thread::spawn(move || pass_on(stdin, record, &header));
    }
    let status = child.wait().map_err(error)?;
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    Ok(u8::try_from(code.unwrap_or(255)).unwrap_or(255))
}

fn orders(stand_in: &Path) -> Result<Orders, Error> {
    let unreadable = |source| Error::File {
        path: stand_in.to_owned(),
        source,
    };
    let text = fs::read_to_string(stand_in).map_err(unreadable)?;
    serde_json::from_str(text.lines().nth(1).unwrap_or_default()).map_err(|error| Error::Stored {
        path: stand_in.to_owned(),
        message: error.to_string(),
    })
}

/// Creates a file for each process, numbered in the order of their starts.
fn new_record(folder: &Path, name: &str) -> Result<File, Error> {
    let mut number = 0;
    loop {
        match File::create_new(folder.join(format!("{number}"))) {
            Ok(mut file) => {
                let written = file.write_all(format!("{}\n", name.escape_debug()).as_bytes());
                written.map_err(|source| system("writing a record", source))?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(system("making a record", error)),
        }
    }
}

/// Agents send their header at once. It is recorded before the module starts, so that the record
/// does not depend on when the module exits.
fn take_header(record: &mut File) -> Vec<u8> {
    let second = Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };
    let input = io::stdin();
    let mut fds = [PollFd::new(&input, PollFlags::IN)];
    match poll(&mut fds, Some(&second)) {
        Ok(1..) => take(record).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// Reads and records what the agent sends next; empty at the end.
fn take(record: &mut File) -> io::Result<Vec<u8>> {
    let mut chunk = vec![0; 64 << 10];
    let length = rustix::io::retry_on_intr(|| rustix::io::read(io::stdin(), &mut chunk))?;
    chunk.truncate(length);
    record.write_all(&chunk)?;
    Ok(chunk)
}

/// Passes requests on after they are recorded.
fn pass_on(mut stdin: ChildStdin, mut record: File, header: &[u8]) {
    if stdin.write_all(header).is_err() {
        return hang_up();
    }
    while let Ok(chunk) = take(&mut record) {
        if chunk.is_empty() {
            return;
        }
        if stdin.write_all(&chunk).is_err() {
            return hang_up();
        }
    }
}

/// Closes stdin, so that the agent sees that its reader is gone.
fn hang_up() {
    if let Ok(null) = File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&null);
    }
}

fn system(what: &'static str, source: io::Error) -> Error {
    Error::System { what, source }
}
