//! `stickler snap`: snapshots of a module's conversation, one per example.

mod keys;

use crate::args::SnapArgs;
use crate::bar::Bar;
use crate::snapfile::{self, SnapFile};
use crate::transcripts;
use anstyle::{AnsiColor, Style};
use keys::Key;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use stickler_face::{Chosen, Dialects, Done, Face, Failure, Interrupt, chosen, subject};
use stickler_judge::Exit;
use stickler_suite::config::Config;
use stickler_suite::{Bench, Plain, Redactor, Spoken, plain_sessions, spoken, volatile};
use stickler_transcript::Transcript;

/// The folder of snapshots, beside `stickler.toml`.
const FOLDER: &str = "snapshots";
/// How often each session runs, to learn what is volatile.
const TIMES: usize = 2;
/// How many lines of a difference are shown.
const SHOWN: usize = 60;
/// How many lines of a new snapshot are shown if the user is not asked.
const GLANCE: usize = 12;

/// The state of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Same,
    New,
    Changed,
}

struct Snapshot {
    path: PathBuf,
    /// The accepted text.
    before: Option<String>,
    file: SnapFile,
    state: State,
}

impl Snapshot {
    fn pending(&self) -> PathBuf {
        pending(&self.path)
    }

    fn name(&self) -> String {
        self.path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    fn accept(&self) -> Result<(), Failure> {
        self.file.write(&self.path).map_err(writing)?;
        remove(&self.pending())
    }
}

pub fn run(dialects: &Dialects, args: &SnapArgs) -> Done {
    if args.review && !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        return Err(Failure::usage(
            "--review needs a terminal\n  \
             `stickler snap` shows the differences, `stickler snap --accept` accepts all of them",
        ));
    }
    let (config, spoken) = if args.recorded.is_empty() {
        let args = SnapArgs {
            subject: subject::of_module(dialects, &args.subject, args.module.as_ref())?,
            ..args.clone()
        };
        held(&chosen::of_subject(dialects, &args.subject)?, &args)?
    } else {
        let mut transcripts = Vec::new();
        for file in &args.recorded {
            transcripts.extend(transcripts::read(file)?);
        }
        let dialect = transcripts::dialect(dialects, &transcripts)?;
        let spoken = recorded(dialects.named(&dialect)?.face, transcripts);
        (Config::default(), spoken)
    };
    let folder = args
        .snapshots
        .clone()
        .unwrap_or_else(|| config.dir.join(FOLDER));
    let snapshots = compare(&folder, &spoken)?;
    let stale = if args.recorded.is_empty() {
        stale(&folder, &snapshots)?
    } else {
        // The other snapshots belong to examples, or to other recordings.
        Vec::new()
    };
    let mut out = Printer {
        color: args.color.on_stdout(),
    };
    if args.accept {
        accept(&mut out, &folder, &snapshots, &stale)
    } else if args.review {
        review(&mut out, &folder, &snapshots, &stale)
    } else {
        show(&mut out, &folder, &snapshots, &stale)
    }
}

/// Runs the examples for their conversations.
fn held(chosen: &Chosen<'_>, args: &SnapArgs) -> Result<(Config, Vec<Spoken>), Failure> {
    let face = chosen.face;
    let dialect = face.dialect();
    let config = subject::describe(chosen, &args.subject)?;
    if config.examples.is_empty() && config.invalid.is_empty() {
        return Err(Failure {
            exit: Exit::NothingExercised,
            message: no_example(face, &config),
        });
    }
    let argv = subject::prepare(dialect, &config, &Interrupt::default())?;
    let host = subject::host(dialect, &args.sandbox, &config)?;
    let bench = Bench {
        dialect,
        host: &host,
        config: &config,
        argv: &argv,
    };
    let plain = plain_sessions(&bench, TIMES, &Bar::new())?;
    let redactor = Redactor::informed(dialect, &config, plain.iter().flat_map(|one| &one.sessions));
    let spoken = plain
        .iter()
        .filter_map(|plain| spoken(dialect, plain, &redactor));
    Ok((config, spoken.collect()))
}

/// Takes the conversations of recordings.
fn recorded(face: &dyn Face, transcripts: Vec<Transcript>) -> Vec<Spoken> {
    let sessions = transcripts
        .into_iter()
        .map(|transcript| face.dialect().read(transcript));
    let plain = sessions.map(|session| Plain {
        example: session.case().id.replace('/', " "),
        invalid: false,
        sessions: vec![session],
    });
    plain
        .filter_map(|plain| spoken(face.dialect(), &plain, &Redactor::default()))
        .collect()
}

