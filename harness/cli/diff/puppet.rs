//! A manifest or a catalog, applied by Stickler's runtime and by the real Puppet.

use crate::args::{ApplyArgs, DiffArgs, ListFormat};
use crate::failure::{Done, Failure, chain};
use crate::puppet::{describe, lib_folders};
use crate::{apply, terminal};
use anstyle::{AnsiColor, Style};
use puppet_diff::{Difference, PEER, Run, compare, steady};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use stickler_judge::Exit;
use stickler_session::sandbox::{Captured, Command, ExitStatus, Host, PlantedFile, Sandbox, Spec};
use stickler_suite::config::Config;
use stickler_transcript::Change;

/// The name of the program that runs Puppet, in the scratch space.
const PROGRAM: &str = "peer.rb";

/// Is it a file for Puppet?
pub fn is_for_puppet(file: &str) -> bool {
    let ending = Path::new(file).extension();
    ending.is_some_and(|ending| ending == "pp" || ending == "json")
}

/// Applies the file on both sides, and shows where they part.
pub fn run(args: &DiffArgs, file: &str) -> Done {
    let foreign = [
        ("--mode", !args.modes.is_empty()),
        ("--bundlesequence", args.bundlesequence.is_some()),
        ("--define", args.define.is_some()),
        ("--negate", args.negate.is_some()),
        ("--cf-agent", args.cf_agent.is_some()),
    ];
    if let Some((option, _)) = foreign.into_iter().find(|(_, given)| *given) {
        return Err(Failure::usage(format!("{option} is for CFEngine policies")));
    }
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
    let side = Side {
        host: super::host(&args.sandbox)?,
        deadline: Duration::try_from_secs_f64(args.deadline)
            .map_err(|error| Failure::usage(format!("--deadline: {error}")))?,
        config: describe(&applied.runtime)?,
    };
    let ours = ours(&side, args, file)?;
    let theirs = match &args.recorded {
        Some(path) => stored(path, args)?,
        None => theirs(&side, args, file)?,
    };
    if let Some(path) = &args.store {
        let stored = Stored {
            strict: args.puppet.puppet_strict.name().to_owned(),
            noop: args.puppet.noop,
            run: theirs.clone(),
        };
        let text = serde_json::to_vec_pretty(&stored).map_err(anyhow::Error::from)?;
        std::fs::write(path, text)
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    }
    let mut found = compare(&ours, &theirs);
    if !found.is_empty() {
        // What varies by itself tells nothing about the other side.
        let count = found.len();
        if let Ok(again) = self::ours(&side, args, file) {
            found = steady(found, &ours, &again);
        }
        if !found.is_empty()
            && args.recorded.is_none()
            && let Ok(again) = self::theirs(&side, args, file)
        {
            found = steady(found, &theirs, &again);
        }
        if found.len() < count {
            let varied = stickler_report::count(count - found.len(), "difference");
            terminal::note(&format!(
                "{varied} not counted: these values vary between runs"
            ));
        }
    }
    show(args, file, &found, ours.seen.error.as_deref())?;
    Ok(match found.is_empty() {
        true => Exit::Success,
        false => Exit::Findings,
    })
}

/// What both sides share.
struct Side {
    host: Host,
    deadline: Duration,
    config: Config,
}

impl Side {
    /// Runs a command in a sandbox of its own.
    fn run(
        &self,
        argv: Vec<OsString>,
        plant: Vec<PlantedFile>,
        input: &[u8],
    ) -> Result<(Captured, Vec<String>), Failure> {
        let scratch = self.host.scratch();
        let mut command = Command::new(argv);
        command.env = [
            ("PATH", OsString::from(stickler_suite::PATH)),
            ("HOME", scratch.join("home").into()),
            ("TMPDIR", scratch.join("tmp").into()),
            ("LANG", OsString::from("C.UTF-8")),
        ]
        .into_iter()
        .map(|(name, value)| (OsString::from(name), value))
        .chain(
            self.config
                .subject
                .env
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        )
        .collect();
        command.cwd = std::env::current_dir().map_err(anyhow::Error::from)?;
        let spec = Spec {
            commands: vec![command],
            plant,
            ..Spec::default()
        };
        let error = |error| Failure::harness(chain(&error));
        let mut sandbox = Sandbox::start(&self.host, &spec).map_err(error)?;
        let before = sandbox.snapshot().map_err(error)?;
        let captured = sandbox.capture(0, input, self.deadline);
        let captured = captured.map_err(|error| Failure {
            exit: Exit::NoSession,
            message: chain(&error),
        })?;
        if captured.exit.is_none() {
            return Err(Failure::harness(format!(
                "still running after {} s; --deadline allows more",
                self.deadline.as_secs_f64()
            )));
        }
        let after = sandbox.snapshot().map_err(error)?;
        let own = scratch.to_string_lossy().into_owned();
        let counts = |change: &&Change| !change.path.lossy().starts_with(&own);
        let effects = after.diff(&before);
        let effects = effects.iter().filter(counts).map(ToString::to_string);
        Ok((captured, effects.collect()))
    }
}

