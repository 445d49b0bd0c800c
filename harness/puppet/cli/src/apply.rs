//! `stickler apply`: applies a manifest or a catalog as `puppet apply` does.

use crate::args::ApplyArgs;
use crate::runtime::{Console, Needs, failure, finish, start};
use puppet_manifest::{Catalog, Kind, compile, read_catalog};
use puppet_runtime::{Fault, Log, RunReport, Runtime, Severity, Skipped, Status};
use std::io::Read;
use std::path::Path;
use std::time::Instant;
use stickler_face::{Chosen, Done, Failure, terminal};
use stickler_judge::Exit;

/// Applies a manifest or a catalog.
pub fn run(chosen: &Chosen<'_>, args: &ApplyArgs) -> Done {
    let catalog = read(args)?;
    let console = Console::new(&args.runtime);
    let mut started = start(chosen, &args.runtime, &console, Needs::Facts)?;
    let begun = Instant::now();
    let mut show = |log| console.show(&log);
    let mut runtime = Runtime::new(&mut started.process, started.settings, &mut show);
    let report = runtime.apply(&catalog);
    finish(&mut started.process)?;
    if report
        .as_ref()
        .is_err_and(|stopped| stopped.fault.is_exit())
    {
        note_exit();
        return Ok(Exit::Success);
    }
    let report = report.map_err(|stopped| {
        if let Fault::Raised(raised) = &stopped.fault {
            let line = serde_json::json!({"event": "error", "message": raised.message});
            // The failure below says the same.
            let _ = console.json(&line);
        }
        let mut failure = failure(stopped.fault, "the catalog cannot be applied");
        if let Some(place) = stopped.place {
            failure.message = format!("{}:{}: {}", place.file, place.line, failure.message);
        }
        failure
    })?;
    if report.is_exit() {
        tell(&report, &console, args.runtime.target.is_some())?;
        note_exit();
        return Ok(match report.statuses.iter().any(|status| status.failed) {
            true => Exit::Findings,
            false => Exit::Success,
        });
    }
    if let Some(raised) = report.stopped.as_ref().filter(|one| one.standard) {
        console.show(&Log {
            level: Severity::Err,
            source: None,
            message: format!("Failed to apply catalog: {}", raised.message),
        });
        let line = serde_json::json!({"event": "error", "message": raised.message});
        console.json(&line)?;
        tell(&report, &console, args.runtime.target.is_some())?;
        return Ok(Exit::Findings);
    }
    if let Some(raised) = &report.stopped {
        let line = serde_json::json!({"event": "error", "message": raised.message});
        console.json(&line)?;
        tell(&report, &console, args.runtime.target.is_some())?;
        let fault = Fault::Raised(raised.clone());
        return Err(failure(fault, "the catalog cannot be applied"));
    }
    let seconds = begun.elapsed().as_secs_f64();
    console.show(&Log {
        level: Severity::Notice,
        source: None,
        message: format!("Applied catalog in {seconds:.2} seconds"),
    });
    tell(&report, &console, args.runtime.target.is_some())?;
    Ok(match report.has_failures() {
        true => Exit::Findings,
        false => Exit::Success,
    })
}

/// Says why nothing follows, which Puppet does not.
pub fn note_exit() {
    terminal::note("a provider has called `exit`: Puppet ends here without an error, too");
}

/// The catalog that is to be applied.
///
/// # Errors
/// If it cannot be read, or if Puppet or Stickler refuse it.
pub fn read(args: &ApplyArgs) -> Result<Catalog, Failure> {
    let (name, text) = match (&args.file, &args.execute) {
        (_, Some(code)) => ("-e".to_owned(), code.clone().into_bytes()),
        (Some(file), None) if file == Path::new("-") => {
            let mut text = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut text);
            read.map_err(|error| Failure::usage(format!("standard input: {error}")))?;
            ("-".to_owned(), text)
        }
        (Some(file), None) => {
            let name = file.display().to_string();
            let text = std::fs::read(file);
            let text = text.map_err(|error| Failure::usage(format!("{name}: {error}")))?;
            (name, text)
        }
        (None, None) => return Err(Failure::usage("name a manifest or a catalog")),
    };
    let is_catalog = Path::new(&name)
        .extension()
        .is_some_and(|end| end == "json");
    if is_catalog {
        return read_catalog(&name, &text).map_err(|error| Failure::usage(error.to_string()));
    }
    let text = String::from_utf8(text)
        .map_err(|error| Failure::usage(format!("{name}: a manifest is UTF-8: {error}")))?;
    compile(&name, &text).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        // What Puppet would not make a catalog of is refused, as a whole.
        let is_refused = errors.iter().all(|one| one.kind == Kind::Evaluation);
        Failure {
            exit: match is_refused {
                true => Exit::Findings,
                false => Exit::Usage,
            },
            message: lines.join("\n"),
        }
    })
}

/// Says what was not applied (Puppet does not), and writes the report as JSON.
fn tell(report: &RunReport, console: &Console, is_on_device: bool) -> Result<(), Failure> {
    let elsewhere = report.statuses.iter();
    let elsewhere = elsewhere.filter(|one| one.skipped == Some(Skipped::Device));
    let names: Vec<&str> = elsewhere.map(|one| one.resource.as_str()).collect();
    if !names.is_empty() {
        let why = match is_on_device {
            true => "their types lack the feature remote_resource, so they are not for devices",
            false => "apply remote resources to a device with --target",
        };
        terminal::note(&format!("not applied: {}; {why}", names.join(", ")));
    }
    for status in &report.statuses {
        console.json(&line(status))?;
    }
    let count = |of: &dyn Fn(&Status) -> bool| report.statuses.iter().filter(|one| of(one)).count();
    console.json(&serde_json::json!({
        "event": "summary",
        "total": report.statuses.len(),
        "changed": count(&Status::changed),
        "failed": count(&|one| one.failed),
        "skipped": count(&|one| one.skipped.is_some()),
        "out_of_sync": count(&Status::out_of_sync),
    }))
}

fn line(status: &Status) -> serde_json::Value {
    let events: Vec<serde_json::Value> = status
        .events
        .iter()
        .map(|event| {
            serde_json::json!({
                "property": event.property,
                "status": event.status.name(),
                "message": event.message,
                "previous": crate::runtime::json(&event.previous),
                "desired": crate::runtime::json(&event.desired),
            })
        })
        .collect();
    serde_json::json!({
        "event": "status",
        "resource": status.resource,
        "type": status.kind,
        "title": status.title,
        "changed": status.changed(),
        "failed": status.failed,
        "skipped": status.skipped.is_some(),
        "out_of_sync": status.out_of_sync(),
        "events": events,
    })
}
