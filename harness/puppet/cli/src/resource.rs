//! `stickler resource`: lists, shows and changes resources as `puppet resource` does.

use crate::apply::note_exit;
use crate::args::ResourceArgs;
use crate::runtime::{Console, Needs, failure, finish, json as value, start};
use puppet_runtime::{Fault, ListedResource, Release, Runtime, RuntimeSettings};
use stickler_face::args::ListFormat;
use stickler_face::{Chosen, Done, Failure, terminal};
use stickler_judge::Exit;

/// Shows resources.
pub fn run(chosen: &Chosen<'_>, args: &ResourceArgs) -> Done {
    let words = words(&args.values)?;
    let console = Console::new(&args.runtime);
    let mut started = start(chosen, &args.runtime, &console, Needs::Connection)?;
    let release = started.settings.release;
    if args.fail && !release.core.has_fail {
        return Err(Failure::usage(format!(
            "--fail: `puppet resource` of {} has no such option; Puppet 8 has",
            release.name
        )));
    }
    let settings = RuntimeSettings {
        munges: true,
        ..started.settings
    };
    let mut show = |log| console.show(&log);
    let mut runtime = Runtime::new(&mut started.process, settings, &mut show);
    let (found, failed) = match &args.name {
        None => (runtime.list(&args.kind), false),
        Some(name) if words.is_empty() => {
            (runtime.find(&args.kind, name).map(|one| vec![one]), false)
        }
        Some(name) => match runtime.save(&args.kind, name, &words) {
            Ok((shown, report)) => (Ok(vec![shown]), report.has_failures()),
            Err(fault) => (Err(fault), false),
        },
    };
    let is_lost = found.is_err() && args.runtime.target.is_none() && runtime.is_remote(&args.kind);
    let asks_for_none = runtime.asks_for_none(&args.kind);
    finish(&mut started.process)?;
    if found.as_ref().is_err_and(Fault::is_exit) {
        note_exit();
        return Ok(Exit::Success);
    }
    let found = found.map_err(|fault| {
        let mut failure = failure(fault, "Could not run");
        if is_lost {
            failure.message += &format!(
                "\n  resources of the type {} live on devices: name one with --target",
                args.kind
            );
        }
        failure
    })?;
    let text: Vec<String> = found
        .iter()
        .map(|shown| match args.runtime.format {
            ListFormat::Pretty => format!("{}\n", shown.in_words()),
            ListFormat::Json => format!("{}\n", json(shown)),
        })
        .collect();
    terminal::print(text.concat())?;
    if found.is_empty() {
        terminal::note(&match asks_for_none {
            true => format!(
                "no {} is listed: puppet-resource_api {} asks `get` for no names at all; \
                 --runtime {} lists what there is",
                args.kind,
                release.api.name,
                Release::PUPPET_8.name
            ),
            false => format!("there is no {}", args.kind),
        });
    }
    Ok(match failed {
        true => Exit::Findings,
        false => Exit::Success,
    })
}

fn words(values: &[String]) -> Result<Vec<(String, String)>, Failure> {
    // Puppet looks for it line by line.
    let pair = |line: &str| {
        let (name, word) = line.split_once('=').filter(|(name, word)| {
            let is_word = |one: char| one.is_alphanumeric() || one == '_';
            !name.is_empty() && name.chars().all(is_word) && !word.is_empty()
        })?;
        Some((name.to_owned(), word.to_owned()))
    };
    let wrong = |value: &String| Failure::usage(format!("{value}: write ATTRIBUTE=VALUE"));
    values
        .iter()
        .map(|value| value.split('\n').find_map(pair).ok_or_else(|| wrong(value)))
        .collect()
}

/// A resource as a line of JSON. Values are written as in the provider protocol.
fn json(shown: &ListedResource) -> String {
    let attributes: serde_json::Map<String, serde_json::Value> = shown
        .attributes
        .iter()
        .map(|one| (one.name.clone(), value(&one.value)))
        .collect();
    serde_json::json!({
        "event": "resource",
        "type": shown.kind,
        "title": value(&shown.title),
        "attributes": attributes,
    })
    .to_string()
}
