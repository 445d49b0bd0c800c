//! `stickler check --cases`: runs graphs in files, and compares what happens with what they say.

use anstyle::{AnsiColor, Style};
use mgmt_graph::{GraphCase, Happened, Ungiven, read_case};
use mgmt_suite::{GraphCases, Ran, case_folder};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use stickler_face::args::CheckArgs;
use stickler_face::side_by_side::{lock, side_by_side};
use stickler_face::{Chosen, Done, Failure, Interrupt, chosen, subject, terminal};
use stickler_judge::Exit;
use stickler_report::{CaseLine, CaseVerdict, CasesLine, Format, Part, count, visible};
use stickler_session::SessionError;

/// How files of cases end.
const EXTENSION: &str = "txtar";

/// Runs all cases below a folder.
///
/// # Errors
/// If there are none, if one is wrong, or if the package cannot be built.
pub fn run(own: &Chosen<'_>, args: &CheckArgs, folder: &Path, accepts: bool) -> Done {
    let began = Instant::now();
    if !matches!(args.report.format, Format::Pretty | Format::Json) {
        return Err(Failure::usage(format!(
            "--format {} is not for cases; use pretty or json",
            args.report.format
        )));
    }
    let ([] | [_]) = &args.modules[..] else {
        return Err(Failure::usage(
            "--cases runs the cases of one package, but several are named",
        ));
    };
    let given = subject::of_module(own.dialects, &args.subject, args.modules.first())?;
    let chosen = chosen::of_subject(own.dialects, &given)?.face.vocabulary();
    if chosen.dialect != own.face.vocabulary().dialect {
        return Err(Failure::usage(format!(
            "--cases is for mgmt resources; it has no effect on a {}",
            chosen.dialect
        )));
    }
    let cases = read(folder)?;
    let interrupt =
        Interrupt::catch_saying("the cases so far follow; interrupt again to exit at once")?;
    let config = subject::describe(own, &given)?;
    let dialect = own.face.dialect();
    let argv = subject::prepare(dialect, &config, &interrupt)?;
    let host = subject::host(dialect, &args.sandbox, &config)?;
    let runner = GraphCases {
        host: &host,
        config: &config,
        argv: &argv,
        stop: interrupt.stop(),
    };
    let jobs = args.jobs.unwrap_or_else(|| {
        4 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    });
    let done = all(&cases, &runner, jobs.max(1), accepts)?;
    let mut summary = CasesLine::default();
    let console = Console {
        format: args.report.format,
        verbose: args.report.verbose,
        colored: args.report.color.on_stdout(),
    };
    for line in done.iter().flatten() {
        let number = match line.verdict {
            CaseVerdict::Pass => &mut summary.pass,
            CaseVerdict::Fail => &mut summary.fail,
            CaseVerdict::Accepted => &mut summary.accepted,
            CaseVerdict::Error => &mut summary.error,
        };
        *number += 1;
        console.case(line)?;
    }
    let exit = match (summary.fail, summary.error) {
        (0, 0) => Exit::Success,
        (0, _) => Exit::Usage,
        _ => Exit::Findings,
    };
    summary.interrupted = done.iter().any(Option::is_none);
    summary.seconds = began.elapsed().as_secs_f64();
    summary.exit = exit as u8;
    console.summary(&summary, folder)?;
    // Sandboxes must be gone before the signal ends the program.
    drop(host);
    interrupt.obey();
    Ok(exit)
}

/// A case with its file.
struct Written {
    path: PathBuf,
    text: String,
    case: GraphCase,
}

