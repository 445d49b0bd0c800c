//! `stickler man`: the manual pages.

use crate::args::ManArgs;
use clap::Command;
use std::path::Path;
use stickler_face::{Dialects, Done, Failure, terminal};
use stickler_judge::Exit;

pub fn run(dialects: &Dialects, args: &ManArgs) -> Done {
    match &args.folder {
        Some(folder) => write(dialects.line(), folder).map_err(|error| {
            Failure::usage(format!(
                "{}: manual pages cannot be written: {error}",
                folder.display()
            ))
        })?,
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(dialects.line().clone())
                .render(&mut page)
                .map_err(anyhow::Error::from)?;
            terminal::print(page)?;
        }
    }
    Ok(Exit::Success)
}

/// One page per command: `stickler.1`, `stickler-check.1`, …
fn write(line: &Command, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    // `help` needs no page of its own, least of all one per command.
    let command = line.clone().disable_help_subcommand(true);
    clap_mangen::generate_to(command, folder)
}
