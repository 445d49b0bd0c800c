//! `stickler policy order`: the normal order, and policies arranged in it.

use super::read::{event, read};
use crate::args::{Component, PolicyOrderArgs};
use cfengine_policy::order::{self, Plan, Step};
use cfengine_policy::{Diagnostic, Sources};
use cfengine_protocol::release::Compat;
use std::fmt::Write as _;
use std::path::Path;
use stickler_face::args::ListFormat;
use stickler_face::{Done, terminal};
use stickler_judge::Exit;

pub fn run(args: &PolicyOrderArgs) -> Done {
    let component = match args.component {
        Component::Agent => order::Component::Agent,
        Component::Server => order::Component::Server,
        Component::Monitor => order::Component::Monitor,
        Component::EditLine => order::Component::EditLine,
    };
    let json = args.shared.format == ListFormat::Json;
    let (text, exit) = match &args.file {
        None if json => (table_json(component), Exit::Success),
        None => (table(component), Exit::Success),
        Some(file) => lined_up(file, component, args)?,
    };
    terminal::print(text)?;
    Ok(exit)
}

/// Which of the two has a promise type in its order.
fn mark(place: order::Rank) -> &'static str {
    match (place.specified, place.deployed) {
        (true, false) => "specification only",
        (false, true) => "3.21.0 only",
        _ => "",
    }
}

fn table(component: order::Component) -> String {
    let mut text = format!("Normal order of {} bundles:\n", component.name());
    for (at, place) in component.order().iter().enumerate() {
        let line = format!("{:4}  {:<20}{}", at + 1, place.kind, mark(*place));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if component == order::Component::Agent {
        text.push_str("      custom types, in order of appearance\n");
    }
    if component != order::Component::EditLine {
        let names = component.common_order(Compat::Specification);
        let deployed = component.common_order(Compat::default());
        let (names, deployed) = (names.join(", "), deployed.join(", "));
        let _ = writeln!(
            text,
            "Common bundles come first: {names}; 3.21.0: {deployed}."
        );
    }
    for difference in component.differences() {
        let _ = writeln!(text, "Difference: {difference}.");
    }
    text
}

fn table_json(component: order::Component) -> String {
    let mut text = String::new();
    for (at, place) in component.order().iter().enumerate() {
        let line = serde_json::json!({
            "event": "promise_type",
            "component": component.name(),
            "position": at + 1,
            "promise_type": place.kind,
            "specification": place.specified,
            "3.21.0": place.deployed,
        });
        let _ = writeln!(text, "{line}");
    }
    let end = serde_json::json!({
        "event": "component",
        "component": component.name(),
        "custom_types_last": component == order::Component::Agent,
        "common_first": component.common_order(Compat::Specification),
        "common_first_3.21.0": component.common_order(Compat::default()),
        "differences": component.differences(),
    });
    let _ = writeln!(text, "{end}");
    text
}

fn lined_up(
    file: &Path,
    component: order::Component,
    args: &PolicyOrderArgs,
) -> Result<(String, Exit), stickler_face::failure::Failure> {
    let mut sources = Sources::new();
    let loaded = read(
        &mut sources,
        file,
        &args.shared.workdir,
        args.compat.release(),
    )?;
    let json = args.shared.format == ListFormat::Json;
    let show = |kind: &str, one: &Diagnostic| {
        if json {
            format!("{}\n", event(kind, one, &sources))
        } else {
            one.render(kind, &sources)
        }
    };
    if !loaded.problems.is_empty() {
        let problems = loaded.problems.iter().map(|one| show("error", one));
        return Ok((problems.collect(), Exit::Findings));
    }
    let plan: Plan = order::plan(&loaded.policy, component, args.compat);
    let mut text = String::new();
    for step in &plan.steps {
        text.push_str(&if json {
            step_json(step, &sources)
        } else {
            step_pretty(step, &sources)
        });
    }
    let notes = loaded.notes.iter().chain(&plan.notes);
    text.extend(notes.map(|note| show("note", note)));
    Ok((text, Exit::Success))
}

fn step_pretty(step: &Step, sources: &Sources) -> String {
    let bundle = step.bundle;
    let custom = if step.custom { " (custom)" } else { "" };
    let mut text = format!(
        "bundle {} {}: {}{custom}\n",
        bundle.component.text,
        name(step),
        step.kind
    );
    for (guard, promise) in &step.promises {
        let guard = guard.map_or(String::new(), |guard| format!("{}:: ", guard.text));
        let at = sources.position(promise.span);
        let path = sources.get(promise.span.file).path();
        let line = format!("  {guard}\"{}\"  {path}:{at}", promise.promiser.text);
        let lines: Vec<_> = line.lines().map(stickler_report::visible).collect();
        let _ = writeln!(text, "{}", lines.join("\n    "));
    }
    text
}

/// The bundle's name, with its namespace unless that is `default`.
fn name(step: &Step) -> String {
    let bundle = step.bundle;
    match &*bundle.namespace {
        "default" => bundle.name.text.to_string(),
        namespace => format!("{namespace}:{}", bundle.name.text),
    }
}

fn step_json(step: &Step, sources: &Sources) -> String {
    let lines = step.promises.iter().map(|(guard, promise)| {
        let at = sources.position(promise.span);
        let line = serde_json::json!({
            "event": "promise",
            "bundle_type": &*step.bundle.component.text,
            "bundle": name(step),
            "promise_type": step.kind,
            "custom": step.custom,
            "guard": guard.map(|guard| &*guard.text),
            "promiser": &*promise.promiser.text,
            "file": &**sources.get(promise.span.file).path(),
            "line": at.line,
            "column": at.column,
        });
        format!("{line}\n")
    });
    lines.collect()
}
