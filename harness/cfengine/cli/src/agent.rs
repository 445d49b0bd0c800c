//! `stickler agent`: the reference agent.

mod recording;

use crate::args::{AgentArgs, Simulate};
use cfengine_agent::{Ended, Format, Mode, Options, Severity, SimulationReport};
use cfengine_diff::normal::{REFUSED, REJECTED};
use recording::Recording;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use stickler_face::args::ListFormat;
use stickler_face::{Failure, interrupt, terminal};

/// The exit code for a rejected policy. cf-agent runs its failsafe policy in this case and exits
/// with this code, except in dry runs, which exit with 0.
const REJECTED_CODE: u8 = 6;

/// Runs a policy.
pub fn run(args: &AgentArgs) -> Result<ExitCode, Failure> {
    let options = options(args)?;
    let rejected = match options.mode {
        Mode::Normal => REJECTED_CODE,
        Mode::DryRun | Mode::Simulate(_) => 0,
    };
    let children = options.children.clone();
    interrupt::before_the_end(move || children.stop())?;
    // Line by line, because modules and commands may print in between.
    match cfengine_agent::run_last(options, Box::new(std::io::stdout())) {
        Ended::Exit(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        Ended::Refused(places) => {
            let places = places.trim_end();
            Err(Failure::usage(format!("{places}\n  {REFUSED}")))
        }
        Ended::Policy(places) => {
            terminal::error(&format!("{}\n  {REJECTED}", places.trim_end()));
            Ok(ExitCode::from(rejected))
        }
        Ended::Limit(message) => Err(Failure::usage(message)),
    }
}

/// The location in the Debian package of cf-agent; users other than root have their own.
fn default_workdir() -> PathBuf {
    match std::env::home_dir() {
        Some(home) if !rustix::process::geteuid().is_root() => home.join(".cfagent"),
        _ => PathBuf::from("/var/lib/cfengine3"),
    }
}

fn options(args: &AgentArgs) -> Result<Options, Failure> {
    let anchored =
        args.file.starts_with('/') || args.file.starts_with("./") || args.file.starts_with("../");
    let workdir = args.workdir.clone().unwrap_or_else(default_workdir);
    let file = if anchored {
        args.file.clone()
    } else {
        // As in cf-agent, which would then run its failsafe policy.
        let inputs = workdir.join("inputs").join(&args.file);
        if !inputs.exists() {
            return Err(Failure::usage(format!(
                "{}: no such file; a path without `./` is looked up in {}",
                inputs.display(),
                workdir.join("inputs").display()
            )));
        }
        inputs.to_string_lossy().into_owned()
    };
    let mut options = Options::new(file);
    options.workdir = workdir;
    options.bundles = (!args.bundlesequence.is_empty()).then(|| args.bundlesequence.clone());
    options.define = args.define.clone();
    options.negate = args.negate.clone();
    options.warns = true;
    options.no_lock = args.no_lock || args.dry_run;
    options.level = level(args)?;
    options.format = match args.format {
        ListFormat::Pretty => Format::Text,
        ListFormat::Json => Format::Json,
    };
    options.mode = match args.simulate {
        Some(Simulate::Diff) => Mode::Simulate(SimulationReport::Diff),
        Some(Simulate::Manifest) => Mode::Simulate(SimulationReport::Manifest),
        Some(Simulate::ManifestFull) => Mode::Simulate(SimulationReport::ManifestFull),
        None if args.dry_run => Mode::DryRun,
        None => Mode::Normal,
    };
    options.show_classes = args.show_evaluated_classes.clone();
    options.show_variables = args.show_evaluated_vars.clone();
    options.skip_unsupported = args.skip_unsupported;
    if let Some(seconds) = args.deadline {
        let deadline = Duration::try_from_secs_f64(seconds)
            .map_err(|error| Failure::usage(format!("--deadline: {error}")))?;
        options.deadlines.header = deadline;
        options.deadlines.validate = deadline;
        options.deadlines.evaluate = deadline;
        options.deadlines.terminate = deadline;
    }
    options.compat = args.compat;
    if let Some(folder) = &args.record {
        options.witness = Some(Arc::new(Recording::begin(folder, &options)?));
    }
    Ok(options)
}

fn level(args: &AgentArgs) -> Result<Severity, Failure> {
    if let Some(word) = &args.log_level {
        // Modules are asked for errors then.
        if word.eq_ignore_ascii_case("none") && args.compat.release().has_level_none {
            return Ok(Severity::Critical);
        }
        return Severity::named(word)
            .ok_or_else(|| Failure::usage(format!("--log-level: unknown level `{word}`")));
    }
    Ok(if args.debug {
        Severity::Debug
    } else if args.verbose {
        Severity::Verbose
    } else if args.inform {
        Severity::Info
    } else {
        Severity::Notice
    })
}
