//! `stickler graph`: runs a graph of mgmt resources as mgmt does, with the resources of a Go package.

mod console;

use crate::args::{GraphArgs, GraphFormat};
use console::Console;
use mgmt_graph::{
    Drawing, GraphEvent, GraphFile, GraphHost, Mistake, Run, RunOptions, SPEECH, Shared, Skip,
    Summary, Ungiven, Went, give,
};
use mgmt_protocol::recorded;
use mgmt_suite::Mgmt;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stickler_face::{Chosen, Done, Failure, Interrupt, description, recording, subject, terminal};
use stickler_judge::Exit;
use stickler_rpc::{Caller, Client, Ended};
use stickler_suite::config::Config;

/// How long a call may go on after the first signal.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked for a signal.
const LOOK: Duration = Duration::from_millis(50);

/// Runs a graph.
pub fn run(chosen: &Chosen<'_>, args: &GraphArgs) -> Done {
    let first = Source::read(&args.file, args.noop)?;
    let second = args.swap.as_ref();
    let second = second.map(|file| Source::read(file, args.noop));
    let second = second.transpose()?;
    let config = describe(chosen, args)?;
    let interrupt = Interrupt::catch_saying("all ends; interrupt again to exit at once")?;
    let argv = subject::prepare(&Mgmt, &config, &interrupt)?;
    let env = description::env(&config);
    let host = match args.record {
        Some(_) => Client::start_overheard(&argv, Path::new("."), &env, SPEECH),
        None => Client::start(&argv, Path::new("."), &env, SPEECH),
    };
    let mut host = host.map_err(|error| Failure {
        exit: Exit::NoSession,
        message: format!("the host does not start: {error}"),
    })?;
    let mut tape = Recorded::begin(args.record.as_deref(), &mut host, &config)?;
    let folder = VarFolder::create()?;
    let guard = Guard::over(&interrupt, &host, &folder);
    let host = GraphHost::open(host, &folder.0.to_string_lossy(), None).map_err(no_session)?;
    let first = first.give(&host, args.skip_unknown)?;
    let second = second
        .map(|second| second.give(&host, args.skip_unknown))
        .transpose()?;
    tape.holds_calls = true;

    let mut console = Console::new(args);
    let mut drawing = Drawing::default();
    let mut broken = None;
    let mut tell = |told: &GraphEvent| {
        if args.format == GraphFormat::Dot {
            drawing.hear(told);
        } else if let Err(failure) = console.show(told) {
            broken.get_or_insert(failure);
        }
    };
    let mut run = Run::new(
        Shared::clone(&host),
        options(args),
        interrupt.stop(),
        &mut tell,
    );
    let mut went = run.give(first);
    if let (Ok(Went::Converged), Some(second)) = (&went, second) {
        host.borrow_mut().caller().mark(recorded::SWAP);
        went = run.give(second);
    }
    if let (Ok(Went::Converged), true) = (&went, args.watch) {
        host.borrow_mut().caller().mark(recorded::WATCH);
        went = run.watch().map(|()| Went::Converged);
    }
    let summary = run.finish();
    drop(guard);
    let written = host.borrow_mut().caller().stop_recording();
    // The host ends, and all that it started.
    drop(host);
    drop(folder);
    if args.format == GraphFormat::Dot {
        terminal::print(drawing.text())?;
    }
    if let Some(failure) = broken {
        return Err(failure);
    }
    recording::finished(written)?;
    if !(args.watch && went.is_ok()) {
        interrupt.obey();
    }
    match went {
        Err(lost) => Err(Failure {
            exit: Exit::Findings,
            message: format!(
                "{lost}; a panic in a goroutine of a resource ends it, and would end mgmt"
            ),
        }),
        Ok(Went::Restless) => {
            terminal::note(
                "the graph does not converge: what fails or changes again and again is above; --timeout waits longer",
            );
            Ok(Exit::Findings)
        }
        Ok(_) => Ok(exit(&summary)),
    }
}

fn exit(summary: &Summary) -> Exit {
    match summary.converged && summary.failed == 0 && summary.misuses == 0 {
        true => Exit::Success,
        false => Exit::Findings,
    }
}

fn options(args: &GraphArgs) -> RunOptions {
    RunOptions {
        quiet: Duration::from_secs_f64(args.converged_timeout),
        limit: Duration::from_secs_f64(args.timeout),
        ..RunOptions::default()
    }
}

/// The file of a recording, which is taken away again if no graph was run.
struct Recorded<'f> {
    file: Option<&'f Path>,
    /// Was a graph run?
    holds_calls: bool,
}

