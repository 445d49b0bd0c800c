//! Where the file goes.

use crate::args::InitArgs;
use crate::failure::Failure;
use crate::terminal;
use std::path::Path;

/// Is the file to be printed?
pub fn to_stdout(args: &InitArgs) -> bool {
    args.output.as_os_str() == "-"
}

/// Fails if the file exists and must not be overwritten.
pub fn refuse_existing(args: &InitArgs, output: &Path) -> Result<(), Failure> {
    if to_stdout(args) || !output.exists() || args.force {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} already exists\n  --force overwrites it; --output FILE writes another file",
        output.display()
    )))
}

/// Writes the file, or prints it. Returns whether it wrote a file.
pub fn write(args: &InitArgs, output: &Path, text: &str) -> Result<bool, Failure> {
    if to_stdout(args) {
        terminal::print(text)?;
        return Ok(false);
    }
    std::fs::write(output, text).map_err(|error| {
        Failure::usage(format!("{}: cannot be written: {error}", output.display()))
    })?;
    Ok(true)
}