/// All cases below a folder, in the order of their names.
fn read(folder: &Path) -> Result<Vec<Written>, Failure> {
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    paths.sort();
    if paths.is_empty() {
        return Err(Failure::usage(format!(
            "{}: there is no file *.{EXTENSION} below it",
            folder.display()
        )));
    }
    let mut cases = Vec::new();
    let mut mistakes = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path);
        let text =
            text.map_err(|error| Failure::usage(format!("{name}: cannot be read: {error}")))?;
        match read_case(&text, &case_folder()) {
            Ok(case) => cases.push(Written { path, text, case }),
            Err(mistake) => mistakes.push(mistake.shown(&name, &text).to_string()),
        }
    }
    match mistakes.is_empty() {
        true => Ok(cases),
        false => Err(Failure::usage(mistakes.join("\n"))),
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable = |error| Failure::usage(format!("{}: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = entry.path();
        // Links may lead in circles.
        if entry.file_type().map_err(unreadable)?.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|end| end == EXTENSION) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Runs the cases side by side. Those that an interrupt left out have no line.
fn all(
    cases: &[Written],
    runner: &GraphCases<'_>,
    jobs: usize,
    accepts: bool,
) -> Result<Vec<Option<CaseLine>>, Failure> {
    let next = AtomicUsize::new(0);
    let lines = Mutex::new(vec![None; cases.len()]);
    let number = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let goes_on = number < cases.len() && !runner.stop.load(Ordering::Relaxed);
        goes_on.then_some(number)
    };
    side_by_side(jobs.min(cases.len()), number, |number| {
        let line = one(&cases[number], runner, accepts)?;
        lock(&lines)[number] = line;
        Ok(())
    })?;
    Ok(std::mem::take(&mut *lock(&lines)))
}

/// Runs a case; `None` if the user ended the run meanwhile.
fn one(
    written: &Written,
    runner: &GraphCases<'_>,
    accepts: bool,
) -> Result<Option<CaseLine>, Failure> {
    let began = Instant::now();
    let name = written.path.display().to_string();
    let ran = match runner.run(&format!("case/{name}"), &written.case) {
        Ok(ran) => ran,
        Err(SessionError::Stopped) => return Ok(None),
        Err(error) => return Err(stickler_suite::RunError::from(error).into()),
    };
    let mut line = CaseLine {
        case: name,
        title: written.case.title.clone(),
        verdict: CaseVerdict::Pass,
        message: None,
        differences: Vec::new(),
        seconds: 0.0,
    };
    match ran {
        Ran::Ungiven(Ungiven::Mistake(mistake)) => {
            line.verdict = CaseVerdict::Error;
            line.message = Some(mistake.shown(&line.case, &written.text).to_string());
        }
        Ran::Ungiven(Ungiven::Lost(lost)) => {
            line.verdict = CaseVerdict::Fail;
            line.message = Some(lost.0);
        }
        Ran::Whole(happened) => compare(written, &happened, accepts, &mut line)?,
    }
    line.seconds = began.elapsed().as_secs_f64();
    Ok(Some(line))
}

fn compare(
    written: &Written,
    happened: &Happened,
    accepts: bool,
    line: &mut CaseLine,
) -> Result<(), Failure> {
    let dir = case_folder();
    let found = written.case.compare(happened, &dir);
    if accepts {
        let text = written.case.accepted(happened, &dir);
        if text != written.text && (!found.is_empty() || !written.case.says_all()) {
            line.verdict = CaseVerdict::Accepted;
            std::fs::write(&written.path, text).map_err(|error| {
                Failure::usage(format!("{}: cannot be written: {error}", line.case))
            })?;
        }
        return Ok(());
    }
    if !found.is_empty() {
        line.verdict = CaseVerdict::Fail;
    }
    let parts = found.into_iter().map(|one| Part {
        part: one.part,
        diff: one.diff,
    });
    line.differences = parts.collect();
    Ok(())
}

/// Where cases are shown.
struct Console {
    format: Format,
    verbose: bool,
    colored: bool,
}

impl Console {
    fn case(&self, line: &CaseLine) -> Result<(), Failure> {
        if self.format == Format::Json {
            return terminal::print(line.json());
        }
        let (word, color) = match line.verdict {
            CaseVerdict::Pass if !self.verbose => return Ok(()),
            CaseVerdict::Pass => ("ok", None),
            CaseVerdict::Fail => ("FAIL", Some(AnsiColor::Red)),
            CaseVerdict::Accepted => ("accepted", Some(AnsiColor::Green)),
            CaseVerdict::Error => ("ERROR", Some(AnsiColor::Red)),
        };
        let style = self.style(color);
        let mut text = format!(
            "{style}{word}{style:#}  {}  {}\n",
            visible(&line.case),
            visible(&line.title)
        );
        for message in line.message.iter().flat_map(|message| message.lines()) {
            text.push_str(&format!("      {}\n", visible(message)));
        }
        for Part { part, diff } in &line.differences {
            text.push_str(&format!("      {}\n", visible(part)));
            // The first lines of a difference name two files, which are one here.
            let hunks = diff.lines().filter(|one| !one.starts_with("@@"));
            for one in hunks {
                let color = match one.as_bytes().first() {
                    Some(b'-') => Some(AnsiColor::Red),
                    Some(b'+') => Some(AnsiColor::Green),
                    _ => None,
                };
                let style = self.style(color);
                text.push_str(&format!("        {style}{}{style:#}\n", visible(one)));
            }
        }
        terminal::print(text)
    }

    fn style(&self, color: Option<AnsiColor>) -> Style {
        match color {
            Some(color) if self.colored => Style::new().fg_color(Some(color.into())),
            _ => Style::new(),
        }
    }

    fn summary(&self, summary: &CasesLine, folder: &Path) -> Result<(), Failure> {
        if self.format == Format::Json {
            return terminal::print(summary.json());
        }
        let mut parts = vec![format!("{} passed", count(summary.pass, "case"))];
        let others = [
            (summary.fail, "failed"),
            (summary.accepted, "accepted"),
            (summary.error, "wrong"),
        ];
        let others = others.iter().filter(|(number, _)| *number > 0);
        parts.extend(others.map(|(number, word)| format!("{number} {word}")));
        if summary.interrupted {
            parts.push("interrupted".to_owned());
        }
        let advice = match summary.fail {
            0 => String::new(),
            _ => format!(
                "`stickler check --cases {} --accept` writes what happened into the cases\n",
                folder.display()
            ),
        };
        let seconds = summary.seconds;
        terminal::print(format!("{}   {seconds:.1} s\n{advice}", parts.join(", ")))
    }
}