impl<'f> Recorded<'f> {
    fn begin(file: Option<&'f Path>, host: &mut Client, config: &Config) -> Result<Self, Failure> {
        if let Some(file) = file {
            let begun = host.record(file, mgmt_suite::recording(config));
            begun.map_err(|error| recording::unbegun(file, &error))?;
        }
        Ok(Recorded {
            file,
            holds_calls: false,
        })
    }
}

impl Drop for Recorded<'_> {
    fn drop(&mut self) {
        if let (Some(file), false) = (self.file, self.holds_calls) {
            // Else the next run could not write it.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// A graph with the text that it comes from.
struct Source {
    name: String,
    text: String,
    graph: GraphFile,
}

impl Source {
    fn read(file: &Path, noop: bool) -> Result<Source, Failure> {
        let name = file.display().to_string();
        let text = std::fs::read(file)
            .map_err(|error| Failure::usage(format!("{name}: cannot be read: {error}")))?;
        let text = String::from_utf8(text)
            .map_err(|error| Failure::usage(format!("{name}: a graph is UTF-8: {error}")))?;
        let graph = mgmt_graph::read(&text);
        let mut graph =
            graph.map_err(|mistake| Failure::usage(mistake.shown(&name, &text).to_string()))?;
        if noop {
            graph.set_noop();
        }
        Ok(Source { name, text, graph })
    }

    fn give<C: Caller>(
        &self,
        host: &Shared<C>,
        skips: bool,
    ) -> Result<mgmt_graph::Given<C>, Failure> {
        let mut skip = |mistake: Mistake| {
            let place = mistake.place;
            let why = mistake.message;
            let why = why.split_once(';').map_or(&*why, |(why, _)| why);
            let (line, column) = (place.line, place.column);
            terminal::note(&format!("left out: {}:{line}:{column}: {why}", self.name));
        };
        let skip: Skip<'_> = skips.then_some(&mut skip as &mut dyn FnMut(Mistake));
        give(host, &self.graph, skip).map_err(|ungiven| match ungiven {
            Ungiven::Mistake(mistake) => {
                Failure::usage(mistake.shown(&self.name, &self.text).to_string())
            }
            Ungiven::Lost(lost) => no_session(lost),
        })
    }
}

fn no_session(lost: Ended) -> Failure {
    Failure {
        exit: Exit::NoSession,
        message: lost.0,
    }
}

/// The description of the package: its `stickler.toml`, if it has one.
fn describe(chosen: &Chosen<'_>, args: &GraphArgs) -> Result<Config, Failure> {
    let folder = args.path.as_deref().unwrap_or(Path::new("."));
    let mut config = description::of_folder(chosen, folder, args.config.as_deref())?;
    if args.path.is_some() && args.config.is_some() {
        let folder = std::path::absolute(folder).map_err(anyhow::Error::from)?;
        config.subject.path = Some(folder);
    }
    config
        .subject
        .path
        .get_or_insert_with(|| PathBuf::from("."));
    Ok(config)
}

/// Ends the host if a call goes on too long after a signal, or at the second one.
struct Guard(Arc<AtomicBool>);

impl Guard {
    fn over(interrupt: &Interrupt, host: &Client, folder: &VarFolder) -> Guard {
        let done = Arc::new(AtomicBool::new(false));
        let (end, path) = (host.ender(), folder.0.clone());
        interrupt.at_the_second(move || {
            end();
            // What cannot be removed stays in the folder for temporary files.
            let _ = std::fs::remove_dir_all(&path);
        });
        let (ended, interrupt, end) = (Arc::clone(&done), interrupt.clone(), host.ender());
        std::thread::spawn(move || {
            let mut since = None;
            while !ended.load(Ordering::Relaxed) {
                if interrupt.stop().load(Ordering::Relaxed)
                    && since.get_or_insert_with(Instant::now).elapsed() > PATIENCE
                {
                    end();
                    return;
                }
                std::thread::sleep(LOOK);
            }
        });
        Guard(done)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The folder in which resources keep files during a run.
struct VarFolder(PathBuf);

impl VarFolder {
    fn create() -> Result<VarFolder, Failure> {
        let begun = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        let name = format!("stickler-graph-{}-{}", std::process::id(), begun.as_nanos());
        let path = std::env::temp_dir().join(name);
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| {
            Failure::harness(format!(
                "{}: cannot be created: {error}; TMPDIR names another folder",
                path.display()
            ))
        })?;
        Ok(VarFolder(path))
    }
}

impl Drop for VarFolder {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
