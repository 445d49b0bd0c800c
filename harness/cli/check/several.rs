//! Several modules, one after the other, with one summary and one exit code.

use super::{Ended, one};
use std::path::{Component, PathBuf};
use std::sync::atomic::Ordering;
use stickler_face::args::CheckArgs;
use stickler_face::{Dialects, Done, Face, Failure, Interrupt, options, terminal};
use stickler_judge::Exit;
use stickler_report::{Format, count, in_short};

/// What stands for a module in the name of a file.
const PLACE: &str = "{module}";

/// Checks each module. A module that cannot be checked does not keep the others from it.
///
/// # Errors
/// If the arguments suit no more than one module.
pub(super) fn run(dialects: &Dialects, args: &CheckArgs, interrupt: &Interrupt) -> Done {
    suitable(dialects, args)?;
    let mut lines = Vec::new();
    let mut worst = Exit::Success;
    let places = places(&args.modules);
    for (number, (module, place)) in args.modules.iter().zip(&places).enumerate() {
        if interrupt.stop().load(Ordering::Relaxed) {
            break;
        }
        if number > 0 && args.report.format == Format::Pretty {
            terminal::print("\n")?;
        }
        let mut own = args.clone();
        let name = module.display().to_string();
        for output in &mut own.report.outputs {
            *output = output.replace(PLACE, place);
        }
        if let Some(folder) = &mut own.report.report {
            folder.push(place);
        }
        let (exit, line) = match one(dialects, &own, Some(module), interrupt) {
            Ok(Ended::Report(report)) => (report.exit(), in_short(&report)),
            Ok(Ended::Baseline(exit)) => (exit, String::new()),
            Err(failure) => {
                let place = format!("{}: ", name.trim_end_matches('/'));
                let message = failure.message.trim_start_matches(&place);
                terminal::error(&format!("{place}{message}"));
                (failure.exit, "not checked: see the error above".to_owned())
            }
        };
        worst = graver(worst, exit);
        lines.push((exit, name, line));
    }
    if args.report.format == Format::Pretty {
        terminal::print(summary(&lines))?;
    }
    Ok(worst)
}

/// The names that stand for modules in the names of files: their paths without what leads to
/// another folder. None begins with a dot, which would hide the file, and no two are the same.
fn places(modules: &[PathBuf]) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for module in modules {
        let parts = module.components().filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
            _ => None,
        });
        let mut name = parts.collect::<Vec<_>>().join("_");
        if name.is_empty() {
            // Such as `..`: the folder's own name.
            let folder = module.canonicalize().unwrap_or_default();
            name = folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
        }
        let name = match name.trim_start_matches('.') {
            "" => "module",
            name => name,
        };
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut free = std::iter::once(name.to_owned()).chain(numbered);
        places.extend(free.find(|name| !places.contains(name)));
    }
    places
}

fn suitable(dialects: &Dialects, args: &CheckArgs) -> Result<(), Failure> {
    let subject = &args.subject;
    let single = dialects.all().flat_map(Face::single_options).copied();
    let single: Vec<&str> = ["--config"].into_iter().chain(single).collect();
    let given = options::written(dialects, &subject.given);
    let mut given = given.iter().map(|option| &option[..]);
    let one = given.find(|option| single.contains(option));
    let command = (!subject.command.is_empty()).then_some("a command");
    if let Some(name) = one.or(command) {
        return Err(Failure::usage(format!(
            "{name} describes one module, but {} are named",
            args.modules.len()
        )));
    }
    let lines = matches!(
        args.report.format,
        Format::Pretty | Format::Json | Format::Github | Format::Markdown
    );
    if !lines {
        return Err(Failure::usage(format!(
            "--format {0} shows one module: write files, such as --output {0}={PLACE}.{0}",
            args.report.format
        )));
    }
    let same = args
        .report
        .outputs
        .iter()
        .find(|output| !output.contains(PLACE));
    match same {
        Some(output) => Err(Failure::usage(format!(
            "--output {output}: each module would replace the file; put {PLACE} into its name"
        ))),
        None => Ok(()),
    }
}

/// The exit code that says more: what kept modules from being checked comes first.
fn graver(one: Exit, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Success => 0,
        Exit::NothingExercised => 1,
        Exit::Findings => 2,
        Exit::Usage => 3,
        Exit::NoSession => 4,
        Exit::Harness => 5,
    };
    if rank(other) > rank(one) { other } else { one }
}

fn summary(lines: &[(Exit, String, String)]) -> String {
    let sound = lines.iter().filter(|line| line.0 == Exit::Success).count();
    let mut text = format!(
        "\n{}: {sound} passed, {} did not\n",
        count(lines.len(), "module"),
        lines.len() - sound
    );
    let width = lines.iter().map(|line| line.1.chars().count()).max();
    let width = width.unwrap_or(0).min(60);
    for (exit, name, line) in lines {
        let word = if *exit == Exit::Success {
            "ok  "
        } else {
            "FAIL"
        };
        text.push_str(&format!("{word}  {name:width$}  {line}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::places;
    use std::path::PathBuf;

    #[test]
    fn no_name_is_hidden_and_no_two_are_the_same() {
        let modules = ["../a", "a", "./a/", ".b/c.py", "..", "/x/d.sh"].map(PathBuf::from);
        let names = places(&modules);
        assert_eq!(names[..4], ["a", "a-2", "a-3", "b_c.py"]);
        assert_eq!(names[5], "x_d.sh");
        assert!(
            !names[4].is_empty() && !names[4].starts_with('.'),
            "{names:?}"
        );
    }
}
