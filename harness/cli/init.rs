//! `stickler init`: examines a subject and writes a `stickler.toml` for it.

mod promise_module;
mod puppet;
mod starter;

use crate::args::InitArgs;
use crate::face::{self, Face, Job};
use crate::failure::{Done, Failure};
use crate::terminal;
use std::path::Path;

pub use promise_module::run as of_module;

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

fn to_stdout(args: &InitArgs) -> bool {
    args.output.as_os_str() == "-"
}

/// Fails if the file exists and must not be overwritten.
fn refuse_existing(args: &InitArgs, output: &Path) -> Result<(), Failure> {
    if to_stdout(args) || !output.exists() || args.force {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} already exists\n  --force overwrites it; --output FILE writes another file",
        output.display()
    )))
}

/// Writes the file, or prints it. Returns whether it wrote a file.
fn write(args: &InitArgs, output: &Path, text: &str) -> Result<bool, Failure> {
    if to_stdout(args) {
        terminal::print(text)?;
        return Ok(false);
    }
    std::fs::write(output, text).map_err(|error| {
        Failure::usage(format!("{}: cannot be written: {error}", output.display()))
    })?;
    Ok(true)
}
