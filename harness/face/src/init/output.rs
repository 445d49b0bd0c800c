//! Where the file goes.

use super::starter::MARK;
use crate::args::InitArgs;
use crate::dialects::Chosen;
use crate::failure::Failure;
use crate::terminal;
use std::path::{Path, PathBuf};

/// Is the file to be printed?
pub fn to_stdout(args: &InitArgs) -> bool {
    args.output.as_os_str() == "-"
}

/// The file of a subject that is a folder: the description lies there.
///
/// # Errors
/// If it must not be written.
pub fn in_folder(args: &InitArgs, folder: &Path) -> Result<PathBuf, Failure> {
    let output = match args.output.is_relative() && !to_stdout(args) {
        true => folder.join(&args.output),
        false => args.output.clone(),
    };
    refuse_existing(args, &output)?;
    Ok(output)
}

/// Refuses a file that exists and must not be overwritten.
///
/// # Errors
/// If it is such a file.
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
///
/// # Errors
/// If it cannot be written.
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

/// Writes the file, or prints it, and says what to do with its suggestions; `what` counts them.
///
/// # Errors
/// If it cannot be written.
pub fn suggest(
    args: &InitArgs,
    chosen: &Chosen<'_>,
    output: &Path,
    text: &str,
    what: &str,
) -> Result<(), Failure> {
    if write(args, output, text)? {
        terminal::print(format!(
            "dialect       {chosen}\n\nwrote {} with a suggestion for {what}\n\n\
             next: fill in what is marked {MARK}, remove the `#`, and run `stickler check`\n",
            output.display(),
        ))?;
    }
    Ok(())
}