fn ours(side: &Side, args: &DiffArgs, file: &str) -> Result<Run, Failure> {
    let program = std::env::current_exe().map_err(anyhow::Error::from)?;
    let options = &args.puppet;
    let mut argv: Vec<OsString> = vec![program.into(), "apply".into(), file.into()];
    argv.extend(["--format", "json", "--module"].map(OsString::from));
    argv.push(options.module.clone().into());
    for folder in &options.modulepath {
        argv.extend(["--modulepath".into(), folder.clone().into()]);
    }
    argv.extend([
        "--puppet-strict".into(),
        options.puppet_strict.name().into(),
    ]);
    if options.noop {
        argv.push("--noop".into());
    }
    let (captured, effects) = side.run(argv, Vec::new(), b"")?;
    let told = String::from_utf8_lossy(&captured.stdout);
    let complete = matches!(captured.exit, Some(ExitStatus::Code(0 | 1)));
    match Run::read(&told, effects) {
        Some(run) if complete => Ok(run),
        _ => Err(Failure {
            exit: match captured.exit {
                Some(ExitStatus::Code(2)) => Exit::Usage,
                Some(ExitStatus::Code(3)) => Exit::NoSession,
                _ => Exit::Harness,
            },
            message: String::from_utf8_lossy(&captured.stderr)
                .trim()
                .trim_start_matches("error: ")
                .to_owned(),
        }),
    }
}

fn theirs(side: &Side, args: &DiffArgs, file: &str) -> Result<Run, Failure> {
    let scratch = side.host.scratch();
    let program = scratch.join(PROGRAM);
    let folders = lib_folders(&side.config, &args.puppet.modulepath)?;
    let folders = std::env::join_paths(folders).map_err(anyhow::Error::from)?;
    let argv = vec![
        "ruby".into(),
        program.clone().into(),
        folders,
        scratch.join("puppet").into(),
    ];
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("{file}: {error}")))?;
    let what = match file.ends_with(".json") {
        true => "catalog",
        false => "manifest",
    };
    let request = serde_json::json!({
        what: text,
        "strict": args.puppet.puppet_strict.name(),
        "noop": args.puppet.noop,
    });
    let plant = PlantedFile {
        path: program,
        bytes: PEER.as_bytes().to_vec(),
        mode: 0o644,
    };
    let (captured, effects) = side.run(argv, vec![plant], format!("{request}\n").as_bytes())?;
    let seen = serde_json::from_slice(&captured.stdout).map_err(|_| Failure {
        exit: Exit::NoSession,
        message: format!(
            "Puppet with its Resource API does not run here: install Debian's packages \
             `puppet-agent` and `ruby-puppet-resource-api`, or compare with stored results: \
             `--recorded FILE`\n{}",
            String::from_utf8_lossy(&captured.stderr).trim()
        ),
    })?;
    Ok(Run { seen, effects })
}

/// What `--store` writes.
#[derive(Serialize, Deserialize)]
struct Stored {
    strict: String,
    noop: bool,
    #[serde(flatten)]
    run: Run,
}

fn stored(path: &Path, args: &DiffArgs) -> Result<Run, Failure> {
    let wrong = |why: String| Failure::usage(format!("{}: {why}", path.display()));
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let stored: Stored = serde_json::from_slice(&text).map_err(|error| {
        wrong(format!(
            "no results that `--store` wrote for Puppet: {error}"
        ))
    })?;
    if stored.noop != args.puppet.noop || stored.strict != args.puppet.puppet_strict.name() {
        let noop = if stored.noop { " --noop" } else { "" };
        return Err(wrong(format!(
            "these are the results with --puppet-strict {}{noop}",
            stored.strict
        )));
    }
    Ok(stored.run)
}

/// Shows where the sides part. `error` is why ours could not apply the catalog.
fn show(
    args: &DiffArgs,
    file: &str,
    found: &[Difference],
    error: Option<&str>,
) -> Result<(), Failure> {
    if args.format == ListFormat::Json {
        for one in found {
            let line = serde_json::json!({
                "event": "difference",
                "aspect": one.what,
                "stickler": one.ours,
                "puppet": one.theirs,
            });
            terminal::print(format!("{line}\n"))?;
        }
        let line = serde_json::json!({
            "event": "summary",
            "manifest": file,
            "differences": found.len(),
            "error": error,
        });
        return terminal::print(format!("{line}\n"));
    }
    let style = |color: AnsiColor| match args.color.on_stdout() {
        true => Style::new().fg_color(Some(color.into())),
        false => Style::new(),
    };
    let (red, green) = (style(AnsiColor::Red), style(AnsiColor::Green));
    let shown = |text: &str| terminal::visible_lines(text).replace('\n', "\n    ");
    let mut text = String::new();
    for one in found {
        text += &format!("{red}{}{red:#}\n", shown(&one.what));
        for (side, said) in [("- puppet", &one.theirs), ("+ stickler", &one.ours)] {
            let said = said.as_deref().map_or_else(|| "nothing".to_owned(), shown);
            text += &format!("  {side}: {said}\n");
        }
        text.push('\n');
    }
    text += &match (found.len(), error) {
        (0, None) => format!("{green}agree{green:#}  {file}\n"),
        // Nothing was compared beyond that.
        (0, Some(why)) => format!(
            "{green}agree{green:#}  {file}: neither applies it: {}\n",
            shown(why)
        ),
        (n, _) => format!(
            "{red}differ{red:#}  {file}: {}\n",
            stickler_report::count(n, "difference")
        ),
    };
    terminal::print(text)
}