fn no_example(face: &dyn Face, config: &Config) -> String {
    let subject = face.vocabulary().subject;
    if let Some(why) = face.without_items(config) {
        return format!("there is nothing to send to a {subject}, because {why}");
    }
    let what = match &config.file {
        Some(file) => format!(
            "{}: there is no example, so there is nothing to send to the {subject}",
            file.display()
        ),
        None => format!("there is no example, so there is nothing to send to the {subject}"),
    };
    format!(
        "{what}\n  add an [[example]] (`stickler init MODULE` writes one to fill in), or give {}",
        face.example_options()
    )
}

/// Compares the new conversations with the accepted ones.
fn compare(folder: &Path, spoken: &[Spoken]) -> Result<Vec<Snapshot>, Failure> {
    let mut snapshots: Vec<Snapshot> = Vec::new();
    for one in spoken {
        let name = snapfile::name(&one.subject, &one.example);
        let path = free_path(folder, &name, &snapshots);
        let before = snapfile::body(&path).map_err(|error| Failure::usage(format!("{error:#}")))?;
        let mut new = one.text.clone();
        if let Some(before) = &before {
            new = volatile::like(&new, before);
        }
        let new = format!("{}\n", new.trim_end());
        let state = match &before {
            None => State::New,
            Some(before) if *before == new => State::Same,
            Some(_) => State::Changed,
        };
        snapshots.push(Snapshot {
            path,
            before,
            file: SnapFile {
                source: one.subject.clone(),
                description: one.what.clone(),
                expression: "stickler snap".into(),
                body: new,
            },
            state,
        });
    }
    Ok(snapshots)
}

/// If two names differ only in special characters, they still get separate files.
fn free_path(folder: &Path, name: &str, taken: &[Snapshot]) -> PathBuf {
    let path = |n: usize| match n {
        1 => folder.join(format!("{name}.snap")),
        n => folder.join(format!("{name}-{n}.snap")),
    };
    (1..)
        .map(path)
        .find(|path| !taken.iter().any(|snapshot| snapshot.path == *path))
        .unwrap_or_else(|| path(1))
}

/// Files in the folder that belong to a module of this run but to none of its examples.
fn stale(folder: &Path, snapshots: &[Snapshot]) -> Result<Vec<PathBuf>, Failure> {
    let mut stale = Vec::new();
    let modules: Vec<String> = snapshots
        .iter()
        .map(|snapshot| {
            snapfile::name(&snapshot.file.source, "")
                .trim_end_matches('_')
                .to_owned()
                + "__"
        })
        .collect();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(stale),
        Err(error) => {
            return Err(Failure::usage(format!(
                "reading {}: {error}",
                folder.display()
            )));
        }
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(base) = name
            .strip_suffix(".snap")
            .or_else(|| name.strip_suffix(".snap.new"))
        else {
            continue;
        };
        let ours = modules
            .iter()
            .any(|module| name.starts_with(module.as_str()));
        let known = snapshots
            .iter()
            .any(|snapshot| snapshot.path.file_stem().is_some_and(|stem| stem == base));
        if ours && !known {
            stale.push(entry.path());
        }
    }
    stale.sort();
    Ok(stale)
}

