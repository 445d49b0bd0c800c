//! A manifest or a catalog, applied by Stickler's runtime and by the real Puppet.

use crate::apply;
use crate::args::{ApplyArgs, DiffOptions, RuntimeArgs};
use crate::installed;
use crate::runtime::{describe, lib_folders, release};
use puppet_diff::{Appliers, Run};
use puppet_runtime::Release;
use std::ffi::OsString;
use std::path::Path;
use stickler_face::args::DiffArgs;
use stickler_face::{Chosen, Done, Failure, diff, terminal};
use stickler_judge::Exit;

/// Is it a file for Puppet?
pub fn is_for_puppet(file: &str) -> bool {
    let ending = Path::new(file).extension();
    ending.is_some_and(|ending| ending == "pp" || ending == "json")
}

/// Applies the file on both sides, and shows where they differ.
pub fn run(chosen: &Chosen<'_>, args: &DiffArgs) -> Done {
    let DiffOptions {
        puppet: options,
        runtime,
    } = args.given.options()?;
    let runtime = options.runtime(runtime);
    let file = args.file.as_deref().unwrap_or_default();
    // What Stickler refuses need not be compared.
    let applied = ApplyArgs {
        file: Some(file.into()),
        execute: None,
        runtime,
    };
    apply::read(&applied).map_err(|failure| Failure {
        exit: Exit::Usage,
        ..failure
    })?;
    let recorded = diff::recorded::<Run>(args, Appliers::PEER)?;
    let config = describe(chosen, &applied.runtime)?;
    let release = release(&applied.runtime, &config);
    if let Some(note) = installed::other_than(&config, release).filter(|_| recorded.is_none()) {
        terminal::note(&note);
    }
    let cwd = std::env::current_dir().map_err(anyhow::Error::from)?;
    let env = config.subject.env.iter();
    let appliers = Appliers {
        room: diff::room(args, &cwd)?,
        env: env
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        stickler: apply_command(&applied.runtime, release)?,
        file: file.into(),
        libraries: lib_folders(&config, &options.modulepath)?,
        strict: applied.runtime.strict(release),
        noop: options.noop,
    };
    let runs = [appliers.run_name()];
    diff::file(args, file, &appliers, &runs, recorded.as_ref())
}

/// `stickler apply` on the module.
fn apply_command(runtime: &RuntimeArgs, release: Release) -> Result<Vec<OsString>, Failure> {
    let program = std::env::current_exe().map_err(anyhow::Error::from)?;
    let mut argv: Vec<OsString> = vec![program.into(), "apply".into()];
    let options = &runtime.puppet;
    argv.extend(["--module".into(), options.module.clone().into()]);
    argv.extend(["--runtime", release.name].map(OsString::from));
    for folder in &options.modulepath {
        argv.extend(["--modulepath".into(), folder.clone().into()]);
    }
    Ok(argv)
}
