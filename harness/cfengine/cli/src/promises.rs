//! What the options of the command line say about a module and its promises.

use crate::args::SubjectOptions;
use crate::promised::{self, FromPolicy};
use cfengine_protocol::wire::Value;
use std::path::{Path, PathBuf};
use stickler_face::args::SubjectArgs;
use stickler_face::{CONFIG, Failure, terminal};
use stickler_suite::config::{Config, Example};

/// Adds a policy's promises, and the example of the command line.
///
/// # Errors
/// If the policy cannot be read or names no module, or if an attribute has no value.
pub fn amend(args: &SubjectArgs, config: &mut Config) -> Result<(), Failure> {
    let own: SubjectOptions = args.given.options()?;
    let subject = &mut config.subject;
    let mut examples = Vec::new();
    if let Some(policy) = &own.policy {
        let found = promised::read(policy, args.module.as_deref(), &own.promise_types)?;
        subject.path = Some(module_of(&found, policy)?);
        if args.interpreter.is_none() {
            subject.interpreter = found.interpreter;
        }
        subject.kinds = found.promise_types;
        subject.command.clear();
        examples = found.examples;
        for note in &found.notes {
            terminal::note(note);
        }
    }
    if !own.promise_types.is_empty() {
        subject.kinds.clone_from(&own.promise_types);
    }
    let described = config.examples.len();
    config.examples.append(&mut examples);
    if let Some(promiser) = &own.promiser {
        for hint in list_hints(&own.attributes) {
            terminal::note(&hint);
        }
        config.examples.push(Example {
            name: "command line".into(),
            identity: vec![("promiser".into(), Value::text(promiser.as_bytes()))],
            attributes: own
                .attributes
                .iter()
                .map(|attribute| {
                    let (name, value) = attribute.split_once('=').ok_or_else(|| {
                        Failure::usage(format!("--attribute {attribute}: write NAME=VALUE"))
                    })?;
                    Ok((name.to_owned(), Value::text(value)))
                })
                .collect::<Result<_, Failure>>()?,
            ..Example::default()
        });
    } else if !own.attributes.is_empty() {
        return Err(Failure::usage(
            "--attribute needs --promiser: together they describe an example",
        ));
    }
    if described > 0 && config.examples.len() > described {
        let described = stickler_report::count(described, "example");
        let file = config.file.as_deref().unwrap_or(Path::new(CONFIG));
        let file = file.display();
        terminal::note(&format!("{file} adds {described}; --example chooses"));
    }
    Ok(())
}

/// Hints that values on the command line are text even if they look like lists or containers.
fn list_hints(attributes: &[String]) -> Vec<String> {
    let pairs = attributes.iter().filter_map(|it| it.split_once('='));
    let mut names: Vec<&str> = pairs.clone().map(|(name, _)| name).collect();
    names.sort_unstable();
    let listed = pairs.filter_map(|(name, value)| {
        let value = value.trim();
        let whole = |start, end| value.starts_with(start) && value.ends_with(end);
        let bare = value.trim_start_matches('{').starts_with("dir}");
        let list = whole('[', ']') || whole('{', '}') && !bare;
        list.then_some((name, "is sent as text"))
    });
    let twice = names.windows(2).filter_map(|pair| {
        let is_same = pair[0] == pair[1];
        is_same.then_some((pair[0], "is given twice, which does not make a list"))
    });
    let mut said: Vec<(&str, &str)> = listed.chain(twice).collect();
    said.dedup();
    let hint = |(name, what): (&str, &str)| {
        format!(
            "--attribute {name} {what}; write lists and containers in {CONFIG}: \
             attributes = {{ {name} = [\"one\", \"two\"] }}"
        )
    };
    said.into_iter().map(hint).collect()
}

/// The module that a policy names.
///
/// # Errors
/// If it does not exist.
pub fn module_of(found: &FromPolicy, policy: &Path) -> Result<PathBuf, Failure> {
    if found.path.is_file() {
        return std::path::absolute(&found.path).map_err(|error| anyhow::Error::from(error).into());
    }
    Err(Failure::usage(format!(
        "{}: the module {} does not exist\n  give its path before the policy: stickler check ./module.py --policy {}",
        policy.display(),
        found.path.display(),
        policy.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::list_hints;

    #[test]
    fn check_warns_of_lists_on_the_command_line() {
        let hints = |attributes: &[&str]| {
            list_hints(
                &attributes
                    .iter()
                    .map(|it| (*it).to_owned())
                    .collect::<Vec<_>>(),
            )
            .len()
        };
        assert_eq!(hints(&["tags=[\"a\", \"b\"]", "mode=0644"]), 1);
        assert_eq!(hints(&["vars={\"a\": \"b\"}"]), 1);
        assert_eq!(hints(&["tag=a", "tag=b", "tag=c"]), 1);
        assert_eq!(
            hints(&["path={dir}", "other={dir}/{x}", "pattern=[a-z]+", "empty="]),
            0
        );
    }
}