fn pending(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Failure::usage(format!(
            "removing {}: {error}",
            path.display()
        ))),
        _ => Ok(()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes a value")]
fn writing(error: anyhow::Error) -> Failure {
    Failure::usage(format!("{error:#}"))
}

/// Does this run in CI? The same check as insta's.
fn in_ci() -> bool {
    match std::env::var("CI").ok().as_deref() {
        Some("false" | "0" | "") => false,
        Some(_) => true,
        None => std::env::var_os("TF_BUILD").is_some(),
    }
}

/// Without a flag: shows the differences, and writes them beside the snapshots.
fn show(out: &mut Printer, folder: &Path, snapshots: &[Snapshot], stale: &[PathBuf]) -> Done {
    let ci = in_ci();
    for snapshot in snapshots {
        match snapshot.state {
            // A difference that has disappeared needs no review.
            State::Same if !ci => remove(&snapshot.pending())?,
            State::Same => {}
            State::New | State::Changed => {
                out.difference(
                    snapshot,
                    if snapshot.state == State::New {
                        GLANCE
                    } else {
                        SHOWN
                    },
                )?;
                if !ci {
                    snapshot.file.write(&snapshot.pending()).map_err(writing)?;
                }
            }
        }
    }
    for path in stale {
        out.stale(path)?;
    }
    let open = count(snapshots, State::New) + count(snapshots, State::Changed);
    out.summary(folder, snapshots, stale)?;
    if open > 0 && ci {
        out.line(
            "`stickler snap` writes nothing in CI: run it locally, and commit the accepted snapshots",
        )?;
    } else if open > 0 {
        out.line(
            "`stickler snap --review` reviews them one by one, `stickler snap --accept` accepts all",
        )?;
    } else if !stale.is_empty() {
        out.line("`stickler snap --accept` removes stale snapshots")?;
    }
    Ok(if open > 0 {
        Exit::Findings
    } else {
        Exit::Success
    })
}

fn accept(out: &mut Printer, folder: &Path, snapshots: &[Snapshot], stale: &[PathBuf]) -> Done {
    for snapshot in snapshots {
        match snapshot.state {
            State::Same => remove(&snapshot.pending())?,
            State::New | State::Changed => {
                snapshot.accept()?;
                out.line(&format!("accepted  {}", snapshot.name()))?;
            }
        }
    }
    for path in stale {
        remove(path)?;
        out.line(&format!("removed   {}", file_name(path)))?;
    }
    let changed = snapshots
        .iter()
        .any(|snapshot| snapshot.state != State::Same);
    if !changed && stale.is_empty() {
        out.summary(folder, snapshots, stale)?;
    }
    Ok(Exit::Success)
}

fn review(out: &mut Printer, folder: &Path, snapshots: &[Snapshot], stale: &[PathBuf]) -> Done {
    let open: Vec<&Snapshot> = snapshots
        .iter()
        .filter(|snapshot| snapshot.state != State::Same)
        .collect();
    let (mut accepted, mut left) = (0, 0);
    let mut quit = false;
    for (index, snapshot) in open.iter().enumerate() {
        if quit {
            left += 1;
            snapshot.file.write(&snapshot.pending()).map_err(writing)?;
            continue;
        }
        out.difference(snapshot, usize::MAX)?;
        let question = format!(
            "{} of {}   a accept · r reject · s skip · q quit ",
            index + 1,
            open.len()
        );
        let key = keys::ask(|| out.question(&question))?;
        out.line(key.name())?;
        match key {
            Key::Accept => {
                snapshot.accept()?;
                accepted += 1;
            }
            Key::Reject => {
                remove(&snapshot.pending())?;
                left += 1;
            }
            Key::Skip | Key::Quit => {
                snapshot.file.write(&snapshot.pending()).map_err(writing)?;
                left += 1;
                quit = key == Key::Quit;
            }
        }
    }
    for snapshot in snapshots
        .iter()
        .filter(|snapshot| snapshot.state == State::Same)
    {
        remove(&snapshot.pending())?;
    }
    for path in stale {
        out.stale(path)?;
    }
    if open.is_empty() {
        out.summary(folder, snapshots, stale)?;
    } else {
        out.line(&format!("\n{accepted} accepted, {left} not accepted"))?;
    }
    if !stale.is_empty() {
        out.line("`stickler snap --accept` removes stale snapshots")?;
    }
    Ok(if left > 0 {
        Exit::Findings
    } else {
        Exit::Success
    })
}

fn count(snapshots: &[Snapshot], state: State) -> usize {
    snapshots
        .iter()
        .filter(|snapshot| snapshot.state == state)
        .count()
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

struct Printer {
    color: bool,
}

impl Printer {
    fn bold(&self, color: AnsiColor) -> Style {
        if self.color {
            Style::new().bold().fg_color(Some(color.into()))
        } else {
            Style::new()
        }
    }

    fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.raw(&format!("{text}\n"))
    }

    fn question(&mut self, text: &str) -> Result<(), Failure> {
        self.raw(text)
    }

    fn raw(&mut self, text: &str) -> Result<(), Failure> {
        let mut stdout = std::io::stdout().lock();
        match stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
        {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::harness(
                format!("writing to standard output: {error}"),
            )),
            _ => Ok(()),
        }
    }

    fn difference(&mut self, snapshot: &Snapshot, most: usize) -> Result<(), Failure> {
        let (label, color) = match snapshot.state {
            State::New => ("NEW", AnsiColor::Cyan),
            State::Changed | State::Same => ("CHANGED", AnsiColor::Yellow),
        };
        let style = self.bold(color);
        self.line(&format!(
            "{style}{label}{style:#}  {}  {}",
            snapshot.name(),
            stickler_report::visible(&snapshot.file.description)
        ))?;
        let before = snapshot.before.as_deref().unwrap_or_default();
        let diff = stickler_report::diff(before, &snapshot.file.body, most, self.color);
        self.line(&diff)
    }

    fn stale(&mut self, path: &Path) -> Result<(), Failure> {
        let style = self.bold(AnsiColor::Yellow);
        self.line(&format!(
            "{style}STALE{style:#}  {}  has no example",
            file_name(path)
        ))
    }

    fn summary(
        &mut self,
        folder: &Path,
        snapshots: &[Snapshot],
        stale: &[PathBuf],
    ) -> Result<(), Failure> {
        let parts: Vec<String> = [
            (count(snapshots, State::Changed), "changed"),
            (count(snapshots, State::New), "new"),
            (count(snapshots, State::Same), "unchanged"),
            (stale.len(), "stale"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, name)| format!("{number} {name}"))
        .collect();
        let folder = folder.strip_prefix(".").unwrap_or(folder);
        self.line(&format!("{} in {}", parts.join(", "), folder.display()))
    }
}
