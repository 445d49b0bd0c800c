//! A manifest or a catalog, applied by Stickler's runtime and by the real Puppet.

use super::both;
use crate::apply;
use crate::args::{ApplyArgs, DiffArgs};
use crate::failure::{Done, Failure};
use crate::puppet::{describe, lib_folders};
use puppet_diff::{Appliers, Run};
use std::ffi::OsString;
use std::path::Path;
use stickler_judge::Exit;

/// Is it a file for Puppet?
pub fn is_for_puppet(file: &str) -> bool {
    let ending = Path::new(file).extension();
    ending.is_some_and(|ending| ending == "pp" || ending == "json")
}

/// Applies the file on both sides, and shows where they differ.
pub fn run(args: &DiffArgs, file: &str) -> Done {
    // What Stickler refuses need not be compared.
    let applied = ApplyArgs {
        file: Some(file.into()),
        execute: None,
        runtime: args.puppet.runtime(),
    };
    apply::read(&applied).map_err(|failure| Failure {
        exit: Exit::Usage,
        ..failure
    })?;
    let recorded = both::recorded::<Run>(args, Appliers::PEER)?;
    let config = describe(&applied.runtime)?;
    let cwd = std::env::current_dir().map_err(anyhow::Error::from)?;
    let options = &args.puppet;
    let env = config.subject.env.iter();
    let appliers = Appliers {
        room: both::room(args, &cwd)?,
        env: env
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        stickler: apply_command(args)?,
        file: file.into(),
        libraries: lib_folders(&config, &options.modulepath)?,
        strict: options.puppet_strict,
        noop: options.noop,
    };
    let runs = [appliers.run_name()];
    both::file(args, file, &appliers, &runs, recorded.as_ref())
}

/// `stickler apply` on the module.
fn apply_command(args: &DiffArgs) -> Result<Vec<OsString>, Failure> {
    let program = std::env::current_exe().map_err(anyhow::Error::from)?;
    let options = &args.puppet;
    let mut argv: Vec<OsString> = vec![program.into(), "apply".into()];
    argv.extend(["--module".into(), options.module.clone().into()]);
    for folder in &options.modulepath {
        argv.extend(["--modulepath".into(), folder.clone().into()]);
    }
    Ok(argv)
}
